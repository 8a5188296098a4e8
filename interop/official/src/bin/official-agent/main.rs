//! An agent on stdio written with the official Rust SDK only; its prompts are `official_peers::command`.
//!
//! The SDK waits for each handler before it looks at the next message, so a turn runs in a task of the
//! connection and its handler only registers it.

mod sessions;
mod turn;

use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    CancelNotification, InitializeRequest, NewSessionRequest, PromptRequest, SetSessionConfigOptionRequest,
    SetSessionModeRequest, SetSessionModeResponse,
};
use agent_client_protocol::{Agent, Result, Stdio, on_receive_notification, on_receive_request};

use crate::sessions::Sessions;

#[tokio::main]
async fn main() -> Result<()> {
    let sessions = Arc::new(Sessions::default());
    let (initialize, open, set_mode) = (sessions.clone(), sessions.clone(), sessions.clone());
    let (set_config_option, cancel) = (sessions.clone(), sessions.clone());
    Agent
        .v1()
        .name("official-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _client| {
                responder.respond(initialize.initialize(&request.client_capabilities))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(open.open(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, client| {
                let set = set_mode.set_mode(&request, &client);
                responder.respond_with_result(set.map(|()| SetSessionModeResponse::new()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionConfigOptionRequest, responder, client| {
                responder.respond_with_result(set_config_option.set_config_option(&request, &client))
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _client| {
                cancel.cancel(&request.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client| match sessions.begin(&request, &client) {
                Ok(turn) => client.spawn(turn.answer(responder)),
                Err(error) => responder.respond_with_error(error),
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
