//! A provider's model, with the settings of one session.

use crate::call::Call;
use crate::call::changes::KnownChanges;
use crate::catalogue::known_model::KnownModel;
use crate::event::TokenUsage;
use crate::http::Http;
use crate::media::MediaLimits;
use crate::message::{Part, Request, Thinking};
use crate::model::{Brief, EventStream, Model, ModelInput, answer_reserve};
use crate::provider::Provider;
use std::hash::{BuildHasher as _, RandomState};

/// A provider's model, with the settings of one session.
#[derive(Debug)]
pub(super) struct ProvidedModel {
    pub(super) provider: Provider,
    pub(super) http: Http,
    pub(super) known: KnownModel,
    pub(super) thinking: Option<Thinking>,
    /// The session's id.
    pub(super) session: String,
    pub(super) known_changes: KnownChanges,
}

impl ProvidedModel {
    /// Returns the maximum length of the answer to an input of this many tokens: the rest of the
    /// context window, but at most a quarter of the window.
    fn longest_answer(&self, input: u64) -> Option<u64> {
        let window = self.known.window;
        let rest = window.saturating_sub(input).max(answer_reserve(window));
        self.known.max_output.map(|most| most.min(window / 4).min(rest))
    }
}

impl Model for ProvidedModel {
    fn title(&self) -> &str {
        &self.known.title
    }

    fn window(&self) -> Option<u64> {
        (!self.known.window_assumed).then_some(self.known.window)
    }

    fn size(&self) -> u64 {
        self.known.window
    }

    fn is_cut_silently(&self) -> bool {
        self.known.is_cut_silently
    }

    fn brief_tokens(&self, brief: &Brief) -> u64 {
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

    fn media_limits(&self) -> MediaLimits {
        MediaLimits::of(&self.provider, &self.known)
    }

    fn cost(&self, usage: &TokenUsage) -> Option<f64> {
        // A server on this machine bills nothing, unless it passes calls on with a key.
        self.known
            .cost(usage)
            .or_else(|| (self.provider.is_local() && self.provider.key.is_none()).then_some(0.0))
    }

    fn stream(&self, input: ModelInput) -> Box<dyn EventStream> {
        let request = Request {
            model: self.known.id.clone(),
            max_output: self.longest_answer(input.brief.tokens() + input.tokens),
            system: input.brief.system,
            messages: input.messages,
            tools: input.brief.tools,
            thinking: self.thinking.clone(),
            session: self.session.clone(),
            without_thoughts: false,
        };
        let seed = RandomState::new().hash_one(&self.session);
        let call = Call::new(&self.provider, &self.http, request, seed);
        Box::new(call.with_known_changes(self.known_changes.clone()))
    }
}
