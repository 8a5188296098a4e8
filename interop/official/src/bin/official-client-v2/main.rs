//! The client for version 2, written only with the official Rust SDK. Its options, its scripts and
//! its output are those of `official-client`; `script` describes what differs. It offers no forms.

mod questions;
mod script;
mod state;

use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol::v2::ConnectionTo;
use agent_client_protocol::v2::schema::{RequestPermissionRequest, UpdateSessionNotification};
use agent_client_protocol::{
    Agent, Client, JsonRpcMessage, Result, UntypedMessage, on_receive_notification,
    on_receive_request,
};
use official_peers::client::agent::transport;
use official_peers::client::command_line::Work;
use official_peers::client::events::Events;
use serde_json::json;
use tokio::task::JoinSet;

use crate::questions::Questions;
use crate::script::Script;
use crate::state::State;

/// The SDK drops an update that it cannot decode without calling typed handlers, so this client
/// receives untyped notifications and decodes them as a typed handler would.
fn receive(message: &UntypedMessage, events: &Events, state: &State) {
    if !UpdateSessionNotification::matches_method(message.method()) {
        return;
    }
    match UpdateSessionNotification::parse_message(message.method(), message.params()) {
        Ok(notification) => state.receive(notification),
        Err(error) => {
            events.failed("undecoded", json!({"method": message.method(), "data": error.data}));
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let work = match Work::from_command_line() {
        Ok(work) => work,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let events = Arc::new(Events::default());
    let interrupted = events.clone();
    let mut watching = JoinSet::new();
    watching.spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            interrupted.seen.send_modify(|seen| seen.interrupts += 1);
            // Only a turn handles interrupts; otherwise an interrupt ends the program, as usual.
            if interrupted.seen.receiver_count() == 0 {
                std::process::exit(130);
            }
        }
    });
    if let Err(error) = connect(&work, &events).await {
        events.error("connection", &error);
    }
    events.print("closed", json!({}));
    if events.any_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

async fn connect(work: &Work, events: &Arc<Events>) -> Result<()> {
    let agent = transport(work)?;
    let state = Arc::new(State::new(events.clone()));
    let questions = Arc::new(Questions::new(events.clone(), state.clone()));
    let (told, shown, asked) = (events.clone(), state.clone(), questions.clone());
    Client
        .v2()
        .name("official-client-v2")
        .on_receive_notification(
            async move |message: UntypedMessage, _agent| {
                receive(&message, &told, &shown);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest,
                        responder,
                        agent: ConnectionTo<Agent>| {
                let outcome = asked.ask(&request);
                agent.spawn(asked.clone().answer(outcome, responder))
            },
            on_receive_request!(),
        )
        .connect_with(agent, async move |agent| {
            Script::new(&agent, work, events, &state, &questions).run().await;
            Ok(())
        })
        .await
}
