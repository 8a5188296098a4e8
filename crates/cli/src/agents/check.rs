//! `attache agents check`: starts an agent, opens a session in an empty folder, tells what it
//! offers, ends it.

use super::arguments::Check;
use crate::chosen_agent::{ChosenAgent, cannot_start};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::probe::{Probe, probe};
use crate::run::waiting::waiting;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use crate::show::sanitize;
use attache_check::masked;
use attache_client::{AgentProcess, KnownAgent, Options};
use attache_protocol::encode;
use attache_protocol::v1::{AgentCapabilities, AuthMethod};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Runs the command.
pub(super) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::OurFault, error))?;
    match &arguments.agent {
        Some(agent) => one(agent, arguments, &interrupts).await,
        None => super::working::all(arguments, &interrupts).await,
    }
}

async fn one(given: &str, arguments: &Check, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let chosen = ChosenAgent::of(Some(given))?.with_env(&arguments.env);
    let (known, word) = (chosen.known, chosen.word.clone());
    let told = !arguments.json && io::stderr().is_terminal();
    let Checked { agent, took, probe } = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the check was complete")),
        checked = start(chosen, told) => checked?,
    };
    let lines = match arguments.json {
        true => vec![json(given, &agent, took, &probe)],
        false => for_people(&agent, known, took, &probe, Paint::of(&io::stdout())),
    };
    let methods = agent.auth_methods().to_vec();
    tokio::select! {
        // Dropping it kills it, with everything it started.
        () = interrupts.end() => {}
        _ = agent.stop() => {}
    }
    let mut out = io::stdout().lock();
    let written =
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map_err(|error| Failure::output(&error))?;
    match probe {
        Probe::Opened(_) => Ok(Exit::Done),
        Probe::LoginNeeded(said) => {
            let needs = known.map(|known| known.login);
            let ways = crate::login::advice(&word, &methods, needs);
            Err(Failure::new(
                Exit::LoginNeeded,
                format!("the agent needs a login first ({said}){ways}"),
            ))
        }
        Probe::Failed(why) => Err(Failure::new(Exit::AgentFailed, why)),
    }
}

/// An agent that was started, how long its handshake took, and whether it opens sessions.
pub(super) struct Checked {
    pub(super) agent: AgentProcess,
    pub(super) took: Duration,
    pub(super) probe: Probe,
}

/// Starts the agent and opens a session; a person is told if that takes long.
///
/// # Errors
/// It does not start.
pub(super) async fn start(chosen: ChosenAgent, told: bool) -> Result<Checked, Failure> {
    let ChosenAgent { launch, known, name, .. } = chosen;
    let began = Instant::now();
    let options = Options::default().terminal_login();
    let starting = waiting(
        AgentProcess::launch_with(launch, options),
        told.then(|| format!("starting {name}")),
    );
    let agent = starting.await.map_err(|error| cannot_start(&error, known))?;
    let took = began.elapsed();
    let probe = waiting(probe(&agent), told.then(|| format!("{name} is opening a session"))).await;
    Ok(Checked { agent, took, probe })
}

/// One object, in the names of the protocol; without secrets, which a login's environment may hold.
pub(super) fn json(name: &str, agent: &AgentProcess, took: Duration, probe: &Probe) -> String {
    let about = agent.about().map_or_else(|| "null".to_owned(), encode);
    let methods: Vec<String> = agent.auth_methods().iter().map(encode).collect();
    let stray = Value::from(agent.stray_output());
    let name = Value::from(name);
    let session = match probe {
        Probe::Opened(took) => {
            json!({"opened": true, "milliseconds": took.as_millis(), "loginNeeded": false, "error": null})
        }
        Probe::LoginNeeded(said) => {
            json!({"opened": false, "milliseconds": null, "loginNeeded": true, "error": said})
        }
        Probe::Failed(why) => {
            json!({"opened": false, "milliseconds": null, "loginNeeded": false, "error": why})
        }
    };
    let line = format!(
        "{{\"name\":{name},\"protocolVersion\":1,\"agentInfo\":{about},\"agentCapabilities\":{},\"authMethods\":[{}],\"milliseconds\":{},\"strayOutput\":{stray},\"session\":{session}}}",
        encode(agent.capabilities()),
        methods.join(","),
        took.as_millis()
    );
    escaped(&masked(&line))
}

fn for_people(
    agent: &AgentProcess,
    known: Option<&KnownAgent>,
    took: Duration,
    probe: &Probe,
    paint: Paint,
) -> Vec<String> {
    let about = agent.about();
    let name = about.map_or_else(
        || "an agent without a name".to_owned(),
        |about| {
            sanitize::line(&format!(
                "{} {}",
                about.title.as_deref().unwrap_or(&about.name),
                about.version
            ))
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
    let opens = match probe {
        Probe::Opened(took) => {
            format!("opened one in {:.2} s, no login needed", took.as_secs_f64())
        }
        Probe::LoginNeeded(_) => "needs a login first".to_owned(),
        Probe::Failed(_) => "opens no session".to_owned(),
    };
    lines.push(row("session", opens));
    for method in agent.auth_methods() {
        lines.push(row("login", login(method)));
    }
    lines.extend(known.map(|known| row("needs", known.login.to_owned())));
    let stray = agent.stray_output();
    if let Some(first) = stray.first() {
        lines.push(row(
            "printed",
            format!("text that is not an ACP message, such as: {}", sanitize::line(first)),
        ));
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

pub(super) fn named(all: &[(bool, &str)]) -> String {
    let offered: Vec<&str> =
        all.iter().filter(|(offered, _)| *offered).map(|(_, name)| *name).collect();
    offered.join(", ")
}

fn login(method: &AuthMethod) -> String {
    let where_ = match method {
        AuthMethod::Agent(_) => "",
        AuthMethod::Terminal(_) => ", in a terminal",
    };
    sanitize::line(&format!("{} ({}{where_})", method.name(), method.id()))
}
