//! How a server is reached: as a process of ours, by streamable HTTP, or by the transport that was
//! before it.

use super::client::Client;
use super::failure;
use super::legacy::Legacy;
use super::setup::Setup;
use super::stdout::{Seen, Stdout};
use crate::tools::fit::one_line;
use attache_host::{Child, ChildWatch, Launch};
use attache_protocol::v1::{HttpHeader, McpServer, McpServerStdio};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{PaginatedRequestParams, Tool};
use rmcp::service::{ClientLifecycleMode, Peer, RunningService, serve_client_with_lifecycle};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long the end of a process is waited for when its output has ended, to say how it ended.
const ENDING: Duration = Duration::from_millis(500);

/// How much of the last line of stderr is said, in characters.
const LAST_LINE: usize = 200;

/// How many tools of one server are known at most, and in how many pages they may come.
const TOOLS: usize = 1000;
const PAGES: usize = 50;

/// A server that answers.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) tools: Vec<Tool>,
    pub(super) instructions: Option<String>,
    /// Killed with this value.
    pub(super) _child: Option<Child>,
}

/// What is known of a server's process, whether it answers or not.
#[derive(Debug, Default)]
pub(super) struct Traces {
    watch: OnceLock<ChildWatch>,
    seen: OnceLock<Arc<Mutex<Seen>>>,
}

impl Traces {
    /// How the process ended, if it did or is about to, and what it wrote last.
    pub(super) async fn end(&self) -> Option<String> {
        if self.seen().is_some_and(|seen| seen.too_long) {
            return Some("it sent a message of more than 32 MiB".to_owned());
        }
        let watch = self.watch.get()?;
        let exit = tokio::time::timeout(ENDING, watch.wait()).await.ok()?;
        Some(format!("it ended: {exit}{}", self.last_words()))
    }

    /// What it wrote last, in brackets, if anything: to stderr, else to stdout where it does not
    /// belong.
    pub(super) fn last_words(&self) -> String {
        let stderr = self.watch.get().map(ChildWatch::stderr_tail).unwrap_or_default();
        let line = stderr.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let stray = || {
            let seen = self.seen()?;
            Some(String::from_utf8_lossy(&seen.stray).trim().to_owned())
                .filter(|stray| !stray.is_empty())
        };
        match (line, stray) {
            (Some(line), _) => format!(" (its last words: {})", one_line(&line, LAST_LINE)),
            (None, stray) => stray()
                .map(|stray| {
                    format!(" (it wrote what is no message: {})", one_line(&stray, LAST_LINE))
                })
                .unwrap_or_default(),
        }
    }

    fn seen(&self) -> Option<std::sync::MutexGuard<'_, Seen>> {
        Some(self.seen.get()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reaches a server and asks for its tools. Dropping the future leaves nothing behind.
///
/// # Errors
/// What went wrong, for a person; secrets may stand in it.
pub(super) async fn connect(
    given: &McpServer,
    setup: &Setup,
    client: Client,
    traces: &Traces,
) -> Result<Connection, String> {
    let (service, child) = match given {
        McpServer::Stdio(server) => {
            let (service, child) = process(server, setup, client, traces).await?;
            (service, Some(child))
        }
        McpServer::Http(server) => {
            let http = http(&server.url, &server.headers, setup).await?;
            let config = StreamableHttpClientTransportConfig::with_uri(server.url.as_str());
            let transport = StreamableHttpClientTransport::with_client(http, config);
            (serve(client, transport).await?, None)
        }
        McpServer::Sse(server) => {
            let http = http(&server.url, &server.headers, setup).await?;
            let transport = Legacy::connect(http, address(&server.url)?).await;
            let transport = transport.map_err(|error| failure::legacy(&error))?;
            (serve(client, transport).await?, None)
        }
        McpServer::Acp(_) => return Err("servers behind the client are not supported".to_owned()),
    };
    let tools = tools(service.peer()).await.map_err(|error| failure::not_answered(&error))?;
    let instructions = service.peer().peer_info().and_then(|info| info.instructions.clone());
    Ok(Connection { service, tools, instructions, _child: child })
}

/// All tools of a server, as far as they are taken.
pub(super) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let mut tools: Vec<Tool> = Vec::new();
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(tools);
    }
    let mut cursor = None;
    for _ in 0..PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(page)).await?;
        tools.extend(page.tools.into_iter().take(TOOLS.saturating_sub(tools.len())));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(tools)
}

async fn process(
    server: &McpServerStdio,
    setup: &Setup,
    client: Client,
    traces: &Traces,
) -> Result<(RunningService<RoleClient, Client>, Child), String> {
    let launch = Launch::new(server.command.as_str())
        .args(server.args.iter().map(String::as_str))
        .cwd(&setup.cwd);
    // What the client gives it by name comes after, and stays.
    let launch = setup.keys.iter().fold(launch, |launch, name| launch.env_remove(name.as_str()));
    let launch = server
        .env
        .iter()
        .fold(launch, |launch, each| launch.env(each.name.as_str(), each.value.expose()));
    let mut child = launch.start().map_err(|error| failure::not_started(&error))?;
    // Both are there once.
    let (Some(stdin), Some(stdout)) = (child.take_stdin(), child.take_stdout()) else {
        return Err("its process has no pipes".to_owned());
    };
    let stdout = Stdout::new(stdout, super::stdout::LONGEST);
    // Set once, for a connection is made once.
    drop((traces.watch.set(child.watch()), traces.seen.set(stdout.seen())));
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(usize::MAX);
    match serve(client, transport).await {
        Ok(service) => Ok((service, child)),
        // How it ended says more than that it closed its output.
        Err(why) => Err(traces.end().await.unwrap_or(why)),
    }
}

async fn serve<T, E, A>(
    client: Client,
    transport: T,
) -> Result<RunningService<RoleClient, Client>, String>
where
    T: rmcp::transport::IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let served =
        serve_client_with_lifecycle(client, transport, ClientLifecycleMode::Initialize).await;
    served.map_err(|error| failure::not_connected(&error))
}

fn address(url: &str) -> Result<Url, String> {
    let url = Url::parse(url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| "its address is no address of the web".to_owned())
}

/// What asks a server at this address, with these headers.
async fn http(url: &str, headers: &[HttpHeader], setup: &Setup) -> Result<reqwest::Client, String> {
    let url = address(url)?;
    let mut given = HeaderMap::new();
    for header in headers {
        let name = HeaderName::try_from(header.name.as_str());
        let (Ok(name), Ok(mut value)) = (name, HeaderValue::try_from(header.value.expose())) else {
            return Err(format!("its header {} cannot be sent", one_line(&header.name, 60)));
        };
        value.set_sensitive(true);
        given.append(name, value);
    }
    let http = setup.http.clone();
    // Reading the system's certificates takes time.
    let made = tokio::task::spawn_blocking(move || http.for_one_place(&url, given)).await;
    let made = made.map_err(|_| "what asks for it could not be made".to_owned())?;
    made.map_err(|error| failure::http(&error))
}
