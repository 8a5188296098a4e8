//! `attache agents`: lists, checks, adds and removes agents.

pub(crate) mod arguments;
mod check;
mod check_all;
mod checked;
pub(crate) mod own;
mod registry;
mod versions;

use crate::chosen_agent::BUILT_IN;
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint};
use arguments::{Add, Agents, List, Task};
use attache_client::{KNOWN_AGENTS, KnownAgent, Registry, RegistryAgent};
use attache_host::Launch;
use attache_view::sanitize;
use own::{OwnAgent, OwnAgents};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Runs `attache agents`.
pub(crate) async fn agents(arguments: Agents) -> Result<Exit, Failure> {
    match arguments.task.unwrap_or(Task::List(arguments.list)) {
        Task::List(arguments) => list(&arguments).await,
        Task::Check(arguments) => check::check(&arguments).await,
        Task::Add(arguments) => add(arguments).await,
        Task::Remove(arguments) => {
            let mut own = OwnAgents::read()?;
            own.remove(&arguments.name)?;
            Exit::report(&format!("removed {} from {}", arguments.name, own.shown()))
        }
    }
}

async fn add(arguments: Add) -> Result<Exit, Failure> {
    let mut own = OwnAgents::read()?;
    let Add { name, registry, env, protocol, force, command } = arguments;
    let (mut agent, mut missing) = match registry {
        Some(place) => of_registry(&place, &name).await?,
        None => (OwnAgent { command: command_line(&command, &env)?, ..OwnAgent::default() }, None),
    };
    agent.protocol = protocol;
    if BUILT_IN.contains(&name.as_str()) {
        return Err(Failure::usage(format!(
            "{name} is the name of the built-in agent: choose another name"
        )));
    }
    let before = own.named(&name).filter(|before| *before != agent);
    let is_replaced = before.is_some();
    if let Some(before) = before.filter(|_| !force) {
        let starts = shown_command(&before.command);
        return Err(Failure::usage(format!(
            "{name} already exists in {} and starts {starts}: choose another name, or replace it with --force",
            own.shown()
        )));
    }
    own.add(&name, &agent)?;
    let program = Launch::parse(&agent.command)
        .map(|launch| (launch.program().display().to_string(), launch.find()));
    if let (None, Ok((program, None))) = (&missing, program) {
        missing = Some(format!("now install its program {}", sanitize::line(&program)));
    }
    let mut next = missing.unwrap_or_else(|| format!("test it with `attache agents check {name}`"));
    if is_replaced {
        next += "; a shared hub that runs uses the new command after `attache serve restart`";
    }
    Exit::report(&format!("added {name} to {}; {next}", own.shown()))
}

/// Returns the command line from the arguments after the name: either one argument with the whole
/// command line, or one argument per word.
fn command_line(words: &[String], env: &[(String, String)]) -> Result<String, Failure> {
    let launch = match words {
        [line] => {
            Launch::parse(line).map_err(|error| Failure::usage(format!("the command: {error}")))?
        }
        words => Launch::parse(
            &words.iter().map(|word| Launch::quoted(word)).collect::<Vec<_>>().join(" "),
        )
        .map_err(|error| Failure::usage(format!("the command: {error}")))?,
    };
    Ok(env.iter().fold(launch, |launch, (name, value)| launch.env(name, value)).command_line())
}

/// Returns the registry's agent with this id, and the steps that remain before it can start.
async fn of_registry(place: &str, id: &str) -> Result<(OwnAgent, Option<String>), Failure> {
    let registry = registry::read(place).await?;
    let agent = registry.agent(id).ok_or_else(|| {
        let advice =
            format!("`attache agents list --registry {}` lists its agents", sanitize::line(place));
        Failure::usage(format!("the registry has no agent {}: {advice}", sanitize::line(id)))
    })?;
    let start = agent.start(&Registry::platform()).map_err(Failure::usage)?;
    let own = OwnAgent {
        command: start.command_line(),
        title: Some(agent.name.clone()),
        version: Some(agent.version.clone()),
        protocol: None,
    };
    let missing = start.download.as_ref().filter(|_| Launch::new(&start.program).find().is_none());
    let missing = missing.map(|download| {
        let sum =
            download.sha256.as_ref().map(|sum| format!(" (SHA-256 {sum})")).unwrap_or_default();
        sanitize::line(&format!(
            "now download {}{sum} and put its program {} into a folder in PATH",
            download.archive, start.program
        ))
    });
    Ok((own, missing))
}

/// A known agent and its program.
struct Found {
    agent: &'static KnownAgent,
    program: Option<PathBuf>,
    /// The version from the package file, read without starting the program.
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
            "source": "known", "name": name, "title": title, "command": command, "program": program, "version": self.version,
            "install": install, "login": login,
        });
        escaped(&line.to_string())
    }

    fn line(&self, paint: Paint) -> String {
        let name = format!("{:<12}", self.agent.name);
        let Some(program) = &self.program else {
            return format!(
                "{} {name}{}",
                paint.paint(DIM, "-"),
                paint.paint(DIM, self.agent.install)
            );
        };
        let version = sanitize::line(self.version.as_deref().unwrap_or_default());
        let program = sanitize::visible_line(&program.to_string_lossy());
        format!("{} {}{version:<10}{program}", paint.paint(GREEN, "✓"), paint.paint(BOLD, name))
    }
}

/// Returns the command line with the values of its environment variables hidden.
fn shown_command(command: &str) -> String {
    sanitize::line(
        &Launch::parse(command).map_or_else(|_| command.to_owned(), |launch| launch.shown()),
    )
}

/// Returns the path of the program that a command line starts.
fn own_program(command: &str) -> Option<PathBuf> {
    Launch::parse(command).ok()?.find()
}

fn own_json((name, own): (&str, OwnAgent)) -> String {
    let program = own_program(&own.command).map(|program| program.to_string_lossy().into_owned());
    let line = json!({
        "source": "own", "name": name, "title": own.title, "command": own.command, "program": program,
        "version": own.version, "install": null, "login": null,
    });
    escaped(&line.to_string())
}

/// Returns a registry's agent as JSON, with the same members as other agents.
fn registry_json(agent: &RegistryAgent, place: &str) -> String {
    let start = agent.start(&Registry::platform()).ok();
    let program = start.as_ref().and_then(|start| Launch::new(&start.program).find());
    let install = start.as_ref().map(|_| install(place, &agent.id));
    let line = json!({
        "source": "registry", "name": agent.id, "title": agent.name, "command": start.map(|start| start.command_line()),
        "program": program.map(|program| program.to_string_lossy().into_owned()), "version": agent.version,
        "install": install, "login": null,
    });
    escaped(&line.to_string())
}

/// Returns the command that adds a registry's agent to the person's own agents.
fn install(place: &str, id: &str) -> String {
    format!("attache agents add --registry {} {id}", Launch::quoted(place))
}

fn version(agent: &KnownAgent, program: &Path) -> Option<String> {
    let text = std::fs::read_to_string(agent.package_file(program)?).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    package.get("version")?.as_str().map(str::to_owned)
}

async fn list(arguments: &List) -> Result<Exit, Failure> {
    let own = OwnAgents::read()?;
    let registry = match &arguments.registry {
        Some(place) => Some((place.as_str(), registry::read(place).await?)),
        None => None,
    };
    let found: Vec<Found> = KNOWN_AGENTS.iter().map(Found::of).collect();
    let mut out = io::stdout().lock();
    let paint = Paint::of(&out);
    let mut lines = match arguments.json {
        true => own.all().map(own_json).chain(found.iter().map(Found::json)).collect(),
        false => for_people(&own, &found, paint),
    };
    if let Some((place, registry)) = &registry {
        lines.extend(match arguments.json {
            true => registry.agents.iter().map(|agent| registry_json(agent, place)).collect(),
            false => of_registry_for_people(registry, place, paint),
        });
    }
    let written =
        lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

fn of_registry_for_people(registry: &Registry, place: &str, paint: Paint) -> Vec<String> {
    let platform = Registry::platform();
    let line = |agent: &RegistryAgent| {
        let how = match agent.start(&platform) {
            Ok(start) if start.download.is_none() => start.program,
            Ok(_) => "download".to_owned(),
            Err(_) => "not for this machine".to_owned(),
        };
        let name = paint.paint(BOLD, format!("{:<20}", sanitize::line(&agent.id)));
        let (version, title) = (sanitize::line(&agent.version), sanitize::line(&agent.name));
        format!("  {name} {version:<12} {how:<10} {}", paint.paint(DIM, title))
    };
    let head = [String::new(), "In the registry:".to_owned()];
    let example = registry.agents.first().map(|agent| sanitize::line(&install(place, &agent.id)));
    head.into_iter()
        .chain(registry.agents.iter().map(line))
        .chain(example.into_iter().flat_map(|line| [String::new(), line]))
        .collect()
}

/// Returns the list for people: installed agents first, then the install commands of the others.
fn for_people(own: &OwnAgents, found: &[Found], paint: Paint) -> Vec<String> {
    let built_in = format!(
        "{} {}{:<10}built in; the default without --agent",
        paint.paint(GREEN, "✓"),
        paint.paint(BOLD, format!("{:<12}", "attache")),
        env!("CARGO_PKG_VERSION")
    );
    let (here, missing): (Vec<&Found>, Vec<&Found>) =
        found.iter().partition(|found| found.program.is_some());
    let mut lines = vec![built_in];
    lines.extend(own.all().map(|(name, own)| {
        let mark = if own_program(&own.command).is_some() {
            paint.paint(GREEN, "✓")
        } else {
            paint.paint(DIM, "-")
        };
        format!(
            "{mark} {}{:<10}{}",
            paint.paint(BOLD, format!("{name:<12}")),
            own.version.as_deref().map_or_else(|| "yours".to_owned(), sanitize::line),
            shown_command(&own.command)
        )
    }));
    lines.extend(here.iter().map(|found| found.line(paint)));
    if !missing.is_empty() {
        lines.extend([
            String::new(),
            "Not installed; each line shows the install command:".to_owned(),
        ]);
        lines.extend(missing.iter().map(|found| found.line(paint)));
    }
    let example = here.first().map_or("attache", |found| found.agent.name);
    lines.extend([
        String::new(),
        format!(
            "attache agents check {example}{}",
            paint.paint(DIM, "   starts it and shows what it offers")
        ),
    ]);
    lines
}
