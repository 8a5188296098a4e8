//! `/undo` by a client that keeps checkpoints. It also reverts what commands changed.

use attache_agent::{Error, Result, Turn};
use attache_protocol::Raw;
use attache_protocol::v1::ClientCapabilities;

/// The key by which a client says in the metadata of its capabilities that it keeps checkpoints and
/// serves [`UNDO`].
const CHECKPOINTS: &str = "attache/checkpoints";

const UNDO: &str = "_attache/undo";

/// Returns whether the client keeps checkpoints.
pub(crate) fn undoes_by_client(client: &ClientCapabilities) -> bool {
    let meta = client.meta.as_ref();
    meta.and_then(|meta| meta.get::<bool>(CHECKPOINTS)).unwrap_or(false)
}

/// Lets the client undo the changes of the last turn, and returns its report.
pub(super) async fn undo(turn: &Turn, forced: bool) -> Result<String> {
    let params = serde_json::json!({ "sessionId": turn.session_id().as_str(), "force": forced });
    let params = Raw::from_text(&params.to_string())
        .map_err(|error| Error::caused("the call of the client cannot be encoded", error))?;
    let result = turn.call_client(UNDO, &params).await?;
    let result: serde_json::Value = serde_json::from_str(result.get())
        .map_err(|error| Error::caused("the client's report cannot be read", error))?;
    let report = result.get("report").and_then(serde_json::Value::as_str);
    Ok(report.unwrap_or("The client undid the last turn.\n").to_owned())
}
