//! A scripted agent of version 2 with one open session.

use crate::scripted_agent::{ScriptedAgent, connected_with, opened_with};
use attache_client::{AgentConnection, Opening, Options, SessionHandle, Turn};
use attache_protocol::v1::ProtocolVersion;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The options of a client that asks for version 2.
pub(super) fn asking() -> Options {
    Options::default().protocol(ProtocolVersion::V2)
}

/// The answer to `initialize` of an agent with these capabilities.
pub(super) fn greeting(capabilities: Value, auth_methods: Value) -> Value {
    json!({
        "protocolVersion": 2,
        "info": { "name": "scripted", "version": "1" },
        "capabilities": capabilities,
        "authMethods": auth_methods,
    })
}

pub(super) async fn connected(capabilities: Value) -> (AgentConnection, ScriptedAgent) {
    connected_with(asking(), greeting(capabilities, json!([]))).await
}

/// A connection, its agent, and an open session in a folder.
pub(super) struct Ready {
    pub(super) agent: ScriptedAgent,
    pub(super) session: SessionHandle,
    pub(super) connection: AgentConnection,
    pub(super) folder: TempDir,
}

pub(super) async fn ready() -> Ready {
    ready_with(asking()).await
}

pub(super) async fn ready_with(options: Options) -> Ready {
    ready_opened(options, |opening| opening).await
}

/// The same with a session that is opened in this way.
pub(super) async fn ready_opened(
    options: Options,
    how: impl FnOnce(Opening<'_>) -> Opening<'_>,
) -> Ready {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        connected_with(options, greeting(json!({ "session": {} }), json!([]))).await;
    let opening = how(connection.open(folder.path()));
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    Ready { agent, session, connection, folder }
}

impl Ready {
    /// Sends a prompt and returns its turn and the call.
    pub(super) async fn begin(&mut self) -> (Turn, Value) {
        let turn = self.session.prompt("go").await.unwrap();
        let call = self.agent.expect("session/prompt").await;
        (turn, call)
    }

    /// Replies that the prompt is in the conversation.
    pub(super) async fn acknowledge(&mut self, call: &Value) {
        self.agent.reply(call, json!({ "messageId": "m1" })).await;
    }

    pub(super) async fn state(&mut self, state: Value) {
        let mut update = json!({ "sessionUpdate": "state_update" });
        let members = state.as_object().unwrap().clone();
        update.as_object_mut().unwrap().extend(members);
        self.agent.update("s1", update).await;
    }

    pub(super) async fn running(&mut self) {
        self.state(json!({ "state": "running" })).await;
    }

    pub(super) async fn ended(&mut self, reason: &str) {
        self.state(json!({ "state": "idle", "stopReason": reason })).await;
    }

    pub(super) async fn say(&mut self, text: &str) {
        let content = json!({ "type": "text", "text": text });
        let update = json!({ "sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": content });
        self.agent.update("s1", update).await;
    }
}
