//! An adapter joins the common types to one wire: it builds the body of a request and reads the
//! stream of an answer.

use crate::event::TokenUsage;
use crate::message::Request;
use crate::secret::Secret;
use crate::sse::SseEvent;
use crate::wire::chat::dialect::Dialect;
use crate::wire::draft::Draft;
use serde_json::Value;
use std::fmt;

/// One wire. It has no state: the state of an answer is in its [`Decoder`].
pub(crate) trait Adapter: Sync {
    /// Returns the address for calls of `model`. `base` has no slash at its end.
    fn url(&self, base: &str, model: &str) -> String;

    /// Returns the header of the key where the wire has one of its own. Other wires send it as
    /// `Authorization: Bearer`.
    fn key_header(&self) -> Option<&'static str> {
        None
    }

    /// Returns the headers that the wire needs beside the key.
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

/// A request as it goes over the network, but for the headers that all have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpRequest {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, Secret)>,
    pub(crate) body: Value,
}

/// Whether the answer of a model goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    /// The draft is done; what comes after is nothing.
    Done,
}

/// Reads the answer of one call.
pub(crate) trait Decoder: Send + fmt::Debug {
    /// Takes one event into the draft.
    ///
    /// # Errors
    /// The provider says an error, or something that is not of its wire.
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError>;

    /// The answer ended without saying so. Whether it was whole all the same; then the draft is
    /// done.
    fn end(&mut self, draft: &mut Draft) -> bool;

    /// The tokens that the provider reported so far.
    fn usage(&self) -> TokenUsage;
}

/// Why an answer that came cannot be taken.
#[derive(Debug)]
pub(crate) enum StreamError {
    /// What the provider sent as an error, in the shape of its error bodies.
    Said(Value),
    /// Not of this wire.
    Malformed(String),
    /// It ended before it was whole.
    Cut,
    /// The provider refuses; with its words.
    Refused(String),
}
