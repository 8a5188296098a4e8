//! HTTP requests to one server.

use super::address::{RemoteAddress, Wire};
use super::cookies::Cookies;
use super::remote_error::RemoteError;
use attache_protocol::Secret;
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use std::sync::Arc;
use std::time::Duration;

/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(15);

/// HTTP requests to one server, with its token and cookies.
pub(crate) struct Requests {
    client: Client,
    url: Url,
    pub(crate) host: String,
    token: Option<HeaderValue>,
    cookies: Arc<Cookies>,
}

impl Requests {
    pub(crate) fn new(
        address: &RemoteAddress,
        token: Option<Secret>,
        cookies: Arc<Cookies>,
    ) -> Result<Self, RemoteError> {
        // An error means that another crypto provider is already installed.
        drop(rustls::crypto::ring::default_provider().install_default());
        // A redirect could send the token to another server.
        let builder = Client::builder()
            .user_agent(concat!("attache/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .connect_timeout(CONNECT);
        let builder = match address.wire {
            Wire::WebSocket => builder.http1_only(),
            Wire::Streamable => builder,
        };
        let builder = match address.url.scheme() {
            // A proxy would read the token.
            "http" => builder.no_proxy().tls_certs_only([]),
            _ => builder,
        };
        let client = builder.build().map_err(|error| RemoteError::NoTls(error.into()))?;
        let token = token.map(|token| bearer(&token)).transpose()?;
        let (url, host) = (address.url.clone(), address.host.clone());
        Ok(Self { client, url, host, token, cookies })
    }

    /// Begins a request, with the token and the cookies.
    pub(crate) fn begin(&self, method: Method) -> RequestBuilder {
        let request = self.client.request(method, self.url.clone());
        let token = self.token.iter().map(|token| (AUTHORIZATION, token.clone()));
        let cookies = self.cookies.header().into_iter().map(|header| (COOKIE, header));
        request.headers(token.chain(cookies).collect())
    }

    /// Sends a request, and returns the response if its status is the expected one.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        expected: StatusCode,
    ) -> Result<Response, RemoteError> {
        let response = request.send().await.map_err(|error| self.failed(error))?;
        self.cookies.store(response.headers());
        let host = self.host.clone();
        match response.status() {
            status if status == expected => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(RemoteError::Unauthorized { host, had_token: self.token.is_some() })
            }
            status => Err(RemoteError::Refused { host, status: status.as_u16() }),
        }
    }

    pub(crate) fn failed(&self, error: reqwest::Error) -> RemoteError {
        RemoteError::of_request(&self.host, error)
    }

    /// The error for a server that does something that no server of ACP does.
    pub(crate) fn not_acp(&self, did: impl Into<String>) -> RemoteError {
        RemoteError::NotAcp { host: self.host.clone(), did: did.into() }
    }

    /// The error of the first request: a status that refuses it means another kind of server,
    /// unless it says that the server cannot serve now.
    pub(crate) fn first_failed(&self, error: RemoteError) -> RemoteError {
        match error {
            error if error.is_outage() => error,
            RemoteError::Refused { status, .. } => {
                self.not_acp(format!("answered with the HTTP status {status}"))
            }
            other => other,
        }
    }
}

/// The header with the token. It never appears in logs.
fn bearer(token: &Secret) -> Result<HeaderValue, RemoteError> {
    let header = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
    let mut header = header
        .map_err(|_| RemoteError::Address("the token contains characters of no token".into()))?;
    header.set_sensitive(true);
    Ok(header)
}
