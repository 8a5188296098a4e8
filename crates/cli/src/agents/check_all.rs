//! `attache agents check` without a name: checks every installed agent.

use super::arguments::Check;
use super::checked::{self, Checked, json, named};
use super::own::OwnAgents;
use super::own_program;
use crate::chosen_agent::ChosenAgent;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::probe::Probe;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint, RED};
use attache_client::KNOWN_AGENTS;
use attache_protocol::v1::AgentCapabilities;
use attache_view::sanitize;
use serde_json::json;
use std::io::{self, IsTerminal, Write};

/// Checks the installed agents: the built-in one, the person's own and the known ones. Returns the
/// exit code of the first one that fails.
pub(super) async fn check_all(arguments: &Check, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let own = OwnAgents::read()?;
    let mut names = vec!["attache".to_owned()];
    names.extend(
        own.all()
            .filter(|(_, own)| own_program(&own.command).is_some())
            .map(|(name, _)| name.to_owned()),
    );
    let known = KNOWN_AGENTS
        .iter()
        .filter(|agent| agent.find().is_some() && own.named(agent.name).is_none());
    names.extend(known.map(|agent| agent.name.to_owned()));
    let paint = Paint::of(&io::stdout());
    if !arguments.json {
        let head = format!(
            "  {:<14}{:<10}{:<6}{:>8}{:>9}  {:<12}offers",
            "agent", "version", "ACP", "start", "session", "login"
        );
        print(&paint.paint(DIM, head))?;
    }
    let mut exit = Exit::Done;
    for name in names {
        let is_watched = !arguments.json && io::stderr().is_terminal();
        let choose = || ChosenAgent::of(Some(&name)).map(|chosen| chosen.with_env(&arguments.env));
        let (chosen, again) = (choose()?, choose()?.into_launch()?);
        let checked = tokio::select! {
            () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before all agents were checked")),
            checked = checked::check(chosen, again, is_watched) => checked,
        };
        let of_this = match &checked {
            Err(failure) => failure.exit,
            Ok(Checked { probe: Probe::Opened(_), .. }) => Exit::Done,
            Ok(Checked { probe: Probe::LoginNeeded(_), .. }) => Exit::LoginNeeded,
            Ok(Checked { probe: Probe::Failed(_), .. }) => Exit::AgentFailed,
        };
        exit = if exit == Exit::Done { of_this } else { exit };
        print(&match (&checked, arguments.json) {
            (Ok(checked), true) => json(&name, checked),
            (Err(failure), true) => {
                escaped(&json!({"name": name, "error": failure.message}).to_string())
            }
            (_, false) => line(&name, &checked, paint),
        })?;
    }
    Ok(exit)
}

fn print(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}

/// Formats a row of the table.
fn line(name: &str, checked: &Result<Checked, Failure>, paint: Paint) -> String {
    let name = paint.paint(BOLD, format!("{name:<14}"));
    let bad = paint.paint(RED, "✗");
    let checked = match checked {
        Ok(checked) => checked,
        Err(failure) => return format!("{bad} {name}{}", sanitize::line(&failure.message)),
    };
    let version =
        checked.about.as_ref().map(|about| sanitize::line(&about.version)).unwrap_or_default();
    let versions = checked.versions.brief();
    let took = format!("{:.2} s", checked.took.as_secs_f64());
    let begin = format!("{name}{version:<10}{versions:<6}{took:>8}");
    let offers = offers(&checked.capabilities);
    let (mark, session, login) = match &checked.probe {
        Probe::Opened(took) => {
            (paint.paint(GREEN, "✓"), format!("{:.2} s", took.as_secs_f64()), "not needed")
        }
        Probe::LoginNeeded(_) => (bad, "-".to_owned(), "needed"),
        Probe::Failed(why) => return format!("{bad} {begin}  {}", sanitize::line(why)),
    };
    format!("{mark} {begin}{session:>9}  {login:<12}{offers}")
}

/// Returns the features that distinguish agents, in a few words.
fn offers(capabilities: &AgentCapabilities) -> String {
    let sessions = &capabilities.session_capabilities;
    let (prompts, mcp) = (&capabilities.prompt_capabilities, &capabilities.mcp_capabilities);
    let all = [
        (capabilities.load_session, "load"),
        (sessions.resume.is_some(), "resume"),
        (sessions.list.is_some(), "list"),
        (sessions.fork.is_some(), "fork"),
        (prompts.image, "images"),
        (prompts.audio, "audio"),
        (mcp.http, "MCP over HTTP"),
    ];
    named(&all)
}
