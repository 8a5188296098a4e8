//! Runs a script: handshake, one session, then step after step.

use std::path::Path;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    BooleanConfigOptionCapabilities, CancelNotification, ClientCapabilities, ClientSessionCapabilities,
    FileSystemCapabilities, Implementation, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    PromptRequest, ResumeSessionRequest, SessionConfigOptionValue, SessionConfigOptionsCapabilities,
    SessionId, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use agent_client_protocol::{Agent, JsonRpcRequest, Result};
use official_peers::script::{Step, When};
use serde::Serialize;
use serde_json::json;

use crate::Opening;
use crate::events::Events;
use crate::permissions::Permissions;

struct Script<'a> {
    agent: &'a ConnectionTo<Agent>,
    session_id: SessionId,
    events: &'a Events,
    permissions: &'a Permissions,
}

/// Ends early when there is no session or the agent is gone; every error is an event.
pub(crate) async fn run(
    agent: &ConnectionTo<Agent>,
    cwd: &Path,
    opening: Opening,
    steps: Vec<Step>,
    events: &Events,
    permissions: &Permissions,
) {
    let Some(session_id) = open(agent, cwd, opening, events).await else { return };
    let script = Script { agent, session_id, events, permissions };
    for step in steps {
        if agent.is_incoming_closed() {
            return;
        }
        script.step(step).await;
    }
}

async fn open(
    agent: &ConnectionTo<Agent>,
    cwd: &Path,
    opening: Opening,
    events: &Events,
) -> Option<SessionId> {
    let options = SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new());
    let capabilities = ClientCapabilities::new()
        .fs(FileSystemCapabilities::new().read_text_file(true).write_text_file(true))
        .session(ClientSessionCapabilities::new().config_options(options));
    let initialize = InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(capabilities)
        .client_info(Implementation::new("official-client", "5.0.0"));
    call(agent, events, "initialized", initialize).await?;
    match opening {
        Opening::New => {
            let opened = call(agent, events, "session", NewSessionRequest::new(cwd)).await?;
            Some(opened.session_id)
        }
        Opening::Load(id) => {
            call(agent, events, "session", LoadSessionRequest::new(id.clone(), cwd)).await?;
            Some(id.into())
        }
        Opening::Resume(id) => {
            call(agent, events, "session", ResumeSessionRequest::new(id.clone(), cwd)).await?;
            Some(id.into())
        }
    }
}

/// One call: its answer is printed as `event`, its error as `error`.
async fn call<R: JsonRpcRequest<Response: Serialize>>(
    agent: &ConnectionTo<Agent>,
    events: &Events,
    event: &str,
    request: R,
) -> Option<R::Response> {
    let method = request.method().to_owned();
    match agent.send_request(request).block_task().await {
        Ok(response) => {
            events.print(event, &response);
            Some(response)
        }
        Err(error) => {
            events.error(&method, &error);
            None
        }
    }
}

impl Script<'_> {
    async fn step(&self, step: Step) {
        let id = || self.session_id.clone();
        match step {
            Step::Prompt(text) => {
                self.call("stop", PromptRequest::new(id(), vec![text.into()])).await;
            }
            Step::PromptCancel(when, text) => self.prompt_and_cancel(when, text).await,
            Step::Mode(mode) => self.call("mode", SetSessionModeRequest::new(id(), mode)).await,
            Step::Config(option, value) => {
                let value = SessionConfigOptionValue::ValueId { value: value.into() };
                self.call("config", SetSessionConfigOptionRequest::new(id(), option, value)).await;
            }
            Step::Bool(option, value) => {
                let value = SessionConfigOptionValue::Boolean { value };
                self.call("config", SetSessionConfigOptionRequest::new(id(), option, value)).await;
            }
            Step::Permission(answer) => self.permissions.set(answer),
        }
    }

    async fn call<R: JsonRpcRequest<Response: Serialize>>(&self, event: &str, request: R) {
        call(self.agent, self.events, event, request).await;
    }

    async fn prompt_and_cancel(&self, when: When, text: String) {
        let mut seen = self.events.seen.subscribe();
        let before = *seen.borrow_and_update();
        let prompt = self.call("stop", PromptRequest::new(self.session_id.clone(), vec![text.into()]));
        let due = async {
            match when {
                When::After(time) => tokio::time::sleep(time).await,
                // The sender lives as long as the connection, so waiting ends with what is waited for.
                When::Update => drop(seen.wait_for(|seen| seen.updates > before.updates).await),
                When::Permission => drop(seen.wait_for(|seen| seen.permissions > before.permissions).await),
            }
        };
        let mut prompt = std::pin::pin!(prompt);
        tokio::select! {
            () = &mut prompt => return,
            () = due => {}
        }
        if let Err(error) = self.cancel() {
            self.events.error("session/cancel", &error);
        }
        prompt.await;
    }

    fn cancel(&self) -> Result<()> {
        self.agent.send_notification(CancelNotification::new(self.session_id.clone()))?;
        self.events.print("cancel", json!({}));
        self.permissions.cancel()
    }
}
