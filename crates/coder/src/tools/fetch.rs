//! The fetch tool: a page of the web as text.

use super::file_access::looking;
use super::fit::{code, counted, one_line};
use super::page::{self, Kind};
use super::public_address::{self, Lookup, NotPublic};
use super::thread::blocking;
use super::{Finding, ToolResult, Toolbox};
use attache_agent::{Error, NewToolCall, Result, ToolCallHandle};
use attache_policy::Effect;
use attache_protocol::v1::ContentBlock;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Response, Url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// How long a page may take, all of it.
const TIME: Duration = Duration::from_secs(30);

/// How much of a page is read, in bytes.
const READ: usize = 5 * 1024 * 1024;

/// How much of it the person sees, in bytes of JSON.
const SHOWN: usize = 4 * 1024;

/// How many times a page may send us on.
const REDIRECTS: usize = 5;

/// What is asked for.
const WANTED: &str =
    "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.1";

/// What to fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetch {
    /// Its address.
    pub(crate) url: String,
}

/// What came.
struct Page {
    /// Where it came from in the end.
    url: Url,
    content_type: String,
    body: Vec<u8>,
    /// Whether there is more than was read.
    cut: bool,
}

impl Fetch {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "url": self.url })
    }

    /// Host and path, without what may be secret.
    pub(super) fn title(&self) -> String {
        match self.url() {
            Ok(url) => {
                let host = url.host_str().unwrap_or_default();
                let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let query = if url.query().is_some() { "?…" } else { "" };
                format!("Fetch {host}{port}{}{query}", url.path())
            }
            Err(_) => format!("Fetch {}", one_line(&self.url, 100)),
        }
    }

    pub(super) fn url(&self) -> std::result::Result<Url, String> {
        let url = Url::parse(self.url.trim())
            .map_err(|error| format!("this is no address of the web: {error}"))?;
        match url.scheme() {
            "http" | "https" if url.has_host() => {}
            scheme => return Err(format!("only http and https are fetched, not {scheme}")),
        }
        match url.username().is_empty() && url.password().is_none() {
            true => Ok(url),
            false => Err("an address with a name or password in it is not fetched: leave them out"
                .to_owned()),
        }
    }
}

impl Toolbox<'_> {
    /// Fetches a page, if the person or a rule allows its host.
    pub(crate) async fn fetch(&mut self, fetch: &Fetch, call: NewToolCall) -> Result<ToolResult> {
        let url = match fetch.url() {
            Ok(url) => url,
            Err(why) => return self.failed(call.announce().await?, &why).await,
        };
        let action = super::Action::Fetch(fetch.clone());
        let by_rule = self.decide(&action).await?.effect == Effect::Allow;
        let handle = call.content(ContentBlock::text(shown(&url))).announce().await?;
        let mut handle = match self.permitted(handle, &action).await? {
            Ok(handle) => handle,
            Err(refused) => return Ok(refused),
        };
        handle.start().await?;
        self.fetched_page(url, by_rule, handle).await
    }

    /// Fetches a page that is allowed; `by_rule` if a rule allows it and not a person.
    pub(super) async fn fetched_page(
        &self,
        url: Url,
        by_rule: bool,
        handle: ToolCallHandle,
    ) -> Result<ToolResult> {
        let private = public_address::says_private(&url);
        // Whoever allowed such an address was shown it. A name that leads to one says nothing of
        // it, so only a rule for the name counts.
        let fetched = tokio::select! {
            biased;
            () = self.turn.cancelled() => return Err(Error::Cancelled),
            fetched = tokio::time::timeout(TIME, self.page(url, private || by_rule)) => fetched,
        };
        match fetched {
            Ok(Ok(page)) => self.fetched(handle, page).await,
            Ok(Err(why)) => self.failed(handle, &why).await,
            Err(_) => {
                let why =
                    format!("the page did not come within {}", counted(TIME.as_secs(), "second"));
                self.failed(handle, &why).await
            }
        }
    }

    /// The page behind the address and what it sends on to, on the same host or where a rule allows
    /// it.
    async fn page(&self, mut url: Url, any: bool) -> std::result::Result<Page, String> {
        let mut any = any;
        for _ in 0..=REDIRECTS {
            let response = self.asked(&url, any).await?;
            let Some(next) = sent_on(&url, &response)? else { return page(url, response).await };
            if next.host() != url.host()
                || next.port_or_known_default() != url.port_or_known_default()
            {
                let action = super::Action::Fetch(Fetch { url: next.to_string() });
                let verdict = self.decide(&action).await.map_err(|error| error.to_string())?;
                if verdict.effect != Effect::Allow {
                    return Err(format!(
                        "{} sends on to another host, {next}: fetch that if it is what you want",
                        url.host_str().unwrap_or_default()
                    ));
                }
                any = true;
            }
            url = next;
        }
        Err(format!("the page sends on more than {REDIRECTS} times"))
    }

    async fn asked(&self, url: &Url, any: bool) -> std::result::Result<Response, String> {
        let host = url.host_str().unwrap_or_default();
        let proxied =
            !public_address::says_private(url) && self.models.http().has_proxy(url.scheme());
        if !any && public_address::says_private(url) {
            return Err(format!("{host} is an address of this machine or its network"));
        }
        // A proxy looks names up itself; what is known here is checked all the same.
        if proxied
            && let Err(error) = public_address::addresses(host, any).await
            && error.is::<NotPublic>()
        {
            return Err(error.to_string());
        }
        let client = self.models.http().reader(url.scheme(), proxied, Lookup { any });
        let client = client.map_err(|error| format!("pages cannot be fetched: {error}"))?;
        let request = client.get(url.clone()).header(ACCEPT, HeaderValue::from_static(WANTED));
        request.send().await.map_err(|error| unreached(host, &error))
    }

    async fn fetched(&self, mut handle: ToolCallHandle, page: Page) -> Result<ToolResult> {
        let Page { url, content_type, body, cut } = page;
        let length = body.len() as u64;
        let kind = page::kind(&content_type, &body);
        if kind == Kind::Other {
            let what = one_line(&content_type, 80);
            let why = format!(
                "{url} is no text ({what}, {}): it cannot be read here",
                counted(length, "byte")
            );
            return self.failed(handle, &why).await;
        }
        let of_type = content_type.clone();
        let text = looking(self.turn, move |_| {
            let text = page::decoded(&of_type, &body, kind);
            if kind == Kind::Html { page::markdown(&text) } else { text }
        });
        let text = text.await?;
        let cut = if cut { format!(", the first {READ} bytes") } else { String::new() };
        let end = format!("{}{cut}", counted(length, "byte"));
        super::output(
            &mut handle,
            json!({ "url": url.as_str(), "contentType": content_type, "bytes": length }),
        )
        .await?;
        handle.text(super::fit::code_block(&super::fit::ends_within(&text, SHOWN))).await?;
        handle.complete().await?;
        let text = format!("{url}\n\n{}\n[{end}]", text.trim());
        Ok(ToolResult::done(text, Finding::Nothing))
    }
}

/// The address, whole, as a person sees it before it is fetched.
pub(super) fn shown(url: &Url) -> String {
    let mut shown = code(url.as_str());
    if public_address::says_private(url) {
        shown.push_str("\n\nThis is an address of this machine or its network.");
    }
    shown
}

/// Where the answer sends on to, if it does.
fn sent_on(url: &Url, response: &Response) -> std::result::Result<Option<Url>, String> {
    if !response.status().is_redirection() {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(next) = location.and_then(|location| url.join(location).ok()) else {
        return Err(format!("the server answered {} and nowhere to go", response.status()));
    };
    let next = Fetch { url: next.to_string() }.url()?;
    match (url.scheme(), next.scheme()) {
        ("https", "http") => Err(format!("the page sends on to {next}, which is not encrypted")),
        _ => Ok(Some(next)),
    }
}

/// Reads the answer, as much as is wanted.
async fn page(url: Url, mut response: Response) -> std::result::Result<Page, String> {
    let status = response.status();
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let (mut body, mut cut) = (Vec::new(), false);
    let broken = |error: reqwest::Error| format!("the page broke off: {}", error.without_url());
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        let room = READ - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            cut = true;
            break;
        }
    }
    if !status.is_success() {
        let kind = page::kind(&content_type, &body);
        let text = if kind == Kind::Other {
            String::new()
        } else {
            page::decoded(&content_type, &body, kind)
        };
        let text = if kind == Kind::Html {
            blocking(move |_| page::markdown(&text)).await.unwrap_or_default()
        } else {
            text
        };
        return Err(format!("the server answered {status}: {}", one_line(&text, 300)));
    }
    Ok(Page { url, content_type, body, cut })
}

/// Why nothing answered, without the address, which may hold secrets.
fn unreached(host: &str, error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut last = String::new();
    while let Some(error) = cause {
        if let Some(not_public) = error.downcast_ref::<NotPublic>() {
            return format!("{not_public}: only a rule that allows the host lets it be fetched");
        }
        last = error.to_string();
        cause = error.source();
    }
    format!("{host} cannot be reached: {}", one_line(&last, 200))
}

#[cfg(test)]
mod tests {
    use super::super::public_address::Lookup;
    use super::{Fetch, unreached};
    use crate::models::{Http, Limits};

    #[test]
    fn a_title_names_host_and_path_and_no_secrets() {
        for (url, title) in [
            ("https://example.org/a/b?key=secret#x", "Fetch example.org/a/b?…"),
            ("http://EXAMPLE.org:8080", "Fetch example.org:8080/"),
            ("https://dоcs.rs/", "Fetch xn--dcs-sed.rs/"),
            ("no\u{1b}[31m address", "Fetch no [31m address"),
        ] {
            assert_eq!(Fetch { url: url.to_owned() }.title(), title);
        }
    }

    /// What is looked up is what is connected to, so a name that leads here is refused whatever it
    /// is.
    #[tokio::test]
    async fn a_name_that_leads_to_this_machine_is_not_connected_to() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
        let http = Http::new(&|_| None, Limits::default());
        let client = http.reader("http", false, Lookup { any: false }).unwrap();
        let why = unreached("localhost", &client.get(&url).send().await.unwrap_err());
        assert!(why.contains("localhost leads to") && why.contains("only a rule"), "{why}");
    }
}
