//! A client written only with the official Rust SDK. `official_peers::script` describes its script,
//! `command_line` its options.
//!
//! It starts the agent or connects to it, opens a session unless told otherwise, follows the script
//! and prints one JSON object per line for each event. It exits with 0 if every call of the script
//! succeeded and every update could be decoded, with 1 otherwise, and with 2 after wrong usage.
//! SIGINT cancels the current turn.

mod capabilities;
mod files;
mod form;
mod opening;
mod own_server;
mod questions;
mod run;
mod state;
mod terminals;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AuthStatusUpdateNotification, CompleteElicitationNotification, CreateElicitationRequest,
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalRequest, KillTerminalResponse,
    MessageMcpRequest, ReadTextFileRequest, ReleaseTerminalRequest, ReleaseTerminalResponse,
    RequestPermissionRequest, SessionNotification, TerminalOutputRequest,
    WaitForTerminalExitRequest, WriteTextFileRequest,
};
use agent_client_protocol::{
    Agent, Client, Error, JsonRpcMessage, Result, UntypedMessage, on_receive_notification,
    on_receive_request,
};
use official_peers::script::Step;
use serde_json::json;
use tokio::task::JoinSet;

use crate::files::Files;
use crate::questions::Questions;
use crate::run::Script;
use crate::state::State;
use crate::terminals::Terminals;
use official_peers::client::agent::transport;
use official_peers::client::command_line::{Opening, Work};
use official_peers::client::events::Events;

/// The SDK drops an update that it cannot decode without calling typed handlers, so this client
/// receives untyped notifications and decodes them as a typed handler would.
fn receive(message: &UntypedMessage, events: &Events, state: &State) {
    if CompleteElicitationNotification::matches_method(message.method()) {
        return events.print("form-completed", message.params());
    }
    if AuthStatusUpdateNotification::matches_method(message.method()) {
        return events.print("account", message.params());
    }
    if !SessionNotification::matches_method(message.method()) {
        return;
    }
    match SessionNotification::parse_message(message.method(), message.params()) {
        Ok(notification) => state.receive(notification),
        Err(error) => {
            events.failed("undecoded", json!({"method": message.method(), "data": error.data}));
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut work = match Work::from_command_line() {
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
    let mut steps = Some(work.steps.clone());
    while let Some(now) = steps {
        steps = match connect(&work, now, &events).await {
            Ok(left) => left,
            Err(error) => {
                events.error("connection", &error);
                None
            }
        };
        work.opening = Opening::None;
    }
    events.print("closed", json!({}));
    if events.any_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Answers a method immediately, unless it is not offered (INIT-17).
macro_rules! answered {
    ($builder:expr, $offered:expr, $shared:ident, |$request:ident: $Request:ty| $result:expr) => {{
        let ($shared, offered) = ($shared.clone(), $offered);
        $builder.on_receive_request(
            async move |$request: $Request, responder, _agent: ConnectionTo<Agent>| match offered {
                true => responder.respond_with_result($result),
                false => responder.respond_with_error(Error::method_not_found()),
            },
            on_receive_request!(),
        )
    }};
}

/// Runs one connection to the agent; returns the steps that remain for another one.
async fn connect(work: &Work, steps: Vec<Step>, events: &Arc<Events>) -> Result<Option<Vec<Step>>> {
    let agent = transport(work)?;
    let state = Arc::new(State::new(events.clone()));
    let modes = (work.offers("form"), work.offers("url"));
    let questions = Arc::new(Questions::new(events.clone(), state.clone(), modes));
    let roots = [&work.cwd].into_iter().chain(&work.directories).cloned().collect();
    let files = Arc::new(Files { roots, events: events.clone() });
    let terminals = Arc::new(Terminals::new(events.clone(), work.cwd.clone()));
    let (told, shown) = (events.clone(), state.clone());
    let builder = Client.v1().name("official-client").on_receive_notification(
        async move |message: UntypedMessage, _agent| {
            receive(&message, &told, &shown);
            Ok(())
        },
        on_receive_notification!(),
    );
    let has_files = work.offers("fs");
    let builder =
        answered!(builder, has_files, files, |request: ReadTextFileRequest| files.read(&request));
    let builder =
        answered!(builder, has_files, files, |request: WriteTextFileRequest| files.write(&request));
    let has_terminals = work.offers("terminal");
    let builder = answered!(builder, has_terminals, terminals, |request: CreateTerminalRequest| {
        terminals.create(request).map(CreateTerminalResponse::new)
    });
    let builder = answered!(builder, has_terminals, terminals, |request: TerminalOutputRequest| {
        terminals.output(&request.session_id, &request.terminal_id)
    });
    let builder = answered!(builder, has_terminals, terminals, |request: KillTerminalRequest| {
        terminals
            .kill(&request.session_id, &request.terminal_id)
            .map(|()| KillTerminalResponse::new())
    });
    let builder =
        answered!(builder, has_terminals, terminals, |request: ReleaseTerminalRequest| {
            terminals
                .release(&request.session_id, &request.terminal_id)
                .map(|()| ReleaseTerminalResponse::new())
        });
    let builder = answered!(builder, work.has_servers, events, |request: MessageMcpRequest| {
        let _ = &events;
        own_server::answer(&request)
    });
    let (waited, asked, elicited) = (terminals.clone(), questions.clone(), questions.clone());
    let has_elicitation = modes.0 || modes.1;
    let left = Arc::new(Mutex::new(None));
    let kept = left.clone();
    builder
        .on_receive_request(
            async move |request: WaitForTerminalExitRequest,
                        responder,
                        agent: ConnectionTo<Agent>| {
                if !has_terminals {
                    return responder.respond_with_error(Error::method_not_found());
                }
                agent.spawn(waited.clone().wait(request.session_id, request.terminal_id, responder))
            },
            on_receive_request!(),
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
        .on_receive_request(
            async move |request: CreateElicitationRequest,
                        responder,
                        agent: ConnectionTo<Agent>| {
                if !has_elicitation {
                    return responder.respond_with_error(Error::method_not_found());
                }
                match elicited.elicited(&request) {
                    Ok(action) => agent.spawn(elicited.clone().answer_form(action, responder)),
                    Err(error) => responder.respond_with_error(error),
                }
            },
            on_receive_request!(),
        )
        .connect_with(agent, async move |agent| {
            let mut script = Script::new(&agent, work, events, &state, &questions);
            let left = script.run(steps).await;
            terminals.end();
            *kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = left;
            Ok(())
        })
        .await?;
    Ok(left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take())
}
