//! The life cycle of one server: connecting, listing its tools, losing the connection, restarting.

use super::client::Client;
use super::connection::{self, Connection, Traces};
use super::failure;
use super::listing::{self, LeftOut};
use super::running::{Listeners, Running};
use super::secrets::Secrets;
use super::server_notices::ServerNotices;
use super::setup::{DEADLINE, Setup};
use crate::tools::fit::{counted, one_line};
use attache_protocol::v1::McpServer;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, JsonObject, Tool};
use rmcp::service::{Peer, PeerRequestOptions};
use rmcp::{RoleClient, ServiceError};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

/// How many times a lost server is restarted.
const RESTARTS: u32 = 3;

/// How long a server must stay connected before its restarts are counted from zero again.
const HEALTHY: Duration = Duration::from_secs(300);

/// The wait before the first restart. It doubles each time.
const BACKOFF: Duration = Duration::from_millis(250);

/// The maximum length of a server's name in a message, in characters.
const NAME: usize = 40;

/// The state of a server.
#[derive(Debug, Clone)]
pub(crate) enum Status {
    /// Connecting.
    Connecting {
        /// Whether the deadline has passed.
        late: bool,
    },
    /// Ready: its tools can be called.
    Ready(Peer<RoleClient>),
    /// Gone, for this reason.
    Gone(String),
}

#[derive(Debug)]
struct State {
    status: Status,
    /// The server's tools, as listed when it was last ready.
    tools: Arc<Vec<Tool>>,
    instructions: Option<String>,
}

impl State {
    fn is_settled(&self) -> bool {
        !matches!(self.status, Status::Connecting { late: false })
    }
}

/// One server of a session.
#[derive(Debug)]
pub(crate) struct Server {
    name: String,
    given: McpServer,
    secrets: Secrets,
    state: watch::Sender<State>,
    /// The tools that are left out, as the person was told.
    left_out: Mutex<LeftOut>,
    listeners: Arc<Listeners>,
    /// Notified when the server's tools change.
    changed: Arc<Notify>,
    /// Notified when the server's connection breaks.
    broken: Notify,
}

impl Server {
    pub(super) fn new(given: McpServer) -> Self {
        let state = State {
            status: Status::Connecting { late: false },
            tools: Arc::default(),
            instructions: None,
        };
        Self {
            name: one_line(given.name(), NAME),
            secrets: Secrets::of(&given),
            given,
            state: watch::Sender::new(state),
            left_out: Mutex::default(),
            listeners: Arc::default(),
            changed: Arc::default(),
            broken: Notify::new(),
        }
    }

    /// The server's display name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn status(&self) -> Status {
        self.state.borrow().status.clone()
    }

    /// The server's tools, as listed when it was last ready.
    pub(super) fn tools(&self) -> Arc<Vec<Tool>> {
        Arc::clone(&self.state.borrow().tools)
    }

    /// The server's instructions for the model.
    pub(super) fn instructions(&self) -> Option<String> {
        self.state.borrow().instructions.as_deref().map(|says| self.secrets.hide(says))
    }

    /// Whether the server is ready, gone, or past its deadline.
    pub(super) fn is_settled(&self) -> bool {
        self.state.borrow().is_settled()
    }

    /// Waits until the server is ready, gone, or past its deadline.
    pub(super) async fn settled(&self) {
        // The sender belongs to `self`, so waiting cannot fail.
        drop(self.state.subscribe().wait_for(State::is_settled).await);
    }

    /// Starts a call of a tool. If the server is being restarted, this waits until it is ready, or
    /// until its deadline.
    ///
    /// # Errors
    /// Returns the reason, as text for the model, if the server is not available.
    pub(crate) async fn call(&self, tool: &str, arguments: JsonObject) -> Result<Running, String> {
        self.settled().await;
        let name = &self.name;
        let peer = match self.status() {
            Status::Ready(peer) => peer,
            Status::Connecting { .. } => {
                return Err(format!("the MCP server {name} is not ready yet"));
            }
            Status::Gone(why) => {
                return Err(format!("the MCP server {name} is not available: {why}"));
            }
        };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let handle = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
        match handle {
            Ok(handle) => Ok(Running::new(handle, Arc::clone(&self.listeners))),
            Err(error) => Err(self.failed(&error).await),
        }
    }

    /// Explains to the model why a call has no result.
    pub(crate) async fn failed(&self, error: &ServiceError) -> String {
        let name = &self.name;
        let why = match error {
            ServiceError::TransportClosed => {
                // The exit status may take a moment to arrive.
                let gone = |state: &State| !matches!(state.status, Status::Ready(_));
                drop(timeout(Duration::from_secs(1), self.state.subscribe().wait_for(gone)).await);
                match self.status() {
                    Status::Gone(why) => why,
                    _ => "it ended during the call and is being restarted".to_owned(),
                }
            }
            ServiceError::TransportSend(_) => {
                self.broken.notify_one();
                failure::request_failure(error)
            }
            error => failure::request_failure(error),
        };
        self.secrets.hide(&format!("the MCP server {name} did not complete the call: {why}"))
    }

    /// Connects to the server and restarts it when the connection is lost, up to the limit.
    /// Dropping the future ends the connection.
    pub(super) async fn keep_connected(
        self: Arc<Self>,
        setup: Arc<Setup>,
        told: Arc<ServerNotices>,
    ) {
        let name = &self.name;
        let mut restarts = 0;
        let mut connection = match self.connect(&setup, &told).await {
            Ok(connection) => connection,
            Err(why) => {
                let more =
                    format!("{}. Its tools cannot be used in this session.", capitalized(&why));
                let what = format!("The MCP server {name} is not available");
                told.tell_after(what, &more, || self.set(Status::Gone(why))).await;
                return;
            }
        };
        loop {
            let began = Instant::now();
            let mut why = self.serve(connection, &told).await;
            restarts = if began.elapsed() > HEALTHY { 0 } else { restarts };
            connection = loop {
                restarts += 1;
                if restarts > RESTARTS {
                    self.set(Status::Gone(why.clone()));
                    let more = format!(
                        "{}. It was restarted {RESTARTS} times and is not restarted again.",
                        capitalized(&why)
                    );
                    told.tell(format!("The MCP server {name} is no longer available"), &more).await;
                    return;
                }
                self.set(Status::Connecting { late: false });
                if restarts == 1 {
                    let more = format!("{}. It is being restarted.", capitalized(&why));
                    told.tell(format!("The connection to the MCP server {name} was lost"), &more)
                        .await;
                }
                sleep(BACKOFF * 2_u32.pow(restarts - 1)).await;
                match self.connect(&setup, &told).await {
                    Ok(connection) => break connection,
                    Err(still) => why = still,
                }
            };
        }
    }

    /// Connects once. If the server is late, this tells the person and waits a while longer.
    async fn connect(
        &self,
        setup: &Setup,
        told: &ServerNotices,
    ) -> Result<(Connection, Arc<Traces>), String> {
        let traces = Arc::new(Traces::default());
        match self.connect_within_limits(setup, told, &traces).await {
            Ok(connection) => Ok((connection, traces)),
            Err(why) => Err(self.secrets.hide(&why)),
        }
    }

    async fn connect_within_limits(
        &self,
        setup: &Setup,
        told: &ServerNotices,
        traces: &Traces,
    ) -> Result<Connection, String> {
        let client = Client {
            roots: setup.roots.clone(),
            forms: setup.forms,
            listeners: Arc::clone(&self.listeners),
            changed: Arc::clone(&self.changed),
        };
        let mut connecting = pin!(connection::connect(&self.given, setup, client, traces));
        if let Ok(connected) = timeout(setup.deadline, &mut connecting).await {
            return connected;
        }
        let what = format!(
            "The MCP server {} did not respond within {}",
            self.name,
            seconds(setup.deadline)
        );
        let words = self.secrets.hide(&traces.last_words());
        let more = format!(
            "The session continues without the server's tools, which appear when the server is ready{words}."
        );
        told.tell_after(what, &more, || self.set(Status::Connecting { late: true })).await;
        let late = timeout(setup.longest.saturating_sub(setup.deadline), connecting).await;
        late.unwrap_or_else(|_| {
            Err(format!(
                "it did not respond within {}{}",
                seconds(setup.longest),
                traces.last_words()
            ))
        })
    }

    /// Waits until a connection ends, and returns the reason.
    async fn serve(
        &self,
        (connection, traces): (Connection, Arc<Traces>),
        told: &ServerNotices,
    ) -> String {
        let Connection { service, listing, instructions, _child } = connection;
        let peer = service.peer().clone();
        self.tell_left_out(&listing.left_out, told).await;
        let tools = listing.tools;
        self.state.send_modify(|state| {
            *state =
                State { status: Status::Ready(peer.clone()), tools: Arc::new(tools), instructions };
        });
        let mut ended = pin!(service.waiting());
        loop {
            tokio::select! {
                biased;
                _ = &mut ended => break,
                () = self.broken.notified() => return "its connection broke".to_owned(),
                () = self.changed.notified() => {
                    // If the server does not list its tools again, the old list is kept.
                    if let Ok(Ok(listing)) = timeout(DEADLINE, listing::tools(&peer)).await {
                        self.tell_left_out(&listing.left_out, told).await;
                        self.state.send_modify(|state| state.tools = Arc::new(listing.tools));
                    }
                }
            }
        }
        let why = traces.end().await.unwrap_or_else(|| "it closed the connection".to_owned());
        self.secrets.hide(&why)
    }

    /// Tells the person which tools are left out, once.
    async fn tell_left_out(&self, left_out: &LeftOut, told: &ServerNotices) {
        {
            let mut before = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
            if left_out.count == 0 || *before == *left_out {
                return;
            }
            before.clone_from(left_out);
        }
        let LeftOut { shown, count } = left_out;
        let what = format!(
            "The MCP server {} has {} that cannot be used",
            self.name,
            counted(*count as u64, "tool")
        );
        let more = if *count > shown.len() { ", and others" } else { "" };
        let more = format!("{}{more}. The others can be used.", shown.join(", "));
        told.tell(what, &self.secrets.hide(&more)).await;
    }

    fn set(&self, status: Status) {
        self.state.send_modify(|state| state.status = status);
    }
}

pub(crate) fn seconds(time: Duration) -> String {
    counted(time.as_secs_f64().ceil() as u64, "second")
}

/// Returns the sentence with its first letter in upper case.
fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}
