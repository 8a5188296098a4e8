//! `attache agents`: which agents are known by name, which of them are here, and whether one works.

pub(crate) mod arguments;
mod check;
pub(crate) mod own;

use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use crate::show::sanitize;
use arguments::{Agents, Task};
use attache_client::{KNOWN_AGENTS, KnownAgent};
use attache_host::Launch;
use own::OwnAgents;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Runs the command.
pub(crate) async fn agents(arguments: Agents) -> Result<Exit, Failure> {
    match arguments.task.unwrap_or(Task::List(arguments.list)) {
        Task::List(arguments) => list(arguments.json),
        Task::Check(arguments) => check::check(&arguments).await,
        Task::Add(arguments) => {
            let mut own = OwnAgents::read()?;
            own.add(&arguments.name, &arguments.command)?;
            told(&format!("{} is in {}; try it: attache agents check {0}", arguments.name, own.shown()))
        }
        Task::Remove(arguments) => {
            let mut own = OwnAgents::read()?;
            own.remove(&arguments.name)?;
            told(&format!("{} is no longer in {}", arguments.name, own.shown()))
        }
    }
}

/// Says on stderr what was done.
fn told(text: &str) -> Result<Exit, Failure> {
    writeln!(io::stderr(), "{text}").map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// An agent, and where it is.
struct Found {
    agent: &'static KnownAgent,
    program: Option<PathBuf>,
    /// As its package says; nothing is started for it.
    version: Option<String>,
}

impl Found {
    fn of(agent: &'static KnownAgent) -> Self {
        let program = agent.find();
        let version = program.as_deref().and_then(|program| version(agent, program));
        Self { agent, program, version }
    }

    fn json(&self) -> String {
        let KnownAgent { name, title, command, install, login, .. } = self.agent;
        let program = self.program.as_ref().map(|program| program.to_string_lossy());
        let line = json!({
            "name": name, "title": title, "command": command, "program": program, "version": self.version,
            "install": install, "login": login,
        });
        escaped(&line.to_string())
    }

    fn line(&self, paint: Paint) -> String {
        let name = format!("{:<12}", self.agent.name);
        let Some(program) = &self.program else {
            return format!("{} {name}{}", paint.paint(DIM, "-"), paint.paint(DIM, self.agent.install));
        };
        let version = sanitize::line(self.version.as_deref().unwrap_or_default());
        let program = sanitize::line(&sanitize::visible(&program.to_string_lossy()));
        format!("{} {}{version:<10}{program}", paint.paint(GREEN, "✓"), paint.paint(BOLD, name))
    }
}

/// Where the program of a command line is.
fn own_program(command: &str) -> Option<PathBuf> {
    Launch::parse(command).ok()?.find()
}

fn own_json((name, command): (&str, &str)) -> String {
    let program = own_program(command);
    let line = json!({
        "name": name, "title": null, "command": command, "program": program.map(|program| program.to_string_lossy().into_owned()),
        "version": null, "install": null, "login": null,
    });
    escaped(&line.to_string())
}

fn version(agent: &KnownAgent, program: &Path) -> Option<String> {
    let text = std::fs::read_to_string(agent.package_file(program)?).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    package.get("version")?.as_str().map(str::to_owned)
}

fn list(json: bool) -> Result<Exit, Failure> {
    let own = OwnAgents::read()?;
    let found: Vec<Found> = KNOWN_AGENTS.iter().map(Found::of).collect();
    let mut out = io::stdout().lock();
    let paint = Paint::of(&out);
    let lines = match json {
        true => own.all().map(own_json).chain(found.iter().map(Found::json)).collect(),
        false => for_people(&own, &found, paint),
    };
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// Those that are here first, then how the others are installed.
fn for_people(own: &OwnAgents, found: &[Found], paint: Paint) -> Vec<String> {
    let built_in = format!(
        "{} {}{:<10}needs nothing; `attache run` uses it unless --agent names another",
        paint.paint(GREEN, "✓"),
        paint.paint(BOLD, format!("{:<12}", "attache")),
        env!("CARGO_PKG_VERSION")
    );
    let (here, missing): (Vec<&Found>, Vec<&Found>) = found.iter().partition(|found| found.program.is_some());
    let mut lines = vec![built_in];
    lines.extend(own.all().map(|(name, command)| {
        let mark =
            if own_program(command).is_some() { paint.paint(GREEN, "✓") } else { paint.paint(DIM, "-") };
        format!(
            "{mark} {}{:<10}{}",
            paint.paint(BOLD, format!("{name:<12}")),
            "yours",
            sanitize::line(command)
        )
    }));
    lines.extend(here.iter().map(|found| found.line(paint)));
    if !missing.is_empty() {
        lines.extend([String::new(), "Not here; each line installs one:".to_owned()]);
        lines.extend(missing.iter().map(|found| found.line(paint)));
    }
    let example = here.first().map_or("attache", |found| found.agent.name);
    lines.extend([
        String::new(),
        format!(
            "attache agents check {example}{}",
            paint.paint(DIM, "   starts it and tells what it offers")
        ),
    ]);
    lines
}
