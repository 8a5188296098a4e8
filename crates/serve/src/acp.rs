//! One attached client, to which the hub is an ACP agent of version 1 or 2.
//!
//! The sessions of all agents are sessions of this agent. A client that opens, loads or resumes a
//! session gets every change of it, also those that other clients cause, and each client that may
//! answer gets its questions. The config option `attache.agent` chooses the agent of a new session,
//! and so does `"_meta": {"attache": {"agent": "…"}}` of `session/new`.
//!
//! A client that attaches a session only watches, until it prompts, or takes the session over with
//! `"_meta": {"attache": {"takeOver": true}}` of `session/load` or `session/resume`. Then it is
//! also asked the session's questions.

mod agent_option;
mod asking;
mod changing;
mod context;
mod editor;
mod editor_files;
mod editor_terminals;
mod elicitation;
mod following;
mod handler;
mod listing;
mod opening;
mod prompting;
mod refusal;
mod served;
mod session_folder;
mod tasks;
mod unsettled;
mod version_1;
mod version_2;

use crate::{AttachedClient, SharedHub};
use attache_connection::transport::Transport;
use attache_connection::{Builder, ConnectionEnd};
use context::Context;
use handler::HubHandler;
use std::sync::Arc;

/// Serves a client until its connection ends or its device is revoked. Dropping the future ends the
/// connection. The client's sessions stay open in the hub, its running turn goes on, and its open
/// questions wait for other clients.
pub async fn serve_client(
    shared: Arc<SharedHub>,
    client: Arc<AttachedClient>,
    transport: Box<dyn Transport>,
) -> ConnectionEnd {
    let context = Context::new(shared, Arc::clone(&client));
    let _over = EndOnDrop(Arc::clone(&context));
    let (_peer, connection) = Builder::new().connect_over(transport, HubHandler::new(context));
    let mut scope = client.scope_changes();
    let revoked = async {
        // Without its sender, the scope does not change any more.
        if scope.wait_for(Option::is_none).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        end = connection.run() => end,
        () = revoked => ConnectionEnd::Closed,
    }
}

/// Ends the tasks of a connection with it.
struct EndOnDrop(Arc<Context>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}
