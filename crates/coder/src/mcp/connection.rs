//! Connections to MCP servers: over a child process's pipes, streamable HTTP, or the older HTTP+SSE
//! transport.

use super::client::Client;
use super::failure;
use super::legacy::Legacy;
use super::listing::{self, Listing};
use super::marking::Marking;
use super::marking_client::MarkingClient;
use super::setup::Setup;
use super::stdout::{OutputProblems, Stdout};
use crate::tools::fit::one_line;
use attache_host::{Child, ChildWatch, Launch};
use attache_protocol::v1::{HttpHeader, McpServer, McpServerStdio};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::service::{ClientLifecycleMode, RunningService, serve_client_with_lifecycle};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// How long to wait for a process to end after its output has ended, so that its exit status is
/// known.
const EXIT_WAIT: Duration = Duration::from_millis(500);

/// The maximum length of the last line of stderr in a message, in characters.
const MAX_LAST_LINE: usize = 200;

/// A connected server.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) listing: Listing,
    pub(super) instructions: Option<String>,
    /// The server's process, which is killed when this value is dropped.
    pub(super) _child: Option<Child>,
}

/// What is known about a server's process, even if connecting to it failed.
#[derive(Debug, Default)]
pub(super) struct Traces {
    watch: OnceLock<ChildWatch>,
    seen: OnceLock<Arc<Mutex<OutputProblems>>>,
}

impl Traces {
    /// Explains how the process ended, if it has ended or is about to, with the last line that it
    /// wrote.
    pub(super) async fn end(&self) -> Option<String> {
        if self.seen().is_some_and(|seen| seen.too_long) {
            return Some("it sent a message of more than 32 MiB".to_owned());
        }
        let watch = self.watch.get()?;
        let exit = tokio::time::timeout(EXIT_WAIT, watch.wait()).await.ok()?;
        Some(format!("it ended: {exit}{}", self.last_words()))
    }

    /// The last line that the process wrote, in parentheses: from stderr, or else from stdout if
    /// the line is not a message.
    pub(super) fn last_words(&self) -> String {
        let stderr = self.watch.get().map(ChildWatch::stderr_tail).unwrap_or_default();
        let line = stderr.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        let stray = || {
            let seen = self.seen()?;
            Some(String::from_utf8_lossy(&seen.stray).trim().to_owned())
                .filter(|stray| !stray.is_empty())
        };
        match (line, stray) {
            (Some(line), _) => format!(" (its last line: {})", one_line(&line, MAX_LAST_LINE)),
            (None, stray) => stray()
                .map(|stray| {
                    format!(
                        " (it wrote this to stdout, which is not a message: {})",
                        one_line(&stray, MAX_LAST_LINE)
                    )
                })
                .unwrap_or_default(),
        }
    }

    fn seen(&self) -> Option<std::sync::MutexGuard<'_, OutputProblems>> {
        Some(self.seen.get()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Connects to a server and requests its tools. Dropping the future closes the connection and kills
/// the server's process.
///
/// # Errors
/// Returns the reason, as text for a person. It may contain secrets.
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
            let transport = StreamableHttpClientTransport::with_client(MarkingClient(http), config);
            (serve(client, transport).await?, None)
        }
        McpServer::Sse(server) => {
            let http = http(&server.url, &server.headers, setup).await?;
            let transport = Legacy::connect(http, address(&server.url)?).await;
            let transport = transport.map_err(|error| failure::legacy(&error))?;
            (serve(client, transport).await?, None)
        }
        McpServer::Acp(_) => return Err("MCP servers over ACP are not supported".to_owned()),
    };
    let listing = listing::tools(service.peer()).await;
    let listing = listing.map_err(|error| failure::request_failure(&error))?;
    let instructions = service.peer().peer_info().and_then(|info| info.instructions.clone());
    Ok(Connection { service, listing, instructions, _child: child })
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
    // Variables that the client sets are added later, so they are kept.
    let launch = setup.keys.iter().fold(launch, |launch, name| launch.env_remove(name.as_str()));
    let launch = server
        .env
        .iter()
        .fold(launch, |launch, each| launch.env(each.name.as_str(), each.value.expose()));
    let mut child = launch.start().map_err(|error| failure::start_failure(&error))?;
    // The pipes have not been taken before, so both are present.
    let (Some(stdin), Some(stdout)) = (child.take_stdin(), child.take_stdout()) else {
        return Err("its process has no pipes".to_owned());
    };
    let stdout = Stdout::new(stdout, super::stdout::MAX_LINE);
    // Setting the cells cannot fail: they are empty, because each connection is made only once.
    drop((traces.watch.set(child.watch()), traces.seen.set(stdout.seen())));
    let transport =
        AsyncRwTransport::new_client(Marking::new(stdout), stdin).with_max_line_length(usize::MAX);
    match serve(client, transport).await {
        Ok(service) => Ok((service, child)),
        // The exit status is a better explanation than the end of the output.
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
    served.map_err(|error| failure::connect_failure(&error))
}

fn address(url: &str) -> Result<Url, String> {
    let url = Url::parse(url)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| "its address is not an HTTP URL".to_owned())
}

/// An HTTP client for a server at this address, with these headers.
async fn http(url: &str, headers: &[HttpHeader], setup: &Setup) -> Result<reqwest::Client, String> {
    let url = address(url)?;
    let mut given = HeaderMap::new();
    for header in headers {
        let name = HeaderName::try_from(header.name.as_str());
        let (Ok(name), Ok(mut value)) = (name, HeaderValue::try_from(header.value.expose())) else {
            return Err(format!(
                "its header {} has an invalid name or value",
                one_line(&header.name, 60)
            ));
        };
        value.set_sensitive(true);
        given.append(name, value);
    }
    let http = setup.http.clone();
    // Loading the system's certificates takes time.
    let made = tokio::task::spawn_blocking(move || http.for_server(&url, given)).await;
    let made = made.map_err(|_| "the HTTP client could not be created".to_owned())?;
    made.map_err(|error| failure::http(&error))
}
