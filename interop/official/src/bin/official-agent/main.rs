//! An agent on stdio written only with the official Rust SDK. It uses everything that the SDK has
//! types for. It has no model: a prompt contains the commands of `official_peers::command`, the
//! acts of `official_peers::acts`, or a slash command.
//!
//! `official-agent [--sessions DIR]` stores sessions in DIR, otherwise in the folder
//! ACP_PEER_SESSIONS, otherwise only in memory. `official-agent login` is the program of its
//! terminal login, and ends immediately.
//!
//! The SDK waits for each handler before it reads the next message, so all work that waits runs in
//! tasks of the connection.

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
    // The client is gone, so the exit code does not matter.
    if let Err(error) = connection::serve(sessions.clone()).await {
        eprintln!("{error}");
    }
    sessions.end();
    ExitCode::SUCCESS
}
