//! The HTTP client, with TLS, proxies from the environment, and time limits.

use crate::address::without_login;
use crate::environment::Environment;
use crate::error::ModelError;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::wire::adapter::HttpRequest;
use reqwest::dns::Resolve;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Response, Url};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Time limits and the maximum number of attempts for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time limit for connecting.
    pub connect: Duration,
    /// The time limit for the first byte of an answer. A local server may have to load the model
    /// first.
    pub first_byte: Duration,
    /// The time limit for each further piece of an answer.
    pub idle: Duration,
    /// The maximum number of attempts.
    pub attempts: u32,
    /// The wait before the second attempt. It doubles each time. A wait that the provider requests
    /// takes precedence.
    pub backoff: Duration,
    /// The maximum wait that a provider may request. If the provider requests a longer one, the
    /// call fails at once.
    pub longest_wait: Duration,
}

impl Default for Limits {
    /// 10 s to connect, 5 min to the first byte, 120 s between pieces; 5 attempts, a wait of 1 s
    /// before the second, and requested waits of at most 2 min.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
            attempts: 5,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_secs(120),
        }
    }
}

/// The maximum size of an answer about models, in bytes, except for OpenRouter's list.
pub(crate) const USUAL_BODY: usize = 1 << 20;

/// An HTTP client. Clones are cheap and share their connections.
#[derive(Clone)]
pub struct Http(Arc<Shared>);

struct Shared {
    limits: Limits,
    proxies: Proxies,
    /// Clients are created at first use, because reading the system's certificates takes time.
    encrypted: OnceLock<Client>,
    plain: OnceLock<Client>,
}

/// The proxy settings from the environment.
struct Proxies {
    http: Option<String>,
    https: Option<String>,
    none: Option<String>,
}

/// Leaves the proxies out: their addresses may contain a password.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

impl Http {
    /// Creates a client. It uses the proxies that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
    /// `NO_PROXY` set, in upper or lower case. Requests to this machine never use a proxy.
    pub fn new(environment: Environment<'_>, limits: Limits) -> Self {
        let either = |name: &str| {
            let value = environment(&name.to_lowercase()).or_else(|| environment(name));
            value.filter(|value| !value.trim().is_empty())
        };
        let all = either("ALL_PROXY");
        let proxies = Proxies {
            http: either("HTTP_PROXY").or_else(|| all.clone()),
            https: either("HTTPS_PROXY").or(all),
            none: either("NO_PROXY"),
        };
        Self(Arc::new(Shared {
            limits,
            proxies,
            encrypted: OnceLock::new(),
            plain: OnceLock::new(),
        }))
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// Returns the HTTP request for a call to `provider`, ready to be sent.
    ///
    /// # Errors
    /// Returns an error if the address or a header is invalid.
    pub(crate) fn post(
        &self,
        provider: &str,
        request: &HttpRequest,
    ) -> Result<reqwest::RequestBuilder, ModelError> {
        let wrong = |said: String| ModelError::BadRequest {
            provider: provider.to_owned(),
            status: 0,
            said,
        };
        let url = self.url(provider, &request.url)?;
        let mut headers = header_map(&request.headers).map_err(wrong)?;
        headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        let body = serde_json::to_vec(&request.body).map_err(|error| wrong(error.to_string()))?;
        Ok(self.client(provider, &url)?.post(url).headers(headers).body(body))
    }

    /// Returns a request for what `provider` tells at this address about its models.
    ///
    /// # Errors
    /// Returns an error if a header is invalid.
    pub(crate) fn get(
        &self,
        provider: &Provider,
        url: &Url,
    ) -> Result<reqwest::RequestBuilder, ModelError> {
        let wrong = |said: String| ModelError::BadRequest {
            provider: provider.name.clone(),
            status: 0,
            said,
        };
        let headers = header_map(&provider.list_headers()).map_err(wrong)?;
        Ok(self.client(&provider.name, url)?.get(url.clone()).headers(headers))
    }

    /// Returns the client for this address.
    ///
    /// # Errors
    /// Returns an error if TLS is not available.
    pub(crate) fn client(&self, provider: &str, url: &Url) -> Result<Client, ModelError> {
        let shared = &*self.0;
        if url.scheme() == "http" {
            return built(&shared.plain, provider, || shared.builder().tls_certs_only([]));
        }
        built(&shared.encrypted, provider, || shared.builder())
    }

    /// Returns whether the environment sets a proxy for this URL scheme.
    pub fn has_proxy(&self, scheme: &str) -> bool {
        let proxies = &self.0.proxies;
        if scheme == "http" { proxies.http.is_some() } else { proxies.https.is_some() }
    }

    /// Returns a client for web pages. It uses the user's proxy if `proxied` is true and there is
    /// one; otherwise it resolves host names with `lookup`. It does not follow redirects.
    ///
    /// # Errors
    /// Returns an error if TLS is not available, or if the address of the proxy is invalid.
    pub fn reader(
        &self,
        scheme: &str,
        proxied: bool,
        lookup: impl Resolve + 'static,
    ) -> Result<Client, reqwest::Error> {
        install_ring();
        let shared = &*self.0;
        let mut builder = shared.plain_builder();
        if scheme == "http" {
            builder = builder.tls_certs_only([]);
        }
        let proxy = if scheme == "http" { &shared.proxies.http } else { &shared.proxies.https };
        match proxy.as_deref().filter(|_| proxied) {
            Some(proxy) => builder.proxy(Proxy::all(proxy)?).build(),
            None => builder.dns_resolver(Arc::new(lookup)).build(),
        }
    }

    /// Returns a client for one server that is not a provider. It sends these headers with every
    /// request, and follows redirects only to the same server. Creating it blocks while the
    /// system's certificates are read.
    ///
    /// # Errors
    /// Returns an error if TLS is not available.
    pub fn for_server(&self, url: &Url, headers: HeaderMap) -> reqwest::Result<Client> {
        install_ring();
        let builder =
            self.0.builder().default_headers(headers).redirect(Policy::custom(|attempt| {
                let before = attempt.previous();
                let same =
                    before.last().is_some_and(|before| before.origin() == attempt.url().origin());
                match same && before.len() <= 5 {
                    true => attempt.follow(),
                    false => attempt.stop(),
                }
            }));
        if url.scheme() == "http" { builder.tls_certs_only([]).build() } else { builder.build() }
    }

    /// Parses an address.
    ///
    /// # Errors
    /// Returns an error if the address is not an `http` or `https` URL.
    pub(crate) fn url(&self, provider: &str, url: &str) -> Result<Url, ModelError> {
        web_url(url).ok_or_else(|| ModelError::NotFound {
            provider: provider.to_owned(),
            url: without_login(url),
            said: "the address must begin with http:// or https://".to_owned(),
        })
    }
}

/// Reads the body of a response. `None` if it has more than `limit` bytes.
///
/// # Errors
/// Returns an error if the connection breaks.
pub(crate) async fn body_within(
    mut response: Response,
    limit: usize,
) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if body.len() + piece.len() > limit {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

/// Returns these headers, whose values are not logged.
fn header_map(headers: &[(String, Secret)]) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let parsed = HeaderName::try_from(name.as_str()).ok();
        let (Some(parsed), Ok(mut value)) = (parsed, HeaderValue::try_from(value.expose())) else {
            return Err(format!(
                "the header {name} cannot be sent: the key or the header contains a line break or an extra space"
            ));
        };
        value.set_sensitive(true);
        map.insert(parsed, value);
    }
    Ok(map)
}

fn web_url(url: &str) -> Option<Url> {
    Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Checks that a request can be sent to this address with these headers.
///
/// # Errors
/// Returns the reason as one sentence, which contains no header values.
pub(crate) fn check_request(url: &str, headers: &[(String, Secret)]) -> Result<(), String> {
    if web_url(url).is_none() {
        return Err(format!(
            "{} is not a web address: it must begin with https://",
            without_login(url)
        ));
    }
    let wrong = headers.iter().find(|(name, value)| {
        HeaderName::from_bytes(name.as_bytes()).is_err()
            || HeaderValue::from_str(value.expose()).is_err()
    });
    match wrong {
        Some((name, _)) => Err(format!("the header {name:?} has an invalid name or value")),
        None => Ok(()),
    }
}

fn built(
    kept: &OnceLock<Client>,
    provider: &str,
    builder: impl FnOnce() -> ClientBuilder,
) -> Result<Client, ModelError> {
    if let Some(client) = kept.get() {
        return Ok(client.clone());
    }
    install_ring();
    let client = builder().build().map_err(|error| ModelError::NoNetwork {
        provider: provider.to_owned(),
        host: "any address, because this system has no certificates (install ca-certificates)"
            .to_owned(),
        source: error.into(),
    })?;
    Ok(kept.get_or_init(|| client).clone())
}

/// Makes `ring` the crypto provider of rustls.
fn install_ring() {
    // An error means that another crypto provider is already installed.
    drop(rustls::crypto::ring::default_provider().install_default());
}

impl Shared {
    /// Returns a builder that uses no proxy.
    fn plain_builder(&self) -> ClientBuilder {
        let agent = concat!("attache/", env!("CARGO_PKG_VERSION"));
        // A redirect could send the key to another server.
        let redirect = Policy::none();
        Client::builder()
            .user_agent(agent)
            .connect_timeout(self.limits.connect)
            .redirect(redirect)
            .no_proxy()
    }

    fn builder(&self) -> ClientBuilder {
        let mut builder = self.plain_builder();
        let loopback = "localhost,127.0.0.0/8,::1";
        let none = self
            .proxies
            .none
            .as_deref()
            .map_or_else(|| loopback.to_owned(), |none| format!("{none},{loopback}"));
        let proxies = [
            self.proxies.http.as_deref().map(Proxy::http),
            self.proxies.https.as_deref().map(Proxy::https),
        ];
        // An invalid proxy is ignored. Requests then report that the server cannot be reached.
        for proxy in proxies.into_iter().flatten().flatten() {
            builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(&none)));
        }
        builder
    }
}

#[cfg(test)]
mod tests {
    use super::{Http, Limits};

    #[test]
    fn debug_output_hides_the_password_of_a_proxy() {
        let proxy =
            |name: &str| (name == "https_proxy").then(|| "http://user:secret@proxy:1".to_owned());
        let http = Http::new(&proxy, Limits::default());
        http.client("p", &"https://example.org".parse().unwrap()).unwrap();
        assert!(!format!("{http:?}").contains("secret"));
    }
}
