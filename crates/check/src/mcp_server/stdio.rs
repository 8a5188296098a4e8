//! MCP over stdio: lines from and to the relay that an agent started as a server.

use super::reach::McpReach;
use super::server::ServerConnection;
use crate::peer::loopback::RETRY;
use crate::peer::relay::{RelayConnection, RelayListener};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

/// The length limit of a line in bytes.
const LINE: u64 = 1024 * 1024;

/// Serves every connection of the listener, until the future is dropped.
pub(super) async fn serve(listener: RelayListener, reach: McpReach) {
    let mut open = JoinSet::new();
    loop {
        match listener.next_connection().await {
            Ok(connection) => drop(open.spawn(converse(connection, reach.clone()))),
            Err(_) => tokio::time::sleep(RETRY).await,
        }
        while open.try_join_next().is_some() {}
    }
}

/// Answers line by line until the other side ends. A server that must end closes the connection at
/// once, which also ends the relay.
async fn converse(connection: RelayConnection, reach: McpReach) {
    let RelayConnection { mut output, mut input, data } = connection;
    let Some(server) = named_server(&data, &reach) else { return };
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LINE).read_until(b'\n', &mut line).await;
        if !read.is_ok_and(|count| count > 0) {
            return;
        }
        let message = serde_json::from_slice(&line).unwrap_or_default();
        if let Some(answer) = server.answer(&message)
            && input.write_all(format!("{answer}\n").as_bytes()).await.is_err()
        {
            return;
        }
    }
}

/// Returns the server that a relay names.
fn named_server(data: &Value, reach: &McpReach) -> Option<ServerConnection> {
    let server = reach.find(data.get("server")?.as_str()?)?;
    let environment = data.get("environment").and_then(Value::as_object);
    let variables = environment.into_iter().flatten();
    ServerConnection::new(
        server,
        variables.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))),
    )
}
