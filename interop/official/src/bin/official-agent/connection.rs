//! The handlers of all methods.

use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    ArchiveSessionRequest, ArchiveSessionResponse, AuthStatusRequest, AuthenticateRequest,
    AuthenticateResponse, CancelNotification, CloseSessionRequest, CloseSessionResponse,
    ContentBlock, DeleteSessionRequest, DeleteSessionResponse, DisableProviderRequest,
    DisableProviderResponse, ForkSessionRequest, ForkSessionResponse, InitializeRequest,
    ListProvidersRequest, ListSessionsRequest, LoadSessionRequest, LoadSessionResponse,
    LogoutRequest, LogoutResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    PromptResponse, ResumeSessionRequest, ResumeSessionResponse, SessionConfigOptionValue,
    SessionStatusRequest, SessionStatusResponse, SetProviderRequest, SetProviderResponse,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse, SetSessionTitleRequest, SetSessionTitleResponse,
    UnarchiveSessionRequest, UnarchiveSessionResponse,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, Result, Stdio, on_receive_notification, on_receive_request,
};

use crate::account::Providers;
use crate::initialize;
use crate::session::{Hold, Session};
use crate::sessions::{Sessions, refused};
use crate::store::locked;
use crate::turn::Turn;

/// Answers a method immediately from the shared state, the request and the client.
macro_rules! answered {
    ($builder:expr, $shared:ident, |$request:ident: $Request:ty, $client:ident| $result:expr) => {{
        let $shared = $shared.clone();
        $builder.on_receive_request(
            async move |$request: $Request, responder, $client: ConnectionTo<Client>| {
                // Some methods ignore their params or the client.
                let _ = (&$request, &$client);
                responder.respond_with_result($result)
            },
            on_receive_request!(),
        )
    }};
}

/// Answers a method that must wait, and then does the work that follows the response.
macro_rules! awaited {
    (
        $builder:expr, $shared:ident,
        |$request:ident: $Request:ty, $client:ident, $responder:ident| $work:expr
    ) => {{
        let shared = $shared.clone();
        $builder.on_receive_request(
            async move |$request: $Request, $responder, $client: ConnectionTo<Client>| {
                let $shared = shared.clone();
                $client.clone().spawn(async move { $work })
            },
            on_receive_request!(),
        )
    }};
}

/// Serves one client on stdio until it disconnects.
pub(crate) async fn serve(sessions: Arc<Sessions>) -> Result<()> {
    let providers = Arc::new(Providers::default());
    let builder = Agent.v1().name("official-agent");
    let builder = answered!(builder, sessions, |request: InitializeRequest, client| {
        let answer = initialize::answer(&request.client_capabilities);
        *locked(&sessions.offered) = Arc::new(request.client_capabilities);
        Ok(answer)
    });
    let builder = answered!(builder, sessions, |request: AuthenticateRequest, client| {
        sessions.account.authenticate(&request, &client).map(|()| AuthenticateResponse::new())
    });
    let builder = answered!(builder, sessions, |request: LogoutRequest, client| {
        sessions.account.logout(&client).map(|()| LogoutResponse::new())
    });
    let builder = answered!(builder, sessions, |request: AuthStatusRequest, client| Ok(sessions
        .account
        .status()));
    let builder =
        answered!(builder, providers, |request: ListProvidersRequest, client| Ok(providers.list()));
    let builder = answered!(builder, providers, |request: SetProviderRequest, client| {
        providers.set(request).map(|()| SetProviderResponse::new())
    });
    let builder = answered!(builder, providers, |request: DisableProviderRequest, client| {
        providers.disable(&request.provider_id.0).map(|()| DisableProviderResponse::new())
    });
    let builder = answered!(builder, sessions, |request: ListSessionsRequest, client| sessions
        .list(&request));
    let builder = answered!(builder, sessions, |request: SessionStatusRequest, client| {
        sessions.status(&request.session_id).map(SessionStatusResponse::new)
    });
    let builder = answered!(builder, sessions, |request: SetSessionTitleRequest, client| {
        sessions.set_title(&request.session_id, &request.title).map(SetSessionTitleResponse::new)
    });
    let builder = answered!(builder, sessions, |request: SetSessionModeRequest, client| {
        set_mode(&sessions, &request).map(|()| SetSessionModeResponse::new())
    });
    let builder = answered!(builder, sessions, |request: SetSessionConfigOptionRequest, client| {
        set_config_option(&sessions, &request)
    });
    let builder = awaited!(builder, sessions, |request: NewSessionRequest, client, responder| {
        created(sessions.create(request.into(), &client).await, responder, |session| {
            NewSessionResponse::new(session.id.clone())
                .modes(session.modes())
                .config_options(session.config_options())
        })
    });
    let builder = awaited!(builder, sessions, |request: ForkSessionRequest, client, responder| {
        let id = request.session_id.clone();
        created(sessions.fork(&id, request.into(), &client).await, responder, |session| {
            ForkSessionResponse::new(session.id.clone())
                .modes(session.modes())
                .config_options(session.config_options())
        })
    });
    let builder = awaited!(builder, sessions, |request: LoadSessionRequest, client, responder| {
        let id = request.session_id.clone();
        let loaded = sessions.reopen(&id, request.into(), &client, true).await;
        responder.respond_with_result(loaded.map(|session| {
            LoadSessionResponse::new()
                .modes(session.modes())
                .config_options(session.config_options())
        }))
    });
    let builder =
        awaited!(builder, sessions, |request: ResumeSessionRequest, client, responder| {
            let id = request.session_id.clone();
            let resumed = sessions.reopen(&id, request.into(), &client, false).await;
            responder.respond_with_result(resumed.map(|session| {
                ResumeSessionResponse::new()
                    .modes(session.modes())
                    .config_options(session.config_options())
            }))
        });
    let builder = awaited!(builder, sessions, |request: CloseSessionRequest, client, responder| {
        let closed = sessions.close(&request.session_id).await;
        responder.respond_with_result(closed.map(|()| CloseSessionResponse::new()))
    });
    let builder =
        awaited!(builder, sessions, |request: DeleteSessionRequest, client, responder| {
            sessions.delete(&request.session_id).await;
            responder.respond(DeleteSessionResponse::new())
        });
    let builder =
        awaited!(builder, sessions, |request: ArchiveSessionRequest, client, responder| {
            let archived = sessions.archive(&request.session_id, true).await;
            responder.respond_with_result(archived.map(|()| ArchiveSessionResponse::new()))
        });
    let builder =
        awaited!(builder, sessions, |request: UnarchiveSessionRequest, client, responder| {
            let unarchived = sessions.archive(&request.session_id, false).await;
            responder.respond_with_result(unarchived.map(|()| UnarchiveSessionResponse::new()))
        });
    let cancelling = sessions.clone();
    builder
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                match begin(&sessions, &request) {
                    Ok((session, hold)) => {
                        client.spawn(run(session, hold, request.prompt, responder))
                    }
                    Err(error) => responder.respond_with_error(error),
                }
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _client| {
                if let Some(session) = cancelling.if_opened(&request.session_id) {
                    session.cancel();
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(Stdio::new())
        .await
}

/// Responds with a new session, and sends its updates only after the response.
fn created<T: agent_client_protocol::JsonRpcResponse>(
    session: Result<Arc<Session>>,
    responder: Responder<T>,
    response: impl FnOnce(&Session) -> T,
) -> Result<()> {
    match session {
        Ok(session) => {
            responder.respond(response(&session))?;
            session.greet()
        }
        Err(error) => responder.respond_with_error(error),
    }
}

fn set_mode(sessions: &Sessions, request: &SetSessionModeRequest) -> Result<()> {
    let value = SessionConfigOptionValue::ValueId { value: request.mode_id.0.clone().into() };
    sessions.opened(&request.session_id)?.set("mode", &value, true)
}

fn set_config_option(
    sessions: &Sessions,
    request: &SetSessionConfigOptionRequest,
) -> Result<SetSessionConfigOptionResponse> {
    let session = sessions.opened(&request.session_id)?;
    session.set(&request.config_id.0, &request.value, false)?;
    Ok(SetSessionConfigOptionResponse::new(session.config_options()))
}

/// Registers a turn, so that `session/cancel` can reach it. An empty prompt, or one with content
/// that was not offered, starts no turn (PROMPT-04, PROMPT-17).
fn begin(sessions: &Sessions, request: &PromptRequest) -> Result<(Arc<Session>, Hold)> {
    let session = sessions.opened(&request.session_id)?;
    let is_audio = |block: &ContentBlock| matches!(block, ContentBlock::Audio(_));
    if request.prompt.is_empty() || request.prompt.iter().any(is_audio) {
        return Err(refused("the prompt is empty or holds audio, which was not offered"));
    }
    let hold = session.begin()?;
    Ok((session, hold))
}

/// Runs a turn to its end and responds. If this task returned an error, the connection would end,
/// so errors of the turn are sent in the response.
async fn run(
    session: Arc<Session>,
    hold: Hold,
    prompt: Vec<ContentBlock>,
    responder: Responder<PromptResponse>,
) -> Result<()> {
    let cancellation = responder.cancellation();
    let mut turn = Turn::new(session.clone(), hold);
    let outcome = {
        let mut run = std::pin::pin!(turn.run(prompt));
        tokio::select! {
            outcome = &mut run => outcome,
            () = cancellation.cancelled() => {
                session.cancel();
                run.await
            }
        }
    };
    responder.respond_with_result(outcome)
}
