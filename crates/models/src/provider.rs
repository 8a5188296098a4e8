//! A model provider: its address, its wire and its key.

use crate::address::{is_loopback, is_same_server, without_login};
use crate::message::{ModelId, Request};
use crate::secret::Secret;
use crate::wire::Wire;
use crate::wire::adapter::{Decoder, HttpRequest};
use crate::wire::chat::dialect::Dialect;
use std::fmt;

/// The usual address of Ollama.
const OLLAMA: &str = "http://127.0.0.1:11434/v1";

/// The header with the beta features of Anthropic.
const BETA: &str = "anthropic-beta";

/// A model provider.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Provider {
    /// The id, as in [`ModelId::provider`].
    pub id: String,
    /// The display name, such as `Anthropic`.
    pub name: String,
    pub wire: Wire,
    pub dialect: Dialect,
    /// The base address, without a slash at its end. For [`Wire::Chat`] and [`Wire::Responses`] it
    /// contains the version (`https://api.openai.com/v1`); for the others it may.
    pub base_url: String,
    pub key: Option<Secret>,
    /// The environment variable that contains the key, for error messages.
    pub key_variable: Option<String>,
    /// Whether the key is sent as `Authorization: Bearer`, although the wire has its own header.
    pub bearer: bool,
    /// Headers for every request. They replace headers of the same name that the wire sets, except
    /// that lists of beta features are joined.
    pub headers: Vec<(String, Secret)>,
}

/// Shows the address without secrets, because it may contain a password.
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
    /// Creates a provider without a key and without headers.
    pub(crate) fn new(id: &str, name: &str, wire: Wire, base_url: &str) -> Self {
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

    pub(crate) fn key(mut self, variable: Option<&str>, key: impl Into<Secret>) -> Self {
        self.key = Some(key.into());
        self.key_variable = variable.map(str::to_owned);
        self
    }

    /// Returns whether the provider runs on this machine.
    pub(crate) fn is_local(&self) -> bool {
        is_loopback(&self.base_url)
    }

    /// Returns whether the server is Ollama, by its id or its port.
    pub(crate) fn is_ollama(&self) -> bool {
        self.id == "ollama" || is_same_server(&self.base_url, OLLAMA)
    }

    /// Returns the HTTP request for a call, in the format of this provider's wire.
    pub(crate) fn http_request(&self, request: &Request) -> HttpRequest {
        let adapter = self.wire.adapter();
        HttpRequest {
            url: adapter.url(&self.base_url, &request.model.name),
            headers: self.request_headers(request),
            body: adapter.body(self.dialect, request),
        }
    }

    /// Returns the headers for a request.
    pub(crate) fn request_headers(&self, request: &Request) -> Vec<(String, Secret)> {
        self.headers_with(self.wire.adapter().headers(request))
    }

    /// Returns the headers for a question about models.
    pub(crate) fn list_headers(&self) -> Vec<(String, Secret)> {
        let version = ("anthropic-version".to_owned(), Secret::from("2023-06-01"));
        let of_wire = (self.wire == Wire::Anthropic).then_some(version);
        self.headers_with(of_wire.into_iter().collect())
    }

    /// Returns the key, these headers of the wire, and the headers of the configuration.
    fn headers_with(&self, of_wire: Vec<(String, Secret)>) -> Vec<(String, Secret)> {
        let adapter = self.wire.adapter();
        let mut headers = Vec::new();
        if let Some(key) = self.key.as_ref().map(Secret::expose) {
            headers.push(match adapter.key_header().filter(|_| !self.bearer) {
                Some(header) => (header.to_owned(), Secret::from(key)),
                None => ("authorization".to_owned(), Secret::from(format!("Bearer {key}"))),
            });
        }
        headers.extend(of_wire);
        for (name, value) in &self.headers {
            let name = name.to_ascii_lowercase();
            let mut value = value.clone();
            // The beta features of the request are needed in addition to those of the user.
            if name == BETA
                && let Some((_, beta)) = headers.iter().find(|(other, _)| *other == name)
            {
                value = Secret::from(format!("{},{}", value.expose(), beta.expose()));
            }
            headers.retain(|(other, _)| *other != name);
            headers.push((name, value));
        }
        headers
    }

    /// Returns a decoder for one answer in the format of this provider's wire.
    pub(crate) fn decoder(&self) -> Box<dyn Decoder> {
        self.wire.adapter().decoder()
    }

    /// Returns the id of a model of this provider.
    pub(crate) fn model(&self, name: &str) -> ModelId {
        ModelId::new(self.id.as_str(), name)
    }

    /// Returns the text with this provider's secrets replaced with `<hidden>`.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        let secrets =
            self.key.iter().chain(self.headers.iter().map(|(_, value)| value)).map(Secret::expose);
        // Short values are unlikely to be secrets, and replacing them would garble the text.
        let secrets = secrets.filter(|secret| secret.len() >= 6);
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "<hidden>"))
    }
}
