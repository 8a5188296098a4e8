//! The tool `fetch`: reads a web page as text.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::files::file_access::run_reading;
use crate::tools::fit::{code, counted, one_line};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::thread::blocking;
use crate::tools::tool::{ConcurrentTool, PrepareFuture, Tool};
use crate::tools::tool_result::{CANCELLED, Finding, Reading, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox, report};
use crate::tools::web::page::{self, Kind};
use crate::tools::web::public_address::{self, Lookup, NotPublic};
use attache_agent::{Error, Result, ToolCallHandle, ToolKind};
use attache_policy::{Effect, Touch};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Response, Url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;
use std::time::Duration;

/// The time limit for a whole page.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// The maximum size of a page, in bytes.
const MAX_PAGE: usize = 5 * 1024 * 1024;

/// The maximum part of a page for the person, in bytes of JSON.
const MAX_SHOWN: usize = 4 * 1024;

/// The maximum number of redirects.
const MAX_REDIRECTS: usize = 5;

/// The accepted media types.
const WANTED: &str =
    "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.1";

/// A request to fetch a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fetch {
    /// The address of the page.
    pub(crate) url: String,
}

/// A fetched page.
struct Page {
    /// The address after all redirects.
    url: Url,
    content_type: String,
    body: Vec<u8>,
    /// Whether the page is longer than the limit.
    cut: bool,
}

impl Fetch {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("fetch", arguments)
    }

    fn url(&self) -> std::result::Result<Url, String> {
        let url = Url::parse(self.url.trim())
            .map_err(|error| format!("this is not a web address: {error}"))?;
        match url.scheme() {
            "http" | "https" if url.has_host() => {}
            scheme => return Err(format!("only http and https are fetched, not {scheme}")),
        }
        match url.username().is_empty() && url.password().is_none() {
            true => Ok(url),
            false => Err("the address contains a user name or a password: remove them".to_owned()),
        }
    }
}

impl Tool for Fetch {
    fn spec(&self) -> ToolSpec {
        spec(
            "fetch",
            "Read a web page as Markdown, text or JSON. This asks the person unless a rule allows the host.",
            json!({"url": text("Its address, http or https.")}),
            &["url"],
        )
    }

    fn name(&self) -> &str {
        "fetch"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Fetch
    }

    fn is_cancellable(&self) -> bool {
        true
    }

    fn title(&self) -> String {
        // The host and path of the URL, without the parts that may be secret.
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

    fn input(&self) -> Value {
        json!({ "url": self.url })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_address(&self.url)]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Fetches { url: &self.url }
    }

    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(
            self.url().map(|url| Prepared::showing(shown(&url))).map_err(PrepareError::from),
        ))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(async move {
            let reading = self.read(toolbox, call).await?;
            Ok(toolbox.take(reading))
        })
    }

    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        Some(self)
    }
}

impl ConcurrentTool for Fetch {
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading> {
        Box::pin(async move { self.fetch(toolbox, call).await.map(Reading::from) })
    }
}

impl Fetch {
    /// Fetches a page that the person or a rule has allowed.
    async fn fetch(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let by_rule = call.approval.decision().effect == Effect::Allow;
        let (handle, _, _) = call.start().await?;
        let url = match self.url() {
            Ok(url) => url,
            Err(why) => return toolbox.failed(handle, &why).await,
        };
        let private = public_address::says_private(&url);
        // If the URL itself contains an address that is not public, the person saw that address in
        // the question. A host name does not show its addresses, so only a rule can allow a host
        // whose addresses are not public.
        let page = linked_page(toolbox, url, private || by_rule);
        let fetched = tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => return Err(Error::Cancelled),
            () = handle.cancelled() => return toolbox.failed(handle, CANCELLED).await,
            fetched = tokio::time::timeout(TIME_LIMIT, page) => fetched,
        };
        match fetched {
            Ok(Ok(page)) => show(toolbox, handle, page).await,
            Ok(Err(why)) => toolbox.failed(handle, &why).await,
            Err(_) => {
                let why = format!(
                    "the page did not arrive within {}",
                    counted(TIME_LIMIT.as_secs(), "second")
                );
                toolbox.failed(handle, &why).await
            }
        }
    }
}

/// Returns the page at the address, after redirects to the same host or to hosts that a rule
/// allows.
async fn linked_page(
    toolbox: &Toolbox<'_>,
    mut url: Url,
    any: bool,
) -> std::result::Result<Page, String> {
    let mut any = any;
    for _ in 0..=MAX_REDIRECTS {
        let response = asked(toolbox, &url, any).await?;
        let Some(next) = redirect_target(&url, &response)? else {
            return page(url, response).await;
        };
        if next.host() != url.host() || next.port_or_known_default() != url.port_or_known_default()
        {
            let fetch = Fetch { url: next.to_string() };
            let decision = toolbox.decision(&fetch).await.map_err(|error| error.to_string())?;
            if decision.effect != Effect::Allow {
                return Err(format!(
                    "{} redirects to another host: fetch {next} if that is what you want",
                    url.host_str().unwrap_or_default()
                ));
            }
            any = true;
        }
        url = next;
    }
    Err(format!("the page redirects more than {MAX_REDIRECTS} times"))
}

async fn asked(
    toolbox: &Toolbox<'_>,
    url: &Url,
    any: bool,
) -> std::result::Result<Response, String> {
    let host = url.host_str().unwrap_or_default();
    let proxied =
        !public_address::says_private(url) && toolbox.models.http().has_proxy(url.scheme());
    if !any && public_address::says_private(url) {
        return Err(format!("{host} is an address of this machine or its network"));
    }
    // A proxy resolves names itself, so the addresses that the name has here are checked as well.
    if proxied
        && let Err(error) = public_address::addresses(host, any).await
        && error.is::<NotPublic>()
    {
        return Err(error.to_string());
    }
    let client = toolbox.models.http().reader(url.scheme(), proxied, Lookup { any });
    let client =
        client.map_err(|error| format!("the HTTP client could not be created: {error}"))?;
    let request = client.get(url.clone()).header(ACCEPT, HeaderValue::from_static(WANTED));
    request.send().await.map_err(|error| unreachable_message(host, &error))
}

async fn show(toolbox: &Toolbox<'_>, mut handle: ToolCallHandle, page: Page) -> Result<ToolResult> {
    let Page { url, content_type, body, cut } = page;
    let length = body.len() as u64;
    let kind = page::kind(&content_type, &body);
    if kind == Kind::Other {
        let what = one_line(&content_type, 80);
        let why = format!(
            "{url} is not text ({what}, {}): it cannot be read here",
            counted(length, "byte")
        );
        return toolbox.failed(handle, &why).await;
    }
    let of_type = content_type.clone();
    let text = run_reading(toolbox.turn, move |_| {
        let text = page::decoded(&of_type, &body, kind);
        if kind == Kind::Html { page::markdown(&text) } else { text }
    });
    let text = text.await?;
    let cut = if cut { format!(", the first {MAX_PAGE} bytes") } else { String::new() };
    let end = format!("{}{cut}", counted(length, "byte"));
    report(
        &mut handle,
        json!({ "url": url.as_str(), "contentType": content_type, "bytes": length }),
    )
    .await?;
    handle
        .text(crate::tools::fit::code_block(&crate::tools::fit::ends_within(&text, MAX_SHOWN)))
        .await?;
    handle.complete().await?;
    let text = format!("{url}\n\n{}\n[{end}]", text.trim());
    Ok(ToolResult::done(text, Finding::Nothing))
}
/// The whole address, which is shown to the person before it is fetched.
fn shown(url: &Url) -> String {
    let mut shown = code(url.as_str());
    if public_address::says_private(url) {
        shown.push_str("\n\nThis is an address of this machine or its network.");
    }
    shown
}

/// The target of the redirect, if the response is one.
fn redirect_target(url: &Url, response: &Response) -> std::result::Result<Option<Url>, String> {
    if !response.status().is_redirection() {
        return Ok(None);
    }
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(next) = location.and_then(|location| url.join(location).ok()) else {
        return Err(format!(
            "the server sent the redirect {} without an address",
            response.status()
        ));
    };
    let next = Fetch { url: next.to_string() }.url()?;
    match (url.scheme(), next.scheme()) {
        ("https", "http") => Err(format!("the page redirects to {next}, which is not encrypted")),
        _ => Ok(Some(next)),
    }
}

/// Reads the response, up to the limit.
async fn page(url: Url, mut response: Response) -> std::result::Result<Page, String> {
    let status = response.status();
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_owned();
    let (mut body, mut cut) = (Vec::new(), false);
    let broken = |error: reqwest::Error| format!("the page ended early: {}", error.without_url());
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        let room = MAX_PAGE - body.len();
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

/// The reason why a request failed, without the address, which may contain secrets.
fn unreachable_message(host: &str, error: &reqwest::Error) -> String {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let mut last = String::new();
    while let Some(error) = cause {
        if let Some(not_public) = error.downcast_ref::<NotPublic>() {
            return format!("{not_public}: it can be fetched only if a rule allows the host");
        }
        last = error.to_string();
        cause = error.source();
    }
    format!("{host} cannot be reached: {}", one_line(&last, 200))
}

#[cfg(test)]
mod tests {
    use super::{Fetch, Tool as _, unreachable_message};
    use crate::models::{Http, Limits};
    use crate::tools::web::public_address::Lookup;

    #[test]
    fn title_has_host_and_path_without_secrets() {
        for (url, title) in [
            ("https://example.org/a/b?key=secret#x", "Fetch example.org/a/b?…"),
            ("http://EXAMPLE.org:8080", "Fetch example.org:8080/"),
            ("https://dоcs.rs/", "Fetch xn--dcs-sed.rs/"),
            ("no\u{1b}[31m address", "Fetch no [31m address"),
        ] {
            assert_eq!(Fetch { url: url.to_owned() }.title(), title);
        }
    }

    /// The connection uses the checked addresses, so a name that leads to this machine is always
    /// refused.
    #[tokio::test]
    async fn name_that_leads_to_this_machine_is_refused() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
        let http = Http::new(&|_| None, Limits::default());
        let client = http.reader("http", false, Lookup { any: false }).unwrap();
        let why = unreachable_message("localhost", &client.get(&url).send().await.unwrap_err());
        assert!(why.contains("localhost leads to") && why.contains("only if a rule"), "{why}");
    }
}
