//! Adapters between this crate's types and the wire formats. They build the bodies of requests and
//! read the streams of answers.

use crate::event::TokenUsage;
use crate::message::Request;
use crate::secret::Secret;
use crate::sse::SseEvent;
use crate::wire::chat::dialect::Dialect;
use crate::wire::draft::Draft;
use serde_json::Value;
use std::fmt;

/// The adapter for one wire. It is stateless: the state of an answer is in its [`Decoder`].
pub(crate) trait Adapter: Sync {
    /// Returns the address for calls to `model`. `base` has no slash at its end.
    fn url(&self, base: &str, model: &str) -> String;

    /// Returns the name of the wire's own header for the key. If it has none, the key is sent as
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

/// Returns the address without an API version at its end, for wires that add the version
/// themselves.
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
    /// Returns an error if the provider reports one, or if the event does not have the wire's
    /// format.
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError>;

    /// Handles an answer that ended without its end event. Returns whether the answer is complete.
    /// If it is, completes the draft.
    fn end(&mut self, draft: &mut Draft) -> bool;

    /// Returns the tokens that the provider has reported so far.
    fn usage(&self) -> TokenUsage;
}

/// Why an answer cannot be used.
#[derive(Debug)]
pub(crate) enum StreamError {
    /// The provider reported an error, which has the form of its error bodies.
    Said(Value),
    /// The data does not have the wire's format.
    Malformed(String),
    /// The answer was cut off.
    Cut,
    /// The provider refuses to answer, with this message.
    Refused(String),
}
