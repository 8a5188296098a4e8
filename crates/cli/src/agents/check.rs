//! `attache agents check`: starts an agent, opens a session in an empty folder, and shows which
//! versions of the protocol the agent speaks and what it offers.

use super::arguments::Check;
use super::checked::{self, Checked, json, named};
use crate::chosen_agent::ChosenAgent;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::probe::Probe;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use attache_client::KnownAgent;
use attache_protocol::v1::{AgentCapabilities, AuthMethod};
use attache_view::sanitize;
use std::io::{self, IsTerminal, Write};

/// Runs `attache agents check`.
pub(super) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    match &arguments.agent {
        Some(agent) => one(agent, arguments, &interrupts).await,
        None => super::check_all::check_all(arguments, &interrupts).await,
    }
}

async fn one(given: &str, arguments: &Check, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let choose = || ChosenAgent::of(Some(given)).map(|chosen| chosen.with_env(&arguments.env));
    let (chosen, again) = (choose()?, choose()?.into_launch()?);
    let (known, word) = (chosen.known, chosen.word.clone());
    let is_watched = !arguments.json && io::stderr().is_terminal();
    let checked = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the check was complete")),
        checked = checked::check(chosen, again, is_watched) => checked?,
    };
    let lines = match arguments.json {
        true => vec![json(given, &checked)],
        false => for_people(&checked, known, Paint::of(&io::stdout())),
    };
    let mut out = io::stdout().lock();
    let written =
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map_err(|error| Failure::output(&error))?;
    match checked.probe {
        Probe::Opened(_) => Ok(Exit::Done),
        Probe::LoginNeeded(said) => {
            let needs = known.map(|known| known.login);
            let ways = crate::login::advice(&word, &checked.auth_methods, needs);
            Err(Failure::new(
                Exit::LoginNeeded,
                format!("the agent needs a login first ({said}){ways}"),
            ))
        }
        Probe::Failed(why) => Err(Failure::new(Exit::AgentFailed, why)),
    }
}

fn for_people(checked: &Checked, known: Option<&KnownAgent>, paint: Paint) -> Vec<String> {
    let name = checked.about.as_ref().map_or_else(
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
            paint.paint(DIM, format!("   answered in {:.2} s", checked.took.as_secs_f64()))
        ),
        row("protocol", checked.versions.for_people()),
    ];
    lines.extend(offers(&checked.capabilities).map(|(what, found)| row(what, found)));
    let opens = match &checked.probe {
        Probe::Opened(took) => {
            format!("opened one in {:.2} s, no login needed", took.as_secs_f64())
        }
        Probe::LoginNeeded(_) => "needs a login first".to_owned(),
        Probe::Failed(_) => "opens no session".to_owned(),
    };
    lines.push(row("session", opens));
    for method in &checked.auth_methods {
        lines.push(row("login", login(method)));
    }
    lines.extend(known.map(|known| row("needs", known.login.to_owned())));
    if let Some(first) = checked.stray_output.first() {
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
