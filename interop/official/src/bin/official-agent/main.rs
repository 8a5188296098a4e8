//! An agent on stdio written with the official Rust SDK only: it does everything that the SDK has
//! types for. It has no model: a prompt tells it what to do, in the commands of
//! `official_peers::command`, in the acts of `official_peers::acts`, or with a slash command.
//!
//! `official-agent [--sessions DIR]` keeps sessions in DIR, else in the folder that
//! ACP_PEER_SESSIONS names, else as long as it runs. `official-agent login` is what its terminal
//! login runs: it ends at once.
//!
//! The SDK waits for each handler before it looks at the next message, so whatever waits for
//! something is a task of the connection.

mod account;
mod commands;
mod connection;
mod files;
mod initialize;
mod mcp;
mod offers;
mod options;
mod performed;
mod permission;
mod question;
mod session;
mod sessions;
mod shell;
mod slash;
mod store;
mod tool_call;
mod tools;
mod turn;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use crate::sessions::Sessions;
use crate::store::Store;

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let folder = match words.next().as_deref() {
        Some("login") => {
            eprintln!("logged in");
            return ExitCode::SUCCESS;
        }
        Some("--sessions") => words.next().map(PathBuf::from),
        _ => std::env::var_os("ACP_PEER_SESSIONS").map(PathBuf::from),
    };
    let store = match Store::open(folder) {
        Ok(store) => store,
        Err(error) => {
            eprintln!("the sessions cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    let sessions = Arc::new(Sessions::new(store));
    // However the connection ended, the client is gone, and nobody is left whom an exit code could
    // tell more.
    if let Err(error) = connection::serve(sessions.clone()).await {
        eprintln!("{error}");
    }
    sessions.end();
    ExitCode::SUCCESS
}
