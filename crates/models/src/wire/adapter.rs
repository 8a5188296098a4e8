//! Adapters between the common types and the wires: they build the bodies of requests and read the
//! streams of answers.

use crate::event::TokenUsage;
use crate::message::Request;
use crate::secret::Secret;
use crate::sse::SseEvent;
use crate::wire::chat::dialect::Dialect;
use crate::wire::draft::Draft;
use serde_json::Value;
use std::fmt;

/// One wire. It is stateless: the state of an answer is in its [`Decoder`].
pub(crate) trait Adapter: Sync {
    /// Returns the address for calls of `model`. `base` has no slash at its end.
    fn url(&self, base: &str, model: &str) -> String;

    /// Returns the header of the key if the wire has its own. Other wires send the key as
    /// `Authorization: Bearer`.
    fn key_header(&self) -> Option<&'static str> {
        None
    }

    /// Returns the additional headers that the wire requires.
    fn headers(&self, _request: &Request) -> Vec<(String, Secret)> {
        Vec::new()
    }

    /// Returns the body of a request.
    fn body(&self, dialect: Dialect, request: &Request) -> Value;

    /// Returns a decoder for one answer.
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// Returns the address without the version at its end, for wires that add their own.
pub(crate) fn unversioned(base: &str) -> &str {
    ["/v1beta", "/v1"].iter().find_map(|version| base.strip_suffix(version)).unwrap_or(base)
}

/// An HTTP request, without the headers that all wires share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpRequest {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, Secret)>,
    pub(crate) body: Value,
}

/// Whether the answer continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    /// The draft is complete; later events are ignored.
    Done,
}

/// Reads the answer of one call.
pub(crate) trait Decoder: Send + fmt::Debug {
    /// Adds one event to the draft.
    ///
    /// # Errors
    /// The provider reports an error, or the event does not belong to its wire.
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError>;

    /// Handles an answer that ended without its end event. Returns whether it was complete; then
    /// the draft is complete as well.
    fn end(&mut self, draft: &mut Draft) -> bool;

    /// The tokens that the provider has reported so far.
    fn usage(&self) -> TokenUsage;
}

/// The reason why an answer is unusable.
#[derive(Debug)]
pub(crate) enum StreamError {
    /// The provider's error, in the form of its error bodies.
    Said(Value),
    /// Data that does not belong to the wire.
    Malformed(String),
    /// The answer was cut off.
    Cut,
    /// The provider refuses to answer, with its words.
    Refused(String),
}
