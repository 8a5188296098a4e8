//! `attache` in a terminal: the full-screen front end.

pub(crate) mod arguments;
pub(crate) mod first_session;
mod misspelled;
mod services;
pub(crate) mod session_changes;
mod shared;

use crate::checkpoints;
use crate::exit::{Exit, Failure};
use crate::front_end::{self, add_agent};
use crate::permission::rules;
use crate::run::trace::Trace;
use crate::run::{self, mcp_file};
use crate::say::println;
use crate::settings::Settings;
use crate::show::paint::{BOLD, DIM, Paint, RED};
use crate::{args, chat, folder, store, theme};
use arguments::{Begin, Screen};
use attache_client::{Hub, Options};
use attache_screen::keymap::Keymap;
use attache_screen::{Ending, FirstSession, ScreenOptions, SharedSessions};
use attache_session::Store;
use services::CliServices;
use std::io::{self, IsTerminal};
use std::sync::Arc;

/// The variable that chooses the line mode.
const PLAIN: &str = "ATTACHE_PLAIN";

/// Runs `attache` without a subcommand: the screen, or the line mode where there is no screen.
pub(crate) async fn screen(arguments: Screen) -> Result<Exit, Failure> {
    misspelled::check(&arguments)?;
    match is_possible(&arguments) {
        true => show(arguments).await,
        false => chat::chat(in_lines(arguments)).await,
    }
}

/// Returns the arguments of the line mode.
fn in_lines(arguments: Screen) -> args::Chat {
    let prompt = arguments.prompt();
    let set = arguments.options();
    let Screen { agent, token_file, protocol, budget, cwd, resume, mode, env, mcp, trace, .. } =
        arguments;
    let begin = Begin { prompt, resume, mode, set, env, mcp, trace };
    args::Chat { agent, token_file, protocol, budget, cwd, begin }
}

/// Returns whether the terminal can show the screen, and the person wants it.
fn is_possible(arguments: &Screen) -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let is_plain = arguments.plain || set(PLAIN).is_some_and(|value| value != "0");
    let is_dumb = set("TERM").is_none_or(|term| term == "dumb");
    !is_plain && !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

async fn show(arguments: Screen) -> Result<Exit, Failure> {
    let cwd = run::folder(arguments.cwd.as_deref())?;
    let mcp_servers = match &arguments.mcp {
        Some(path) => mcp_file::servers(path, &cwd)?,
        None => Vec::new(),
    };
    let rules = rules::open()?;
    let mut notices = Vec::new();
    let store = store::Place::of(None).and_then(|place| place.open_writable());
    let store = store.unwrap_or_else(|error| {
        notices.push(store::not_stored(&error));
        None
    });
    let store = store.map(|store| Arc::new(store) as Arc<dyn Store>);
    // Without stored sessions, earlier prompts are not stored either.
    let history = store.is_some().then(folder::data).flatten();
    let stored = first_session::find(
        arguments.resume.as_deref(),
        arguments.agent.as_deref(),
        store.as_deref(),
    )?;
    let trace = arguments.trace.as_deref().map(Trace::create).transpose()?;
    let mut client = Options::default();
    if let Some(trace) = &trace {
        client = client.tap(trace.tap());
    }
    let agent = arguments.agent.as_deref().or(stored.agent.as_deref());
    let cwd = stored.cwd.clone().filter(|cwd| cwd.is_dir()).unwrap_or(cwd);
    let settings = Settings::read();
    let shared = shared::find(&arguments, &settings, agent, &cwd, &mut notices).await;
    let (mut options, by_rule) = front_end::hub_options(client, rules.clone(), store.clone());
    if shared.is_some() {
        // The rules decide there first. Those of a session are known only here.
        options = options.of_shared_hub();
    }
    trace.iter().for_each(|trace| checkpoints::leave_out(&options, trace));
    let hub = Hub::new(options);
    let token = arguments.token_file.as_deref();
    let chosen = match &shared {
        Some(shared) => shared.add_agent(&hub, agent)?,
        None => add_agent(&hub, agent, &arguments.env, &cwd, arguments.protocol, token)?,
    };
    if chosen.built_in && shared.is_none() {
        crate::models::usable().await?;
    }
    notices.extend(settings.troubles().iter().map(ToString::to_string));
    let options = ScreenOptions {
        hub,
        services: Arc::new(CliServices::new(
            store,
            cwd.clone(),
            (chosen.name.clone(), agent.filter(|_| !chosen.built_in).map(str::to_owned)),
            shared.clone(),
        )),
        shared: shared.map(|shared| Arc::new(shared) as Arc<dyn SharedSessions>),
        rules: rules.clone(),
        by_rule,
        first: FirstSession {
            agent: chosen.name,
            cwd,
            stored: stored.id,
            pick: stored.pick,
            mode: arguments.mode.clone(),
            set: arguments.options(),
        },
        prompt: arguments.prompt(),
        mcp_servers,
        budget: arguments.budget.as_ref().map(|budget| budget.of_session()),
        theme: theme::of_terminal(&mut notices),
        keymap: keymap(&mut notices),
        notices,
        images: history.as_ref().map(|folder| folder.join("images")),
        history: history.map(|folder| folder.join("chat_history")),
        settings: settings.screen(),
    };
    let ending = attache_screen::run(options).await.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be used: {error}"))
    })?;
    say_goodbye(&ending);
    for trouble in
        [rules.take_log_trouble().map(|it| it.to_string()), trace.and_then(|it| it.trouble())]
    {
        trouble.iter().for_each(|it| crate::say::say(RED, it));
    }
    Ok(if ending.by_signal { Exit::Cancelled } else { Exit::Done })
}

/// Returns the keys of the person's file.
fn keymap(notices: &mut Vec<String>) -> Keymap {
    let text = folder::own_file("keymap.toml", notices);
    let (keymap, errors) = Keymap::read(text.as_deref().unwrap_or_default());
    notices.extend(errors.iter().map(|error| format!("keymap.toml: {error}")));
    keymap
}

/// Prints the title and cost of each session, and the command that continues it.
fn say_goodbye(ending: &Ending) {
    let paint = Paint::of(&io::stdout());
    for session in &ending.sessions {
        let title = if session.title.is_empty() { "(no title)" } else { &session.title };
        let cost = match session.cost.is_empty() {
            true => String::new(),
            false => format!("  {}", paint.paint(DIM, &session.cost)),
        };
        println(&format!("{}{cost}", paint.paint(BOLD, title)));
        println(&format!("  continue it with: {}", session.resume));
    }
    for error in &ending.errors {
        crate::say::say(RED, error);
    }
    if let Some(messages) = &ending.messages {
        // A closed stderr is not an error.
        let _ = messages.write(&mut io::stderr());
    }
}
