//! The message that is assembled while an answer arrives.

use crate::event::{ModelEvent, ModelStop, TokenUsage};
use crate::message::{AssistantMessage, AssistantPart, ModelId};
use crate::wire::surrogates::SurrogatePairs;
use serde_json::Value;
use std::collections::VecDeque;

/// The index of a tool call among the message's tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallIndex(usize);

/// The message so far, and the events that the caller has not read yet.
#[derive(Debug)]
pub(crate) struct Draft {
    message: AssistantMessage,
    /// The positions of the tool calls among the message's parts.
    calls: Vec<usize>,
    /// Whether the next piece begins a new part.
    closed: bool,
    text_halves: SurrogatePairs,
    thought_halves: SurrogatePairs,
    seed: u64,
    events: VecDeque<ModelEvent>,
    given: bool,
}

impl Draft {
    /// Returns an empty draft. Generated ids contain the seed, so that they differ between calls.
    pub(crate) fn new(model: ModelId, seed: u64) -> Self {
        Self {
            message: AssistantMessage { model, parts: Vec::new() },
            calls: Vec::new(),
            closed: false,
            text_halves: SurrogatePairs::default(),
            thought_halves: SurrogatePairs::default(),
            seed,
            events: VecDeque::new(),
            given: false,
        }
    }

    /// Removes and returns the next event.
    pub(crate) fn take(&mut self) -> Option<ModelEvent> {
        self.events.pop_front()
    }

    /// Returns whether any event was added.
    pub(crate) fn has_content(&self) -> bool {
        self.given
    }

    /// Adds a piece of text.
    pub(crate) fn text(&mut self, piece: &str) {
        let piece = &*self.text_halves.join(piece);
        if piece.is_empty() {
            return;
        }
        self.push_event(ModelEvent::Text(piece.to_owned()));
        let closed = std::mem::take(&mut self.closed);
        match self.message.parts.last_mut() {
            Some(AssistantPart::Text { text, .. }) if !closed => text.push_str(piece),
            _ => self
                .message
                .parts
                .push(AssistantPart::Text { text: piece.to_owned(), sealed: None }),
        }
    }

    /// Adds a piece of a thought.
    pub(crate) fn thought(&mut self, piece: &str) {
        let piece = &*self.thought_halves.join(piece);
        if piece.is_empty() {
            return;
        }
        self.push_event(ModelEvent::Thought(piece.to_owned()));
        let closed = std::mem::take(&mut self.closed);
        match self.message.parts.last_mut() {
            Some(AssistantPart::Thought { text, .. }) if !closed => text.push_str(piece),
            _ => self
                .message
                .parts
                .push(AssistantPart::Thought { text: piece.to_owned(), sealed: None }),
        }
    }

    /// Ends the last part, so that the next piece begins a new part.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Attaches provider data to the last part if that is a thought that has not ended and has no
    /// data yet, otherwise to a new, empty thought. Later pieces belong to another thought.
    pub(crate) fn seal_thought(&mut self, seal: Value) {
        match self.message.parts.last_mut() {
            Some(AssistantPart::Thought { sealed: sealed @ None, .. }) if !self.closed => {
                *sealed = Some(seal)
            }
            _ => self
                .message
                .parts
                .push(AssistantPart::Thought { text: String::new(), sealed: Some(seal) }),
        }
        self.closed = true;
    }

    /// Attaches provider data to the last part if that is a text that has not ended and has no data
    /// yet, otherwise to a new, empty text.
    pub(crate) fn seal_text(&mut self, seal: Value) {
        match self.message.parts.last_mut() {
            Some(AssistantPart::Text { sealed: sealed @ None, .. }) if !self.closed => {
                *sealed = Some(seal)
            }
            _ => self
                .message
                .parts
                .push(AssistantPart::Text { text: String::new(), sealed: Some(seal) }),
        }
        self.closed = true;
    }

    /// Returns the provider data of the first thought, if there is one.
    pub(crate) fn first_thought(&mut self) -> Option<&mut Option<Value>> {
        self.message.parts.iter_mut().find_map(|part| match part {
            AssistantPart::Thought { sealed, .. } => Some(sealed),
            AssistantPart::Text { .. } | AssistantPart::Call { .. } => None,
        })
    }

    /// Inserts a thought with provider data before all other parts.
    pub(crate) fn begin_with_thought(&mut self, seal: Value) {
        self.message
            .parts
            .insert(0, AssistantPart::Thought { text: String::new(), sealed: Some(seal) });
        for at in &mut self.calls {
            *at += 1;
        }
    }

    /// Begins a tool call. A missing or repeated id is replaced with a generated one.
    pub(crate) fn call(&mut self, id: &str, name: &str) -> CallIndex {
        let index = self.calls.len();
        let taken = |part: &AssistantPart| match part {
            AssistantPart::Call { id: other, .. } => other == id,
            _ => false,
        };
        let id = match id {
            id if id.is_empty() || self.message.parts.iter().any(taken) => {
                format!("call_{:016x}_{index}", self.seed)
            }
            id => id.to_owned(),
        };
        self.calls.push(self.message.parts.len());
        self.push_event(ModelEvent::CallBegan { index, id: id.clone(), name: name.to_owned() });
        self.message.parts.push(AssistantPart::Call {
            id,
            name: name.to_owned(),
            arguments: String::new(),
            sealed: None,
        });
        self.closed = true;
        CallIndex(index)
    }

    /// Adds a piece of a call's arguments.
    pub(crate) fn arguments(&mut self, call: CallIndex, piece: &str) {
        if let Some((arguments, _)) = self.call_mut(call) {
            arguments.push_str(piece);
        }
    }

    /// Replaces the arguments of a call so far with its whole arguments.
    pub(crate) fn all_arguments(&mut self, call: CallIndex, whole: String) {
        if let Some((arguments, _)) = self.call_mut(call) {
            *arguments = whole;
        }
    }

    /// Returns the arguments of a call so far.
    pub(crate) fn arguments_of(&self, call: CallIndex) -> &str {
        let at = self.calls.get(call.0).and_then(|at| self.message.parts.get(*at));
        match at {
            Some(AssistantPart::Call { arguments, .. }) => arguments,
            _ => "",
        }
    }

    pub(crate) fn seal_call(&mut self, call: CallIndex, seal: Value) {
        if let Some((_, sealed)) = self.call_mut(call) {
            *sealed = Some(seal);
        }
    }

    /// Returns the message so far, without its tool calls, whose arguments may be incomplete.
    pub(crate) fn said(&self) -> AssistantMessage {
        let mut message = self.message.clone();
        message.parts.retain(|part| !matches!(part, AssistantPart::Call { .. }));
        message
    }

    /// Returns whether the message has text or calls, and the arguments of every call are complete.
    /// An explicit end then completes it, even if it has no stop reason.
    pub(crate) fn is_whole(&self) -> bool {
        let mut has_content = false;
        for part in &self.message.parts {
            match part {
                AssistantPart::Text { text, .. } => has_content |= !text.trim().is_empty(),
                AssistantPart::Thought { .. } => {}
                AssistantPart::Call { arguments, .. } => {
                    if !arguments.trim().is_empty() && !is_json(arguments) {
                        return false;
                    }
                    has_content = true;
                }
            }
        }
        has_content
    }

    /// Completes the message, and adds the event [`ModelEvent::Done`].
    pub(crate) fn done(&mut self, stop: ModelStop, usage: TokenUsage) {
        let mut message = AssistantMessage {
            model: self.message.model.clone(),
            parts: std::mem::take(&mut self.message.parts),
        };
        self.calls.clear();
        for part in &mut message.parts {
            if let AssistantPart::Call { arguments, .. } = part {
                *arguments = match arguments.trim() {
                    "" => "{}".to_owned(),
                    _ => SurrogatePairs::joined(arguments),
                };
            }
        }
        if stop == ModelStop::MaxTokens || stop == ModelStop::Window {
            let is_cut = |part: &AssistantPart| match part {
                AssistantPart::Call { arguments, .. } => !is_json(arguments),
                AssistantPart::Text { .. } | AssistantPart::Thought { .. } => false,
            };
            message.parts.retain(|part| !is_cut(part));
        }
        // Some providers report a normal end although the answer contains tool calls, or the
        // reverse.
        let stop = if stop == ModelStop::End && message.calls() { ModelStop::Tools } else { stop };
        let stop = if stop == ModelStop::Tools && !message.calls() { ModelStop::End } else { stop };
        self.events.push_back(ModelEvent::Done { message, stop, usage });
    }

    fn call_mut(&mut self, call: CallIndex) -> Option<(&mut String, &mut Option<Value>)> {
        match self.calls.get(call.0).and_then(|at| self.message.parts.get_mut(*at)) {
            Some(AssistantPart::Call { arguments, sealed, .. }) => Some((arguments, sealed)),
            _ => None,
        }
    }

    fn push_event(&mut self, event: ModelEvent) {
        self.given = true;
        self.events.push_back(event);
    }
}

/// Returns whether the text is one complete JSON value.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}
