//! How requests leave: encrypted where the address says so, through a proxy where the environment
//! says so, and never for ever.

use crate::catalogue::environment::Environment;
use crate::error::ModelError;
use crate::secret::Secret;
use crate::wire::HttpRequest;
use reqwest::dns::Resolve;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Url};
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long and how often is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until a connection is there.
    pub connect: Duration,
    /// From then until the first byte of an answer: a local server may load a model first.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// How many times a provider is asked at most.
    pub attempts: u32,
    /// The wait before it is asked again, which doubles each time; where the provider does not say
    /// another.
    pub backoff: Duration,
    /// The longest wait that a provider may ask for; longer ones are an error at once.
    pub longest_wait: Duration,
}

impl Default for Limits {
    /// 10 s, 5 min, 120 s; 5 times, from 1 s, at most 2 min.
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

/// What sends requests. Cloning is cheap, and clones share their connections.
#[derive(Clone)]
pub struct Http(Arc<Shared>);

struct Shared {
    limits: Limits,
    proxies: Proxies,
    /// Made when they are first needed: reading the system's certificates takes time.
    encrypted: OnceLock<Client>,
    plain: OnceLock<Client>,
}

/// The proxies that the environment names.
struct Proxies {
    http: Option<String>,
    https: Option<String>,
    none: Option<String>,
}

/// The addresses of proxies may hold a password.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

impl Http {
    /// Proxies are those of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in small
    /// letters too. This machine is never asked for through one.
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

    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// The request of `provider`, ready to be sent.
    ///
    /// # Errors
    /// The address or a header is none.
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
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in &request.headers {
            let parsed = HeaderName::try_from(name.as_str()).ok();
            let (Some(parsed), Ok(mut value)) = (parsed, HeaderValue::try_from(value.expose()))
            else {
                return Err(wrong(format!(
                    "the header {name} cannot be sent: a key or header has a line end or a space too much"
                )));
            };
            value.set_sensitive(true);
            headers.insert(parsed, value);
        }
        let body = serde_json::to_vec(&request.body).map_err(|error| wrong(error.to_string()))?;
        Ok(self.client(provider, &url)?.post(url).headers(headers).body(body))
    }

    /// What asks at this address.
    ///
    /// # Errors
    /// There is no way to encrypt.
    pub(crate) fn client(&self, provider: &str, url: &Url) -> Result<Client, ModelError> {
        let shared = &*self.0;
        if url.scheme() == "http" {
            return built(&shared.plain, provider, || shared.builder().tls_certs_only([]));
        }
        built(&shared.encrypted, provider, || shared.builder())
    }

    /// Whether the environment names a proxy for addresses of this scheme.
    pub fn has_proxy(&self, scheme: &str) -> bool {
        let proxies = &self.0.proxies;
        if scheme == "http" { proxies.http.is_some() } else { proxies.https.is_some() }
    }

    /// What reads pages of the web: all of them through the person's proxy if `proxied`, else from
    /// addresses that `lookup` gives. It follows no redirect.
    ///
    /// # Errors
    /// There is no way to encrypt, or the proxy is no address.
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

    /// What asks at one place that is no provider, with these headers each time. Redirects are
    /// followed within that place: the headers go nowhere else. Blocks while the system's
    /// certificates are read.
    ///
    /// # Errors
    /// There is no way to encrypt.
    pub fn for_one_place(&self, url: &Url, headers: HeaderMap) -> reqwest::Result<Client> {
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

    /// The address as it is asked for.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn url(&self, provider: &str, url: &str) -> Result<Url, ModelError> {
        of_the_web(url).ok_or_else(|| ModelError::NotFound {
            provider: provider.to_owned(),
            url: without_login(url),
            said: "this is no address of the web".to_owned(),
        })
    }
}

fn of_the_web(url: &str) -> Option<Url> {
    Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Whether a request to this address can have these headers.
///
/// # Errors
/// A sentence that says what is wrong, without a header's value.
pub fn sendable(url: &str, headers: &[(String, Secret)]) -> Result<(), String> {
    if of_the_web(url).is_none() {
        return Err(format!(
            "{} is no address of the web: it has to begin with https://",
            without_login(url)
        ));
    }
    let wrong = headers.iter().find(|(name, value)| {
        HeaderName::from_bytes(name.as_bytes()).is_err()
            || HeaderValue::from_str(value.expose()).is_err()
    });
    match wrong {
        Some((name, _)) => Err(format!("the header {name:?} cannot be sent")),
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
        host: "any address, for there are no certificates to check it by (install ca-certificates)"
            .to_owned(),
        source: error.into(),
    })?;
    Ok(kept.get_or_init(|| client).clone())
}

/// Chooses what encrypts.
fn install_ring() {
    // An error means that somebody else chose one before, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
}

impl Shared {
    /// Without proxies.
    fn plain_builder(&self) -> ClientBuilder {
        let agent = concat!("attache/", env!("CARGO_PKG_VERSION"));
        // A redirect would carry the key elsewhere.
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
        // A proxy that is no address is as good as none: what cannot be reached is said then.
        for proxy in proxies.into_iter().flatten().flatten() {
            builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(&none)));
        }
        builder
    }
}

/// Parts of the names of query members whose values are secret, in small letters.
const SECRET_MEMBERS: [&str; 9] =
    ["key", "token", "secret", "pass", "pwd", "auth", "sig", "credential", "session"];

/// The address without the user and password that may stand in it, and with `…` in place of secrets
/// in its query: to be shown.
///
/// ```
/// let shown = attache_models::without_login("https://me:pw@host/v1?api_key=k&region=eu");
/// assert_eq!(shown, "https://host/v1?api_key=…&region=eu");
/// ```
pub fn without_login(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    // What is no port belongs to a password, in which such a character was not escaped.
    let port = rest
        .get(..end)
        .and_then(|authority| authority.rsplit_once(':'))
        .map_or("", |(_, port)| port);
    let is_cut = !port.ends_with(']')
        && !port.chars().all(|digit| digit.is_ascii_digit())
        && !port.contains('@');
    let authority_end = if is_cut { rest.rfind('@').map_or(end, |at| at.max(end)) } else { end };
    let (authority, path) = rest.split_at(authority_end);
    let host = match authority_end == end {
        true => authority.rsplit_once('@').map_or(authority, |(_, host)| host),
        false => "",
    };
    let path = if authority_end == end { path } else { path.trim_start_matches('@') };
    let shown = format!("{host}{}", without_secrets(path));
    if scheme.is_empty() { shown } else { format!("{scheme}://{shown}") }
}

/// The path with `…` in place of the values of members of its query that are secret by their names.
fn without_secrets(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let member = |member: &str| match member.split_once('=') {
        Some((name, _)) if SECRET_MEMBERS.iter().any(|part| name.to_lowercase().contains(part)) => {
            format!("{name}=…")
        }
        _ => member.to_owned(),
    };
    let members: Vec<String> = query.split('&').map(member).collect();
    format!("{path}?{}", members.join("&"))
}

/// Whether the address is on this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let host =
        Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{Http, Limits, is_loopback, without_login};

    #[test]
    fn what_is_on_this_machine_is_known() {
        for (url, expected) in [
            ("http://localhost:1/v1", true),
            ("http://127.3.2.1/v1", true),
            ("http://[::1]:8080", true),
            ("http://api.localhost", true),
            ("https://localhost.example.org", false),
            ("http://10.0.0.1", false),
            ("none", false),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }

    #[test]
    fn passwords_in_addresses_are_not_shown() {
        for (url, expected) in [
            ("https://user:pass@host:1/v1?x=@", "https://host:1/v1?x=@"),
            ("https://host/a@b", "https://host/a@b"),
            ("user:p@ss@host", "host"),
            ("https://me:pa/ss@host/v1", "https://host/v1"),
            ("https://me:p?key=1@host", "https://host"),
            ("http://[::1]:8080/v1?a=b", "http://[::1]:8080/v1?a=b"),
            ("http://host:80/a@b", "http://host:80/a@b"),
            (
                "https://host/v1?Api-Key=s&b=1&access_token=t&c",
                "https://host/v1?Api-Key=…&b=1&access_token=…&c",
            ),
        ] {
            assert_eq!(without_login(url), expected);
        }
        let proxy =
            |name: &str| (name == "https_proxy").then(|| "http://user:secret@proxy:1".to_owned());
        let http = Http::new(&proxy, Limits::default());
        http.client("p", &"https://example.org".parse().unwrap()).unwrap();
        assert!(!format!("{http:?}").contains("secret"));
    }
}
