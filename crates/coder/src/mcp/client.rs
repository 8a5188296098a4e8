//! The client side of a connection to an MCP server: its requests and notifications.

#![expect(
    deprecated,
    reason = "current servers ask for roots, although later revisions of MCP remove them"
)]

use super::running::{Listeners, Question, ServerMessage};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    ProgressNotificationParam, ProtocolVersion, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Notify, oneshot};

/// The client side of one connection. It tells the server the session's folders, and passes the
/// server's questions on to the person during a call. It does not offer sampling.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) roots: Vec<PathBuf>,
    /// Whether the client can show forms to the person.
    pub(super) forms: bool,
    pub(super) listeners: Arc<Listeners>,
    /// Notified when the server's tools change.
    pub(super) changed: Arc<Notify>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        capabilities.elicitation = self.forms.then(|| {
            let mut elicitation = ElicitationCapability::new();
            elicitation.form = Some(FormElicitationCapability::new());
            elicitation
        });
        let us = Implementation::new("attache", env!("CARGO_PKG_VERSION")).with_title("Attaché");
        ClientConfig::new(capabilities, us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let uri = |root: &PathBuf| {
            reqwest::Url::from_file_path(root).ok().map(|uri| Root::new(uri.to_string()))
        };
        Ok(ListRootsResult::new(self.roots.iter().filter_map(uri).collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let declined = ElicitResult::new(ElicitationAction::Decline);
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request
        else {
            return Err(ErrorData::invalid_params("only forms are supported", None));
        };
        let schema = serde_json::to_string(&requested_schema)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let (answer, answered) = oneshot::channel();
        // The person can be asked only during a tool call.
        let Some(call) = self.listeners.last() else { return Ok(declined) };
        if call.send(ServerMessage::Asks(Question { message, schema, answer })).await.is_err() {
            return Ok(declined);
        }
        Ok(answered.await.unwrap_or(ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(call) = self.listeners.of(&progress.progress_token) {
            // If the receiver falls behind, this update is dropped, and the receiver gets a later
            // one.
            drop(call.try_send(ServerMessage::Progress(progress)));
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}
