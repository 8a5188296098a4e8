//! A client written with the official Rust SDK only; its script is `official_peers::script`.
//!
//! `official-client [--script FILE] [--cwd DIR] [--load ID | --resume ID] -- COMMAND ARGS…` starts the agent, opens
//! one session in DIR, a new one or the one named, and prints one JSON object a line for everything that happens. It
//! ends with 0 when every call of the script was answered without an error and every update could be decoded, with 1
//! when not, with 2 on wrong usage.

mod events;
mod files;
mod permissions;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    ReadTextFileRequest, RequestPermissionRequest, SessionNotification, WriteTextFileRequest,
};
use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Client, JsonRpcMessage, LineDirection, Result, UntypedMessage,
    on_receive_notification, on_receive_request,
};
use official_peers::script::Step;
use serde_json::json;

use crate::events::Events;
use crate::files::Files;
use crate::permissions::Permissions;

/// What the command line and the script ask for.
struct Work {
    cwd: PathBuf,
    opening: Opening,
    agent: Vec<String>,
    steps: Vec<Step>,
}

/// Which session is worked in.
enum Opening {
    New,
    Load(String),
    Resume(String),
}

impl Work {
    fn from_command_line() -> Result<Self, String> {
        let (mut script, mut cwd, mut opening) = (None, PathBuf::from("."), Opening::New);
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--script" => script = arguments.next(),
                "--cwd" => cwd = arguments.next().ok_or("--cwd needs a folder")?.into(),
                "--load" => opening = Opening::Load(arguments.next().ok_or("--load needs a session")?),
                "--resume" => opening = Opening::Resume(arguments.next().ok_or("--resume needs a session")?),
                "--" => break,
                other => return Err(format!("{other}: unknown option")),
            }
        }
        let agent = arguments.collect::<Vec<_>>();
        if agent.is_empty() {
            let options = "[--script FILE] [--cwd DIR] [--load ID | --resume ID]";
            return Err(format!("usage: official-client {options} -- COMMAND ARGS…"));
        }
        let text = match &script {
            Some(file) => std::fs::read_to_string(file),
            None => std::io::read_to_string(std::io::stdin()),
        };
        let text = text.map_err(|error| format!("the script cannot be read: {error}"))?;
        let cwd = cwd.canonicalize().map_err(|error| format!("{}: {error}", cwd.display()))?;
        Ok(Self { cwd, opening, agent, steps: Step::parse_all(&text)? })
    }
}

/// The SDK drops an update that it cannot decode without telling typed handlers, so this client takes updates
/// untyped and decodes them as a typed handler would.
fn receive_update(message: &UntypedMessage, events: &Events) {
    if !SessionNotification::matches_method(message.method()) {
        return;
    }
    match SessionNotification::parse_message(message.method(), message.params()) {
        Ok(notification) => events.update(&notification.update),
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
    if let Err(error) = connect(work, &events).await {
        events.error("connection", &error);
    }
    events.print("closed", json!({}));
    if events.any_failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

async fn connect(work: Work, events: &Arc<Events>) -> Result<()> {
    let (command, arguments) = work.agent.split_first().expect("the command line was checked");
    let agent = AcpAgent::new(AcpAgentConfig::new(command).args(arguments.iter().cloned()));
    let agent = agent.with_debug(|line, direction| {
        if direction == LineDirection::Stderr {
            eprintln!("{line}");
        }
    });
    let permissions = Arc::new(Permissions::new(events.clone()));
    let read = Arc::new(Files { root: work.cwd.clone(), events: events.clone() });
    let write = read.clone();
    let (updates, asked) = (events.clone(), permissions.clone());
    Client
        .v1()
        .name("official-client")
        .on_receive_notification(
            async move |message: UntypedMessage, _agent| {
                receive_update(&message, &updates);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _agent| asked.ask(&request, responder),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ReadTextFileRequest, responder, _agent| {
                responder.respond_with_result(read.read(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: WriteTextFileRequest, responder, _agent| {
                responder.respond_with_result(write.write(&request))
            },
            on_receive_request!(),
        )
        .connect_with(agent, async move |agent| {
            run::run(&agent, &work.cwd, work.opening, work.steps, events, &permissions).await;
            Ok(())
        })
        .await
}
