//! Providers, and what the adapter of a wire does.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod draft;
pub(crate) mod form;
pub(crate) mod gemini;
pub(crate) mod halves;
pub(crate) mod history;
pub(crate) mod responses;

use crate::event::TokenUsage;
use crate::http::without_login;
use crate::message::{ModelId, Request};
use crate::secret::Secret;
use crate::sse::SseEvent;
use crate::wire::anthropic::stream as anthropic_stream;
use crate::wire::chat::stream as chat_stream;
use crate::wire::draft::Draft;
use crate::wire::gemini::stream as gemini_stream;
use crate::wire::responses::stream as responses_stream;
use serde::Deserialize;
use serde_json::Value;
use std::fmt;

/// Which wire a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// OpenAI Chat Completions, and what calls itself compatible with it.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
}

/// What a provider wants otherwise than the others that speak [`Wire::Chat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    #[default]
    Plain,
    OpenAi,
    OpenRouter,
    Qwen,
    Moonshot,
    Mistral,
}

/// Who answers: where, and with which key.
#[derive(Clone, PartialEq, Eq)]
pub struct Provider {
    /// The id of [`ModelId::provider`].
    pub id: String,
    /// The name for people, such as `Anthropic`.
    pub name: String,
    pub wire: Wire,
    pub dialect: Dialect,
    /// Without a slash at the end. For [`Wire::Chat`] and [`Wire::Responses`] with the version
    /// (`https://api.openai.com/v1`); for the others it may be there or not.
    pub base_url: String,
    pub key: Option<Secret>,
    /// The environment variable that holds the key, for error messages.
    pub key_variable: Option<String>,
    /// The key goes as `Authorization: Bearer` where the wire has a header of its own for it.
    pub bearer: bool,
    /// Sent with every request; they come after those of the wire and replace them.
    pub headers: Vec<(String, Secret)>,
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

/// An address may hold a password.
impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut provider = f.debug_struct("Provider");
        provider.field("id", &self.id).field("wire", &self.wire).field("dialect", &self.dialect);
        provider.field("base_url", &without_login(&self.base_url)).field("key", &self.key);
        provider.field("key_variable", &self.key_variable).field("headers", &self.headers);
        provider.finish_non_exhaustive()
    }
}

impl Provider {
    /// A provider without key and headers.
    pub fn new(id: &str, name: &str, wire: Wire, base_url: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            wire,
            dialect: Dialect::Plain,
            base_url: base_url.trim_end_matches('/').to_owned(),
            key: None,
            key_variable: None,
            bearer: false,
            headers: Vec::new(),
        }
    }

    pub fn key(mut self, variable: Option<&str>, key: impl Into<Secret>) -> Self {
        self.key = Some(key.into());
        self.key_variable = variable.map(str::to_owned);
        self
    }

    /// Whether it runs on this machine.
    pub fn is_local(&self) -> bool {
        crate::http::is_loopback(&self.base_url)
    }

    /// The request on this provider's wire.
    pub(crate) fn http_request(&self, request: &Request) -> HttpRequest {
        let base = self.base_url.as_str();
        let unversioned = ["/v1beta", "/v1"]
            .iter()
            .find_map(|version| base.strip_suffix(version))
            .unwrap_or(base);
        let (url, body) = match self.wire {
            Wire::Chat => (format!("{base}/chat/completions"), chat::body(self.dialect, request)),
            Wire::Responses => (format!("{base}/responses"), responses::body(request)),
            Wire::Anthropic => (format!("{unversioned}/v1/messages"), anthropic::body(request)),
            Wire::Gemini => {
                let model = request.model.name.trim_start_matches("models/");
                let url =
                    format!("{unversioned}/v1beta/models/{model}:streamGenerateContent?alt=sse");
                (url, gemini::body(request))
            }
        };
        HttpRequest { url, headers: self.request_headers(request), body }
    }

    /// The headers of every request to this provider.
    pub(crate) fn request_headers(&self, request: &Request) -> Vec<(String, Secret)> {
        let mut headers = Vec::new();
        let key = self.key.as_ref().map(Secret::expose);
        let bearer =
            |key: &str| ("authorization".to_owned(), Secret::from(format!("Bearer {key}")));
        match (self.wire, key) {
            (Wire::Anthropic, Some(key)) if !self.bearer => {
                headers.push(("x-api-key".to_owned(), key.into()))
            }
            (Wire::Gemini, Some(key)) if !self.bearer => {
                headers.push(("x-goog-api-key".to_owned(), key.into()))
            }
            (_, Some(key)) => headers.push(bearer(key)),
            (_, None) => {}
        }
        if self.wire == Wire::Anthropic {
            headers.extend(anthropic::headers(request));
        }
        for (name, value) in &self.headers {
            let name = name.to_ascii_lowercase();
            headers.retain(|(other, _)| *other != name);
            headers.push((name, value.clone()));
        }
        headers
    }

    /// What reads an answer on this provider's wire.
    pub(crate) fn decoder(&self) -> Box<dyn Decoder> {
        match self.wire {
            Wire::Chat => Box::<chat_stream::ChatStream>::default(),
            Wire::Responses => Box::<responses_stream::ResponsesStream>::default(),
            Wire::Anthropic => Box::<anthropic_stream::AnthropicStream>::default(),
            Wire::Gemini => Box::<gemini_stream::GeminiStream>::default(),
        }
    }

    /// The provider's model of this name.
    pub fn model(&self, name: &str) -> ModelId {
        ModelId::new(self.id.as_str(), name)
    }

    /// The text without any secret of this provider.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        let secrets =
            self.key.iter().chain(self.headers.iter().map(|(_, value)| value)).map(Secret::expose);
        // Short values are no secrets, and replacing them would garble the text.
        let secrets = secrets.filter(|secret| secret.len() >= 6);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "<hidden>"))
    }
}
