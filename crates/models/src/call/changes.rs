//! How requests differ from the usual ones after a provider refused those.

use crate::call::failure::Refusal;
use crate::message::{ModelId, Request, Thinking};
use crate::provider::Provider;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;
use crate::wire::history;
use std::collections::VecDeque;
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of sessions and models whose changes are remembered.
const REMEMBERED: usize = 256;

/// The words of errors about thoughts that were sent back.
const THOUGHTS: [&str; 13] = [
    "thinking block",
    "thinking` block",
    "thinking' block",
    "redacted_thinking",
    "`signature`",
    "thinking.signature",
    "thought_signature",
    "thought signature",
    "reasoning_content",
    "reasoning content",
    "encrypted content",
    "encrypted_content",
    "of type 'reasoning'",
];

/// The words of errors about the setting that drops stale thoughts.
const BINDING: [&str; 4] =
    ["block_binding", "thinking-binding-controls", "beta flag", "anthropic-beta"];

/// How the requests of a call differ from the usual ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Whether thoughts are left out.
    without_thoughts: bool,
    /// The wire that replaces the provider's own.
    wire: Option<Wire>,
    /// The dialect that replaces the provider's own.
    dialect: Option<Dialect>,
}

impl Changes {
    /// Applies the changes to a provider and a request.
    pub(crate) fn apply(self, provider: &mut Provider, request: &mut Request) {
        provider.wire = self.wire.unwrap_or(provider.wire);
        provider.dialect = self.dialect.unwrap_or(provider.dialect);
        request.without_thoughts |= self.without_thoughts;
    }

    /// Returns the changes with the one that may help against this refusal, and why it is made: one
    /// sentence without a full stop. Each change is made at most once.
    pub(crate) fn after(
        self,
        refusal: &Refusal,
        provider: &Provider,
        request: &Request,
    ) -> Option<(Self, String)> {
        let name = &provider.name;
        let says = |words: &[&str]| words.iter().any(|words| refusal.text.contains(words));
        if !matches!(refusal.status, None | Some(400 | 404 | 422)) {
            return None;
        }
        if provider.wire == Wire::Chat && self.wire.is_none() && says(&["v1/responses"]) {
            let why = format!("{name} wants the Responses API for this model");
            let (wire, dialect) = (Some(Wire::Responses), Some(Dialect::OpenAi));
            return Some((Self { wire, dialect, ..self }, why));
        }
        let plain = provider.wire == Wire::Chat && provider.dialect == Dialect::Plain;
        if plain && self.dialect.is_none() && says(&["max_completion_tokens"]) {
            let why = format!("{name} has another name for the maximum length of an answer");
            return Some((Self { dialect: Some(Dialect::OpenAi), ..self }, why));
        }
        let misses = says(&["reasoning_content"]) && says(&["passed back", "missing", "required"]);
        if plain && self.dialect.is_none() && misses {
            let why = format!("{name} wants the earlier thoughts of this conversation");
            return Some((Self { dialect: Some(Dialect::DeepSeek), ..self }, why));
        }
        let refuses_type = request.thinking.is_none() && says(&["adaptive"]) && says(&["thinking"]);
        let refuses_setting = provider.wire == Wire::Anthropic && (says(&BINDING) || refuses_type);
        let refuses = (says(&THOUGHTS) && history::has_thoughts(request)) || refuses_setting;
        if refuses && !request.without_thoughts {
            let why = format!(
                "{name} refuses the earlier thoughts of this conversation, so they are left out"
            );
            // The dialect that sends thoughts back was wrong.
            let dialect = self.dialect.map(|dialect| match dialect {
                Dialect::DeepSeek => Dialect::Plain,
                other => other,
            });
            return Some((Self { without_thoughts: true, dialect, ..self }, why));
        }
        None
    }
}

/// The changes that helped, so that later calls of the session make them at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownChanges(Arc<Mutex<VecDeque<(Place, Changes)>>>);

/// Where changes apply: a session, a model, the address of its provider, and how the model thinks.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    session: String,
    model: ModelId,
    base_url: String,
    /// The kind of thinking, and whether it is off.
    thinking: (Option<Discriminant<Thinking>>, bool),
}

impl Place {
    fn of(provider: &Provider, request: &Request) -> Self {
        let (session, model) = (request.session.clone(), request.model.clone());
        let is_off = request.thinking == Some(Thinking::Budget(0));
        let thinking = (request.thinking.as_ref().map(discriminant), is_off);
        Self { session, model, base_url: provider.base_url.clone(), thinking }
    }

    /// Returns whether the places differ at most in how the model thinks.
    fn has_model_of(&self, other: &Self) -> bool {
        (&self.session, &self.model, &self.base_url)
            == (&other.session, &other.model, &other.base_url)
    }
}

impl KnownChanges {
    /// Returns the changes for a request. Thoughts that were refused with one kind of thinking may
    /// be accepted with another.
    pub(crate) fn of(&self, provider: &Provider, request: &Request) -> Changes {
        let place = Place::of(provider, request);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, changes)) = known.iter().find(|(other, _)| *other == place) {
            return *changes;
        }
        let newest = known.iter().rev().find(|(other, _)| other.has_model_of(&place));
        newest.map_or_else(Changes::default, |(_, changes)| Changes {
            without_thoughts: false,
            ..*changes
        })
    }

    /// Remembers the changes that made the provider accept a request.
    pub(crate) fn keep(&self, provider: &Provider, request: &Request, changes: Changes) {
        let place = Place::of(provider, request);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(other, _)| *other != place);
        if known.len() >= REMEMBERED {
            known.pop_front();
        }
        known.push_back((place, changes));
    }
}
