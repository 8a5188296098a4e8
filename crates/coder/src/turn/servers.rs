//! Waits for a session's MCP servers, and tells the person about them.

use crate::mcp::seconds;
use crate::models::Model;
use crate::notices::tell;
use crate::session::memory::Memory;
use attache_agent::{Error, Result, Turn};
use attache_protocol::v1::{Notice, NoticeSeverity};
use std::time::Duration;

/// How long the first turn waits for MCP servers before the person is told.
const QUIET: Duration = Duration::from_secs(1);

/// If the model can use tools, the first turn waits until each MCP server is ready, gone or past
/// its deadline. A cancelled turn ends the wait, and the next turn waits again.
pub(super) async fn settle_servers(
    memory: &mut Memory,
    turn: &Turn,
    model: &dyn Model,
) -> Result<()> {
    let Some(longest) = memory.mcp.longest_wait().filter(|_| model.writes()) else {
        return Ok(());
    };
    tokio::select! {
        biased;
        () = turn.cancelled() => return Err(Error::Cancelled),
        // A server that connects and ends again and again never settles.
        settled = tokio::time::timeout(longest, settled(memory, turn, longest)) => {
            settled.unwrap_or(Ok(()))?
        }
    }
    memory.mcp.set_settled();
    Ok(())
}

async fn settled(memory: &Memory, turn: &Turn, longest: Duration) -> Result<()> {
    if tokio::time::timeout(QUIET, memory.mcp.settled()).await.is_ok() {
        return Ok(());
    }
    let awaited = memory.mcp.awaited();
    if let Some((last, others)) = awaited.split_last() {
        let names = match others {
            [] => format!("server {last}"),
            others => format!("servers {} and {last}", others.join(", ")),
        };
        let most = seconds(longest);
        let title = format!("Waiting for the MCP {names}, for at most {most}");
        tell(turn, Notice::new(NoticeSeverity::Info, title)).await?;
    }
    memory.mcp.settled().await;
    Ok(())
}

/// Reports events of MCP servers to a client that does not support notices.
pub(super) async fn report_server_events(memory: &mut Memory, turn: &Turn) -> Result<()> {
    for sentence in memory.mcp.unreported_events() {
        turn.think(&format!("{}.\n\n", sentence.trim_end_matches('.'))).await?;
    }
    Ok(())
}
