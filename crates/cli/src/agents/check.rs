//! `attache agents check`: starts an agent, opens a session in an empty folder and shows what the
//! agent offers.

use super::arguments::Check;
use super::checked::{Checked, json, named, start};
use crate::chosen_agent::ChosenAgent;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::probe::Probe;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use crate::show::sanitize;
use attache_client::{AgentProcess, KnownAgent};
use attache_protocol::v1::{AgentCapabilities, AuthMethod};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Runs `attache agents check`.
pub(super) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    match &arguments.agent {
        Some(agent) => one(agent, arguments, &interrupts).await,
        None => super::check_all::check_all(arguments, &interrupts).await,
    }
}

async fn one(given: &str, arguments: &Check, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let chosen = ChosenAgent::of(Some(given))?.with_env(&arguments.env);
    let (known, word) = (chosen.known, chosen.word.clone());
    let is_watched = !arguments.json && io::stderr().is_terminal();
    let Checked { agent, took, probe } = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the check was complete")),
        checked = start(chosen, is_watched) => checked?,
    };
    let lines = match arguments.json {
        true => vec![json(given, &agent, took, &probe)],
        false => for_people(&agent, known, took, &probe, Paint::of(&io::stdout())),
    };
    let methods = agent.auth_methods().to_vec();
    tokio::select! {
        // Dropping the agent kills it and all of its processes.
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

/// Returns the features that the agent offers, by topic.
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

fn login(method: &AuthMethod) -> String {
    let where_ = match method {
        AuthMethod::Agent(_) => "",
        AuthMethod::Terminal(_) => ", in a terminal",
    };
    sanitize::line(&format!("{} ({}{where_})", method.name(), method.id()))
}
