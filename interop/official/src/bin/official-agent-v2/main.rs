//! The agent for version 2 on stdio, written only with the official Rust SDK. Like
//! `official-agent` it obeys the commands of `official_peers::command`. Files are read and written
//! by the agent itself, because version 2 has no methods for them.
//!
//! `official-agent-v2 [--sessions DIR]` stores sessions in DIR, otherwise in the folder
//! ACP_PEER_SESSIONS, otherwise only in memory.
//!
//! The SDK waits for each handler before it reads the next message, so all work that waits runs in
//! tasks of the connection.

mod options;
mod patch;
mod performed;
mod session;
mod sessions;
mod turn;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol::v2::schema::{
    AgentCapabilities, CancelSessionNotification, CancelToolCallRequest, CancelToolCallResponse,
    CloseSessionRequest, CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse,
    Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest, NewSessionRequest,
    NewSessionResponse, PromptCapabilities, PromptImageCapabilities, PromptRequest,
    ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionDeleteCapabilities,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use agent_client_protocol::v2::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, Result, Stdio, on_receive_notification, on_receive_request,
};

use serde_json::{Map, json};

use crate::sessions::Sessions;

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let folder = match words.next().as_deref() {
        Some("--sessions") => words.next().map(PathBuf::from),
        _ => std::env::var_os("ACP_PEER_SESSIONS").map(PathBuf::from),
    };
    let sessions = match Sessions::open(folder) {
        Ok(sessions) => Arc::new(sessions),
        Err(error) => {
            eprintln!("the sessions cannot be read: {error}");
            return ExitCode::from(2);
        }
    };
    // The client is gone, so the exit code does not matter.
    if let Err(error) = serve(sessions).await {
        eprintln!("{error}");
    }
    ExitCode::SUCCESS
}

fn initialized(request: &InitializeRequest) -> InitializeResponse {
    let prompt = PromptCapabilities::new().image(PromptImageCapabilities::new());
    let session =
        SessionCapabilities::new().prompt(prompt).delete(SessionDeleteCapabilities::new());
    // Acts in prompts are an extension (EXT-04).
    let acts = Map::from_iter([("attache/acts".to_owned(), json!({}))]);
    let info =
        Implementation::new("official-agent-v2", "5.0.0").title("Official Rust SDK, version 2");
    InitializeResponse::new(request.protocol_version, info)
        .capabilities(AgentCapabilities::new().session(session).meta(acts))
}

/// Answers a method immediately from the sessions, the request and the client.
macro_rules! answered {
    (
        $builder:expr, $sessions:ident, |$request:ident: $Request:ty, $client:ident| $result:expr
    ) => {{
        let $sessions = $sessions.clone();
        $builder.on_receive_request(
            async move |$request: $Request, responder, $client: ConnectionTo<Client>| {
                // Some methods ignore the client.
                let _ = &$client;
                responder.respond_with_result($result)
            },
            on_receive_request!(),
        )
    }};
}

/// Serves one client on stdio until it disconnects.
async fn serve(sessions: Arc<Sessions>) -> Result<()> {
    let builder = Agent.v2().name("official-agent-v2");
    let builder = answered!(builder, sessions, |request: InitializeRequest, client| {
        let _ = &sessions;
        Ok(initialized(&request))
    });
    let builder = answered!(builder, sessions, |request: ListSessionsRequest, client| sessions
        .list(&request));
    let builder = answered!(builder, sessions, |request: SetSessionConfigOptionRequest, client| {
        let set = sessions
            .opened(&request.session_id)
            .and_then(|session| session.set(&request.config_id.0, &request.value));
        set.map(SetSessionConfigOptionResponse::new)
    });
    let builder = answered!(builder, sessions, |request: CancelToolCallRequest, client| {
        let cancelled = sessions
            .opened(&request.session_id)
            .and_then(|session| session.cancel_call(&request.tool_call_id.0));
        cancelled.map(|()| CancelToolCallResponse::new())
    });
    let builder = answered!(builder, sessions, |request: ResumeSessionRequest, client| {
        let resumed = sessions.resume(&request, &client);
        resumed.map(|session| ResumeSessionResponse::new().config_options(session.options()))
    });
    let (created, closed, deleted) = (sessions.clone(), sessions.clone(), sessions.clone());
    let (prompted, cancelled) = (sessions.clone(), sessions);
    builder
        .on_receive_request(
            async move |request: NewSessionRequest, responder, client: ConnectionTo<Client>| {
                match created.create(&request, &client) {
                    Ok(session) => {
                        let id = session.id();
                        let reply = NewSessionResponse::new(id).config_options(session.options());
                        responder.respond(reply)?;
                        session.greet()
                    }
                    Err(error) => responder.respond_with_error(error),
                }
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, client: ConnectionTo<Client>| {
                let sessions = closed.clone();
                client.spawn(async move {
                    sessions.close(&request.session_id).await;
                    responder.respond(CloseSessionResponse::new())
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: DeleteSessionRequest, responder, client: ConnectionTo<Client>| {
                let sessions = deleted.clone();
                client.spawn(async move {
                    sessions.close(&request.session_id).await;
                    sessions.delete(&request.session_id);
                    responder.respond(DeleteSessionResponse::new())
                })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest,
                        responder: Responder<_>,
                        client: ConnectionTo<Client>| {
                match prompted.opened(&request.session_id) {
                    Ok(session) => client.spawn(session.prompt(request.prompt, responder)),
                    Err(error) => responder.respond_with_error(error),
                }
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |notification: CancelSessionNotification, _client| {
                if let Ok(session) = cancelled.opened(&notification.session_id) {
                    session.cancel();
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}
