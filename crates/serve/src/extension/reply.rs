//! The reply to a call.

use super::refusal;
use attache_protocol::{Error, Raw};
use serde::Serialize;

/// What is done after a reply was queued.
pub(super) type After = Box<dyn FnOnce() + Send>;

/// The reply to a call.
pub(super) struct Reply {
    pub(super) result: Raw,
    /// What is done once the reply is queued.
    pub(super) after: Option<After>,
}

impl Reply {
    /// Replies with a value.
    pub(super) fn of(value: &impl Serialize) -> Result<Self, Error> {
        let result = Raw::of(value).map_err(|error| refusal::failed(&error))?;
        Ok(Self { result, after: None })
    }

    /// Replies with `{}`.
    pub(super) fn done() -> Result<Self, Error> {
        Self::of(&serde_json::Map::new())
    }

    /// Does something once the reply is queued.
    pub(super) fn and_then(self, after: impl FnOnce() + Send + 'static) -> Self {
        Self { after: Some(Box::new(after)), ..self }
    }
}
