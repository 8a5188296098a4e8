//! `_attache/undo`: an agent whose `/undo` command was called lets the client undo the changes of
//! the last turn. Advertised by `attache/checkpoints` in the metadata of the client's capabilities.

use attache_connection::{IncomingCall, Work};
use attache_protocol::v1::SessionId;
use attache_protocol::{Error, Raw};
use serde::Deserialize;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// The key in the metadata of the client's capabilities.
pub(crate) const ADVERTISED: &str = "attache/checkpoints";

const METHOD: &str = "_attache/undo";

/// Undoes the changes of the last turn of a session as the person's prompt asked, and returns a
/// report for the person.
pub(crate) type UndoHandler = Arc<dyn Fn(SessionId) -> UndoReport + Send + Sync>;

/// The report for the person, or why nothing was undone.
pub(crate) type UndoReport = Pin<Box<dyn Future<Output = Result<String, String>> + Send>>;

/// The parameters of a call. The prompt of the person decides what is undone, so other members,
/// such as `force`, have no effect.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    session_id: String,
}

/// Answers an extension call of the agent.
pub(crate) fn call(handler: Option<&UndoHandler>, call: IncomingCall<'_>) -> Work {
    let Some(handler) = handler.filter(|_| call.name == METHOD) else {
        return call.method_not_found();
    };
    let params: Params = match serde_json::from_str(call.params.unwrap_or("{}")) {
        Ok(params) => params,
        Err(error) => return call.refuse(&Error::invalid_params(error.to_string())),
    };
    let undoing = handler(params.session_id.into());
    call.later(async move {
        let report = undoing.await.map_err(Error::internal)?;
        let result = serde_json::json!({ "report": report }).to_string();
        Raw::from_text(&result).map_err(|error| Error::internal(error.to_string()))
    })
}
