//! A provider's model, as the turn sees it.

use super::messages::messages;
use super::{Brief, Model, ModelEvent, ModelMessage, NextEvent, Part, Step, TokenUsage};
use crate::context::room_for_an_answer;
use crate::conversation::Conversation;
use attache_models::{Call, CallEvent, Http, KnownModel, Provider, Request, Thinking};
use std::hash::{BuildHasher as _, RandomState};

/// A model of a provider, with the choices of one session.
#[derive(Debug)]
pub(super) struct Provided {
    pub(super) provider: Provider,
    pub(super) http: Http,
    pub(super) known: KnownModel,
    pub(super) thinking: Option<Thinking>,
    /// The session's id.
    pub(super) session: String,
}

struct ProvidedStep(Call);

impl Provided {
    /// The longest answer that is asked for, in tokens, when so many are taken in: what is left of
    /// the window, and no more than a quarter.
    fn longest_answer(&self, taken_in: u64) -> Option<u64> {
        let left =
            self.known.window.saturating_sub(taken_in).max(room_for_an_answer(self.known.window));
        self.known.max_output.map(|most| most.min(self.known.window / 4).min(left))
    }
}

impl Model for Provided {
    fn title(&self) -> &str {
        &self.known.title
    }

    fn window(&self) -> Option<u64> {
        (!self.known.window_assumed).then_some(self.known.window)
    }

    fn size(&self) -> u64 {
        self.known.window
    }

    fn around(&self, brief: &Brief) -> u64 {
        brief.tokens()
    }

    fn writes(&self) -> bool {
        true
    }

    fn takes(&self, part: &Part) -> bool {
        match part {
            Part::Text(_) => true,
            Part::Image(_) => self.known.takes_images,
            Part::Audio(_) => self.known.takes_audio,
            Part::Document(_) => self.known.takes_documents,
        }
    }

    fn cost(&self, usage: &TokenUsage) -> Option<f64> {
        self.known.cost(usage)
    }

    fn step<'m>(&'m self, conversation: &'m Conversation, brief: &Brief) -> Box<dyn Step + 'm> {
        let request = Request {
            model: self.known.id.clone(),
            system: brief.system.clone(),
            messages: messages(conversation, |part| self.takes(part)),
            tools: brief.tools.clone(),
            thinking: self.thinking.clone(),
            max_output: self.longest_answer(brief.tokens() + conversation.tokens()),
            session: self.session.clone(),
        };
        let seed = RandomState::new().hash_one(&self.session);
        Box::new(ProvidedStep(Call::new(&self.provider, &self.http, &request, seed)))
    }
}

impl Step for ProvidedStep {
    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(async {
            loop {
                return Some(Ok(match self.0.next().await? {
                    Ok(CallEvent::Text(text)) => ModelEvent::Text(text),
                    Ok(CallEvent::Thought(text)) => ModelEvent::Thought(text),
                    // It is shown when its arguments are there.
                    Ok(CallEvent::CallBegan { .. }) => continue,
                    Ok(CallEvent::Waiting { why, wait, replaces, lost, .. }) => {
                        ModelEvent::Waiting { why, wait, replaces, lost }
                    }
                    Ok(CallEvent::Done { message, stop, usage }) => {
                        ModelEvent::Done { message: Some(message), stop, usage }
                    }
                    Err(error) => return Some(Err(error)),
                }));
            }
        })
    }

    fn said(&self) -> Option<ModelMessage> {
        Some(self.0.said()).filter(|said| !said.parts.is_empty())
    }

    fn unfinished(&self) -> TokenUsage {
        self.0.unfinished()
    }
}
