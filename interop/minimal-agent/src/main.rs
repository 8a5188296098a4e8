//! Answers every prompt with one chunk, in the style of the official SDK's examples.

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, InitializeRequest, InitializeResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, SessionId, SessionNotification,
    SessionUpdate, StopReason,
};
use agent_client_protocol::{Agent, Result, Stdio, on_receive_request};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    Agent
        .v1()
        .name("minimal-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _| {
                responder.respond(InitializeResponse::new(request.protocol_version))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _| {
                responder.respond(NewSessionResponse::new(SessionId::new("s1")))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, connection| {
                connection.spawn({
                    let connection = connection.clone();
                    async move {
                        let chunk = ContentChunk::new(ContentBlock::from("hello"));
                        let update = SessionUpdate::AgentMessageChunk(chunk);
                        let notification = SessionNotification::new(request.session_id, update);
                        connection.send_notification(notification)?;
                        responder.respond(PromptResponse::new(StopReason::EndTurn))
                    }
                })
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
