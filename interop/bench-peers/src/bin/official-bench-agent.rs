//! The official Rust SDK's agent of the speed table: `official-bench-agent sdk|pipe`.
//!
//! `sdk` uses the SDK's own stdio transport, as its README shows; `pipe` gives the SDK stdin and
//! stdout as non-blocking pipes of tokio, its fastest setup. `RT=multi` selects the runtime of
//! `#[tokio::main]`.

use std::os::fd::{AsFd, OwnedFd};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, SessionId, SessionNotification,
    SessionUpdate, SetSessionModeRequest, SetSessionModeResponse, StopReason,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, ByteStreams, Client, ConnectTo, Error, Result, Stdio, on_receive_request,
};
use bench_peers::flood::Flood;
use bench_peers::stats::{Stats, StatsRequest};
use tokio::net::unix::pipe;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

fn main() -> Result<()> {
    let kind = std::env::args().nth(1).unwrap_or_else(|| "sdk".into());
    bench_peers::runtime::from_environment().block_on(async {
        match kind.as_str() {
            "sdk" => serve(Stdio::new()).await,
            "pipe" => {
                let pipes = non_blocking_stdio().map_err(Error::into_internal_error)?;
                serve(ByteStreams::new(pipes.1.compat_write(), pipes.0.compat())).await
            }
            other => Err(Error::invalid_params().data(format!("{other} is neither sdk nor pipe"))),
        }
    })
}

fn non_blocking_stdio() -> std::io::Result<(pipe::Receiver, pipe::Sender)> {
    let input: OwnedFd = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output: OwnedFd = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok((pipe::Receiver::from_owned_fd(input)?, pipe::Sender::from_owned_fd(output)?))
}

async fn serve(transport: impl ConnectTo<Agent> + 'static) -> Result<()> {
    Agent
        .v1()
        .name("official-bench-agent")
        .on_receive_request(
            async |request: InitializeRequest, responder, _client| {
                responder.respond(InitializeResponse::new(request.protocol_version))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async |_request: NewSessionRequest, responder, _client| {
                responder.respond(NewSessionResponse::new(SessionId::new("sess-0123456789abcdef")))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async |_request: SetSessionModeRequest, responder, _client| {
                responder.respond(SetSessionModeResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async |_request: StatsRequest, responder, _client| responder.respond(Stats::now()),
            on_receive_request!(),
        )
        .on_receive_request(
            async |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let Some(flood) = flood_of(&request) else {
                    return responder.respond_with_error(Error::invalid_params());
                };
                client.spawn(answer(flood, request.session_id, client.clone(), responder))
            },
            on_receive_request!(),
        )
        .connect_to(transport)
        .await
}

fn flood_of(request: &PromptRequest) -> Option<Flood> {
    match request.prompt.first()? {
        ContentBlock::Text(text) => Flood::parse(&text.text),
        _ => None,
    }
}

async fn answer(
    flood: Flood,
    session_id: SessionId,
    client: ConnectionTo<Client>,
    responder: Responder<PromptResponse>,
) -> Result<()> {
    let text = flood.text();
    for _ in 0..flood.count {
        let chunk = ContentChunk::new(ContentBlock::from(text.as_str()));
        let update = SessionUpdate::AgentMessageChunk(chunk);
        client.send_notification(SessionNotification::new(session_id.clone(), update))?;
        if flood.yielding {
            tokio::task::yield_now().await;
        }
    }
    responder.respond(PromptResponse::new(StopReason::EndTurn))
}
