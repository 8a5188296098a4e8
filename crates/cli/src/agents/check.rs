//! `attache agents check`: starts an agent, tells what it says of itself, ends it.

use super::arguments::Check;
use crate::chosen_agent::{ChosenAgent, cannot_start};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::run::masked;
use crate::run::waiting::waiting;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use crate::show::sanitize;
use attache_client::{AgentProcess, KnownAgent};
use attache_protocol::encode;
use attache_protocol::v1::{AgentCapabilities, AuthMethod};
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Runs the command.
pub(super) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::OurFault, error))?;
    let ChosenAgent { launch, known, name, .. } = ChosenAgent::of(Some(&arguments.agent))?;
    let began = Instant::now();
    let told = (!arguments.json && io::stderr().is_terminal()).then(|| format!("starting {name}"));
    let agent = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the agent had started")),
        agent = waiting(AgentProcess::launch(launch), told) => agent.map_err(|error| cannot_start(error, known))?,
    };
    let took = began.elapsed();
    let lines = match arguments.json {
        true => vec![json(&agent, took)],
        false => for_people(&agent, known, took, Paint::of(&io::stdout())),
    };
    tokio::select! {
        // Dropping it kills it, with everything it started.
        () = interrupts.end() => {}
        _ = agent.stop() => {}
    }
    let mut out = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// One object, in the names of the protocol; without secrets, which a login's environment may hold.
fn json(agent: &AgentProcess, took: Duration) -> String {
    let about = agent.about().map_or_else(|| "null".to_owned(), encode);
    let methods: Vec<String> = agent.auth_methods().iter().map(encode).collect();
    let stray = Value::from(agent.stray_output());
    let line = format!(
        "{{\"protocolVersion\":1,\"agentInfo\":{about},\"agentCapabilities\":{},\"authMethods\":[{}],\"milliseconds\":{},\"strayOutput\":{stray}}}",
        encode(agent.capabilities()),
        methods.join(","),
        took.as_millis()
    );
    escaped(&masked(&line))
}

fn for_people(agent: &AgentProcess, known: Option<&KnownAgent>, took: Duration, paint: Paint) -> Vec<String> {
    let about = agent.about();
    let name = about.map_or_else(
        || "an agent without a name".to_owned(),
        |about| {
            sanitize::line(&format!("{} {}", about.title.as_deref().unwrap_or(&about.name), about.version))
        },
    );
    let row = |what: &str, found: String| format!("  {what:<14}{found}");
    let mut lines = vec![
        format!(
            "{} {}{}",
            paint.paint(GREEN, "✓"),
            paint.paint(BOLD, name),
            paint.paint(DIM, format!("   answered in {:.2} s", took.as_secs_f64()))
        ),
        row("protocol", "ACP version 1".to_owned()),
    ];
    lines.extend(offers(agent.capabilities()).map(|(what, found)| row(what, found)));
    for method in agent.auth_methods() {
        lines.push(row("login", login(method)));
    }
    lines.extend(known.map(|known| row("needs", known.login.to_owned())));
    let stray = agent.stray_output();
    if let Some(first) = stray.first() {
        lines
            .push(row("printed", format!("text that is no ACP message, such as: {}", sanitize::line(first))));
    }
    lines
}

/// What it offers, a row for each part.
fn offers(capabilities: &AgentCapabilities) -> impl Iterator<Item = (&'static str, String)> {
    let AgentCapabilities {
        prompt_capabilities: prompts,
        mcp_capabilities: mcp,
        session_capabilities: sessions,
        ..
    } = capabilities;
    let rows = [
        (
            "prompts",
            named(&[
                (true, "text"),
                (true, "links"),
                (prompts.image, "images"),
                (prompts.audio, "audio"),
                (prompts.embedded_context, "files"),
            ]),
        ),
        (
            "MCP servers",
            named(&[
                (true, "programs"),
                (mcp.http, "HTTP"),
                (mcp.sse, "server-sent events"),
                (mcp.acp, "through the client"),
            ]),
        ),
        (
            "sessions",
            named(&[
                (true, "new"),
                (capabilities.load_session, "load"),
                (sessions.resume.is_some(), "resume"),
                (sessions.list.is_some(), "list"),
                (sessions.fork.is_some(), "fork"),
                (sessions.close.is_some(), "close"),
                (sessions.delete.is_some(), "delete"),
                (sessions.archive.is_some(), "archive"),
                (sessions.title.is_some(), "titles"),
                (sessions.additional_directories.is_some(), "more folders"),
            ]),
        ),
    ];
    rows.into_iter()
}

fn named(all: &[(bool, &str)]) -> String {
    let offered: Vec<&str> = all.iter().filter(|(offered, _)| *offered).map(|(_, name)| *name).collect();
    offered.join(", ")
}

fn login(method: &AuthMethod) -> String {
    let where_ = match method {
        AuthMethod::Agent(_) => "",
        AuthMethod::Terminal(_) => ", in a terminal",
    };
    sanitize::line(&format!("{} ({}{where_})", method.name(), method.id()))
}
