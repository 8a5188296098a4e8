//! The MCP servers that the client gave to a session. They connect in the background, and their
//! tools are offered while they are connected.
//!
//! Opening a session does not wait for servers. The first prompt waits until each server is ready,
//! gone or past its deadline, because an answer without the tools may be wrong. If a server is
//! late, fails or ends, one notice gives the reason. Its tools appear when it is ready, even in the
//! middle of a turn, behind the tools before. A tool stays in the list when its server ends,
//! because a changed list costs the provider's cache and the thoughts bound to it. The values of
//! environment variables and headers are sent only to the server that they are for.

mod client;
mod connection;
mod content;
mod failure;
mod legacy;
mod listing;
mod marking;
mod marking_client;
mod offered;
mod running;
mod secrets;
mod server;
mod server_notices;
mod setup;
mod stdout;

pub(crate) use content::ReturnedContent;
#[cfg(test)]
pub(crate) use offered::RESERVED as RESERVED_FOR_BUILT_IN;
pub(crate) use running::{Next, Question, Running, ServerMessage};
pub(crate) use server::{Server, seconds};

use crate::models::{Models, ToolSpec};
use crate::tools::fit::one_line;
use attache_agent::Opening;
use offered::OfferedTool;
use server::Status;
use server_notices::ServerNotices;
pub(crate) use setup::DEADLINE;
use setup::Setup;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long the session waits for a server in the background, as a multiple of the server's
/// deadline. A server that must be downloaded first may be slow.
const GIVE_UP_FACTOR: u32 = 6;

/// The maximum length of the reason for a missing server in a note for models, in characters.
const REASON: usize = 200;

/// The MCP servers of one session. Dropping this value ends their connections and kills their
/// processes.
#[derive(Debug)]
pub(crate) struct Servers {
    servers: Vec<Arc<Server>>,
    told: Arc<ServerNotices>,
    /// How long a server may take before it counts as late.
    deadline: Duration,
    /// Whether the first prompt still has to wait for the servers.
    is_unsettled: bool,
    /// The tools that models were offered in this session. New ones are added at the end.
    offered: Vec<OfferedTool>,
    /// The names of the tools that the session has stored, in their order.
    stored: Vec<String>,
    /// Whether the person has been told that there are too many tools.
    crowded: bool,
    _tasks: JoinSet<()>,
}

/// A tool of a server, under a name that every provider accepts.
#[derive(Debug)]
pub(crate) struct ServerTool {
    /// The tool's description for models, under that name.
    pub(crate) spec: ToolSpec,
    /// The display name of the server.
    pub(crate) server: String,
    /// The name by which the server knows the tool.
    pub(crate) tool: String,
}

/// The state of a server, for models.
#[derive(Debug, Clone)]
pub(crate) struct ServerState {
    /// The server's display name, with a number if another server has the same.
    pub(crate) name: String,
    /// The state, such as `ready`.
    pub(crate) state: String,
    /// The instructions of a server that is ready.
    pub(crate) instructions: Option<String>,
}

impl Servers {
    /// Starts connecting to all servers of the session, and returns at once (SESS-07, SESS-08,
    /// SESS-20). `stored` are the names of the tools that the session has stored.
    pub(crate) fn start(
        opening: &Opening<'_>,
        models: &Models,
        deadline: Duration,
        stored: Vec<String>,
    ) -> Self {
        let told = Arc::new(ServerNotices::new(opening));
        let forms = opening.client().elicitation.as_ref().is_some_and(|modes| modes.form.is_some());
        let setup = Arc::new(Setup {
            cwd: opening.cwd().to_owned(),
            roots: opening.roots().iter().map(PathBuf::clone).collect(),
            http: models.http().clone(),
            keys: models.key_variables(),
            forms,
            deadline,
            longest: deadline.saturating_mul(GIVE_UP_FACTOR),
        });
        let mut tasks = JoinSet::new();
        let given = opening.mcp_servers().iter();
        let servers: Vec<_> = given.map(|given| Arc::new(Server::new(given.clone()))).collect();
        for server in &servers {
            tasks.spawn(Arc::clone(server).keep_connected(Arc::clone(&setup), Arc::clone(&told)));
        }
        let is_unsettled = !servers.is_empty();
        let (offered, crowded) = (Vec::new(), false);
        Self { servers, told, deadline, is_unsettled, offered, stored, crowded, _tasks: tasks }
    }

    /// Returns how long the first prompt waits for servers, or `None` if it need not wait.
    pub(crate) fn longest_wait(&self) -> Option<Duration> {
        self.is_unsettled.then_some(self.deadline)
    }

    /// Ends the wait of the first prompt.
    pub(crate) fn set_settled(&mut self) {
        self.is_unsettled = false;
    }

    /// The names of the servers that are neither ready, gone nor past their deadline.
    pub(crate) fn awaited(&self) -> Vec<&str> {
        let awaited = self.servers.iter().filter(|server| !server.is_settled());
        awaited.map(|server| server.name()).collect()
    }

    /// Waits until every server is ready, gone, or past its deadline.
    pub(crate) async fn settled(&self) {
        for server in &self.servers {
            server.settled().await;
        }
    }

    /// Returns the events that a client without support for notices has not seen, one sentence
    /// each. Every event is returned once.
    pub(crate) fn unreported_events(&mut self) -> Vec<String> {
        let mut untold = self.told.take();
        let left_out = self.extend();
        if left_out > 0 && !self.crowded {
            self.crowded = true;
            let most = self.offered.len();
            untold.push(format!(
                "The MCP servers offer {} tools, but models accept only {most}: the last ones are left out",
                most + left_out
            ));
        }
        untold
    }

    /// Adds the tools of servers that became ready to the tools that models are offered. Returns
    /// the names of all tools if some are not stored yet.
    pub(crate) fn offer(&mut self) -> Option<Vec<String>> {
        self.extend();
        let new = self.offered.iter().map(|tool| &tool.name);
        let new: Vec<_> = new.filter(|name| !self.stored.contains(name)).cloned().collect();
        if new.is_empty() {
            return None;
        }
        self.stored.extend(new);
        Some(self.stored.clone())
    }

    /// The servers' tools that models are offered. Those of a server that is gone stay in the list;
    /// their calls fail with the reason.
    pub(crate) fn tools(&self) -> Vec<ServerTool> {
        let tool = |offered: &OfferedTool| ServerTool {
            spec: offered.spec(),
            server: self
                .servers
                .get(offered.server)
                .map_or_else(String::new, |server| server.name().to_owned()),
            tool: offered.tool.name.to_string(),
        };
        self.offered.iter().map(tool).collect()
    }

    /// Returns the server of the tool that a model knows by `name`, and the server's own name for
    /// the tool. The server may be gone by now.
    pub(crate) fn find(&self, name: &str) -> Option<(Arc<Server>, String)> {
        let offered = self.offered.iter().find(|offered| offered.name == name)?;
        let server = self.servers.get(offered.server)?;
        let tool = offered.tool.name.to_string();
        // The server may have removed the tool from its list.
        let is_listed = server.tools().iter().any(|listed| listed.name == tool);
        is_listed.then(|| (Arc::clone(server), tool))
    }

    /// The states of the servers, for models.
    pub(crate) fn states(&self) -> Vec<ServerState> {
        let mut states: Vec<ServerState> = Vec::new();
        for server in &self.servers {
            let given = server.name();
            let numbered = (2_u32..).map(|number| format!("{given} ({number})"));
            let mut names = std::iter::once(given.to_owned()).chain(numbered);
            let name = names.find(|name| states.iter().all(|other| other.name != *name));
            let state = match server.status() {
                Status::Connecting { late: false } => "not ready yet".to_owned(),
                Status::Connecting { late: true } => "no reply so far".to_owned(),
                Status::Gone(why) => format!("not available ({:?})", one_line(&why, REASON)),
                Status::Ready(_) => "ready".to_owned(),
            };
            let instructions = (state == "ready").then(|| server.instructions()).flatten();
            states.push(ServerState { name: name.unwrap_or_default(), state, instructions });
        }
        states
    }

    /// Adds the tools of servers that became ready. Returns the number of tools for which there is
    /// no room.
    fn extend(&mut self) -> usize {
        let lists: Vec<_> =
            self.servers.iter().map(|server| (server.name(), server.tools())).collect();
        offered::extend(&mut self.offered, &lists, &self.stored)
    }
}
