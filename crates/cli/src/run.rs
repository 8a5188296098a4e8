//! `attache run`: sends prompts to one session and shows the answers.

mod attachment;
pub(crate) mod budget;
pub(crate) mod mcp_file;
mod mention;
mod output;
mod prompts;
pub(crate) mod session;
pub(crate) mod trace;
pub(crate) mod waiting;

use crate::args;
use crate::checkpoints;
use crate::chosen_agent::{ChosenAgent, acts_by_itself, cannot_start};
use crate::elicitation::{self, Elicitation};
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::permission::rules::{self, Rules};
use crate::permission::{self, Policy, Question};
use crate::remote_agent::without_tokens;
use crate::settings::Settings;
use crate::show::paint::{Paint, YELLOW};
use crate::show::{Item, Show};
use crate::store::Place;
use crate::{key, login, store, turn};
use attache_client::{
    AgentConnection, Hub, HubError, HubOptions, HubSession, KnownAgent, Options, PermissionBroker,
    Permissions, RestartPolicy, SetError, StartError,
};
use attache_protocol::v1::{McpServer, PromptCapabilities};
use attache_view::sanitize;
use output::output;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use trace::Trace;
use waiting::waiting;

pub(crate) use attachment::attach;
pub(crate) use output::on_terminal;
pub(crate) use prompts::{Piece, Prompt};
pub(crate) use session::not_opened;

/// The time that the agent has to end by itself after a timeout.
const ENDING: Duration = Duration::from_millis(500);

/// Runs `attache run`.
pub(crate) async fn run(arguments: args::Run) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let mut output = output(&arguments);
    let ended = with_output(&arguments, &interrupts, &mut *output).await;
    if let Err(Failure { exit, message }) = &ended
        && !message.is_empty()
    {
        // The failure is also printed on stderr, so a failure to write it to stdout does not
        // matter.
        let _ = output.show(Item::Error { exit: *exit, message });
    }
    ended
}

/// The inputs of a run, after all checks that do not involve the agent.
struct Work {
    prompts: Vec<Prompt>,
    cwd: PathBuf,
    mcp_servers: Vec<McpServer>,
    agent_name: String,
    built_in: bool,
    /// Whether the person can be asked.
    ask: bool,
    questions: mpsc::Receiver<Question>,
    elicitations: mpsc::Receiver<Elicitation>,
    rules: PermissionBroker,
    /// The rules, set once the folder of the session is known.
    known: Arc<OnceLock<Rules>>,
    /// The deadline of the first turn.
    deadline: Option<Instant>,
}

async fn with_output(
    arguments: &args::Run,
    interrupts: &Interrupts,
    output: &mut dyn Show,
) -> Result<Exit, Failure> {
    let deadline = turn::after(arguments.timeout);
    let cwd = folder(arguments.cwd.as_deref())?;
    let prompts = prompts::prompts(arguments)?;
    let mcp_servers = match &arguments.mcp {
        Some(path) => mcp_file::servers(path, &cwd)?,
        None => Vec::new(),
    };
    let rules = rules::open()?;
    let (given, token) = (arguments.agent.as_deref(), arguments.token_file.as_deref());
    let (chosen, source) =
        ChosenAgent::source(given, &arguments.env, &cwd, arguments.protocol, token)?;
    let ChosenAgent { name, word, known, built_in, .. } = chosen;
    if let (true, Err(error)) = (built_in, Place::of(None).and_then(|place| place.open_writable()))
    {
        // The built-in agent then stores nothing, but says so only on its own stderr, which is not
        // shown.
        show(output, Item::Warning(&store::not_stored(&error)))?;
    }
    // The built-in agent reports unusable settings only on its own stderr, which is not shown.
    for trouble in built_in.then(Settings::read).iter().flat_map(Settings::troubles) {
        show(output, Item::Warning(trouble))?;
    }
    let trace = arguments.trace.as_deref().map(Trace::create).transpose()?;
    // Commands in terminals need permission like any other action: see `Policy`.
    let mut options = Options::default().terminals();
    if let Some(limit) = arguments.start_timeout {
        options = options.handshake(limit);
    }
    let ask = !arguments.json && key::can_ask();
    let mut elicitations = mpsc::channel(1).1;
    if let Some(answer) = arguments.forms {
        options = elicitation::answered(options, answer, !arguments.quiet);
    } else if ask {
        (options, elicitations) = elicitation::offered(options);
    }
    if let Some(trace) = &trace {
        options = options.tap(trace.tap());
    }
    // The rules and the flags decide first, then the person: see `Policy`.
    let first = Rules { broker: rules.clone(), agent: name.clone(), cwd: cwd.clone() };
    let known_rules = Arc::default();
    let (permissions, questions) = permission::questions(Some(first), Arc::clone(&known_rules));
    let options = checkpoints::kept(hub_options(options, permissions));
    trace.iter().for_each(|trace| checkpoints::leave_out(&options, trace));
    let hub = Hub::new(options);
    let agent = hub.add(name.as_str(), source).map_err(Failure::usage)?;
    let notice = is_watched(arguments).then(|| format!("starting {name}"));
    let connection = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the agent started")),
        () = turn::reached(deadline) => return Err(late("the agent did not start", arguments)),
        started = waiting(agent.start(), notice) => {
            started.map_err(|error| not_started(&error, known))?
        }
    };
    let work = Work {
        prompts,
        cwd,
        mcp_servers,
        agent_name: name,
        built_in,
        ask,
        questions,
        elicitations,
        rules: rules.clone(),
        known: known_rules,
        deadline,
    };
    let mut ended = with_agent(arguments, interrupts, output, (&hub, &connection), work).await;
    if let Err(Failure { exit: Exit::LoginNeeded, message }) = &mut ended {
        if built_in {
            // The message of the built-in agent says which key is missing or wrong.
            let said = message
                .strip_prefix("the agent needs a login first (")
                .and_then(|said| said.strip_suffix(')'));
            if let Some(said) = said.map(str::to_owned) {
                *message = said;
            }
        } else {
            let way = known.map(|known| known.login);
            message.push_str(&login::advice(&word, connection.auth_methods(), way));
        }
    }
    let is_late = matches!(&ended, Err(Failure { exit: Exit::Timeout, .. }));
    tokio::select! {
        // Dropping the hub kills the agent and all of its processes.
        () = interrupts.end() => {}
        // After a timeout, the agent has only this long to end by itself.
        () = tokio::time::sleep(ENDING), if is_late => {}
        () = hub.close() => {}
    }
    let log_trouble = rules.take_log_trouble().map(|trouble| trouble.to_string());
    for trouble in trace.and_then(|trace| trace.trouble()).into_iter().chain(log_trouble) {
        let mut stderr = io::stderr().lock();
        let line = Paint::of(&stderr).paint(YELLOW, sanitize::line(&trouble));
        // A closed stderr is not an error.
        let _ = writeln!(stderr, "{line}");
    }
    ended
}

/// Returns the options of a hub for one agent and one session. The hub has no store: the agent
/// keeps its sessions. An agent that exits is not restarted.
pub(crate) fn hub_options(options: Options, permissions: Permissions) -> HubOptions {
    HubOptions::default()
        .client(options.terminal_launches(without_tokens))
        .restarts(RestartPolicy::NEVER)
        .without_context_notices()
        .decide_first(move |_, _, _| permissions.clone())
}

async fn with_agent(
    arguments: &args::Run,
    interrupts: &Interrupts,
    output: &mut dyn Show,
    (hub, agent): (&Hub, &AgentConnection),
    mut work: Work,
) -> Result<Exit, Failure> {
    show(output, Item::Agent(agent.about()))?;
    mcp_file::check(&work.mcp_servers, &agent.capabilities().mcp_capabilities)?;
    let request = session::Request {
        arguments,
        hub,
        agent_name: &work.agent_name,
        agent,
        built_in: work.built_in,
        cwd: &work.cwd,
        mcp_servers: work.mcp_servers,
    };
    let notice =
        is_watched(arguments).then(|| format!("{} is opening the session", work.agent_name));
    let session = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the session opened")),
        () = turn::reached(work.deadline) => return Err(late("the session did not open", arguments)),
        session = waiting(request.open(), notice) => session?,
    };
    let asking = Asking {
        interrupts,
        questions: &mut work.questions,
        ask: work.ask,
        elicitations: &mut work.elicitations,
        rules: work.rules,
        known: work.known,
        agent_name: work.agent_name,
        takes: &agent.capabilities().prompt_capabilities,
        deadline: work.deadline,
    };
    in_session(arguments, output, session, &work.prompts, asking).await
}

/// The state of the run that is needed to send prompts.
struct Asking<'r> {
    interrupts: &'r Interrupts,
    questions: &'r mut mpsc::Receiver<Question>,
    /// Whether the person can be asked.
    ask: bool,
    elicitations: &'r mut mpsc::Receiver<Elicitation>,
    rules: PermissionBroker,
    /// The rules, set once the folder of the session is known.
    known: Arc<OnceLock<Rules>>,
    agent_name: String,
    takes: &'r PromptCapabilities,
    /// The deadline of the first turn.
    deadline: Option<Instant>,
}

/// Sends the prompts in order, until one fails.
async fn in_session(
    arguments: &args::Run,
    output: &mut dyn Show,
    session: session::Session,
    prompts: &[Prompt],
    asking: Asking<'_>,
) -> Result<Exit, Failure> {
    let session::Session { handle, cwd, opened, warning } = session;
    let rules = Rules { broker: asking.rules, agent: asking.agent_name, cwd: cwd.clone() };
    let rules = asking.known.get_or_init(|| rules);
    let title = handle.snapshot().info().title().map(str::to_owned);
    let (id, shown_cwd) = (handle.id().as_str(), cwd.to_string_lossy());
    show(output, Item::Session { id, cwd: &shown_cwd, opened, title: title.as_deref() })?;
    let by_itself = handle.agent().connection().and_then(|agent| acts_by_itself(&agent));
    for warning in by_itself.into_iter().chain(warning.as_deref()) {
        show(output, Item::Warning(warning))?;
    }
    tokio::select! {
        () = asking.interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the first prompt")),
        () = turn::reached(asking.deadline) => return Err(late("the options were not set", arguments)),
        configured = configure(&handle, arguments.mode.as_deref(), &arguments.set) => configured?,
    }
    let snapshot = handle.snapshot();
    if snapshot.config().visible().next().is_some() {
        show(output, Item::Config(snapshot.config()))?;
    }
    let policy = Policy {
        rules: Some(rules.clone()),
        yes: arguments.yes,
        kinds: arguments.allow.clone(),
        ask: asking.ask,
        tour: false,
    };
    let mut run = turn::Run {
        output,
        policy: &policy,
        questions: asking.questions,
        elicitations: asking.elicitations,
        interrupts: asking.interrupts,
        cwd: &cwd,
        timeout: arguments.timeout,
        deadline: asking.deadline,
        budget: arguments.budget.as_ref(),
        is_unwatched: false,
        title,
        refused: 0,
    };
    let mut last = Exit::Done;
    for (index, prompt) in prompts.iter().enumerate() {
        let text: String = prompt.iter().map(Piece::text).collect();
        show(run.output, Item::Prompt { text: &text, number: index + 1, count: prompts.len() })?;
        let attached = attach(prompt, &cwd, asking.takes);
        for warning in &attached.warnings {
            show(run.output, Item::Warning(warning))?;
        }
        last = run.turn(&handle, attached.blocks).await?;
        // A refused action does not end the script; the exit code is that of the last turn.
        if !matches!(last, Exit::Done | Exit::NotAllowed) {
            return Ok(last);
        }
    }
    Ok(last)
}

/// Returns the error for an agent that did not start, with the flag that allows more time.
fn not_started(error: &HubError, known: Option<&KnownAgent>) -> Failure {
    let HubError::Start { error, .. } = error else {
        return Failure::new(Exit::CannotStart, error);
    };
    let mut failure = cannot_start(error, known);
    if matches!(**error, StartError::Silent { .. }) {
        failure.message.push_str("\nWait longer with --start-timeout SECONDS.");
    }
    failure
}

/// Returns the error for a timeout before the first prompt.
fn late(what: &str, arguments: &args::Run) -> Failure {
    let after = arguments.timeout.unwrap_or_default().as_secs_f64();
    Failure::new(Exit::Timeout, format!("{what} within {after} s: allow more time with --timeout"))
}

/// Returns whether a person sees stderr as it is written.
fn is_watched(arguments: &args::Run) -> bool {
    !arguments.quiet && !arguments.json && io::stderr().is_terminal()
}

fn show(output: &mut dyn Show, item: Item<'_>) -> Result<(), Failure> {
    output.show(item).map_err(|error| Failure::output(&error))
}

/// Returns the absolute folder of the session.
pub(crate) fn folder(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(given.unwrap_or(Path::new("."))).map_err(|error| {
        Failure::usage(format!(
            "the current folder cannot be read: {error}; name a folder with --cwd"
        ))
    })?;
    let shown = path.display();
    // An unreadable folder is reported here, before the agent starts.
    let found = std::fs::metadata(&path).and_then(|metadata| match metadata.is_dir() {
        true => std::fs::read_dir(&path).map(|_| true),
        false => Ok(false),
    });
    match found {
        Ok(true) => Ok(path),
        Ok(false) => {
            Err(Failure::usage(format!("{shown} is not a folder: name a folder with --cwd")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "the folder {shown} does not exist: create it, or name another with --cwd"
        ))),
        Err(error) => Err(Failure::usage(format!(
            "the folder {shown} cannot be used: {error}; name another with --cwd"
        ))),
    }
}

/// Sets the mode and the options of a session.
///
/// # Errors
/// Returns an error that names the flag whose value the agent does not accept.
pub(crate) async fn configure(
    session: &HubSession,
    mode: Option<&str>,
    set: &[(String, String)],
) -> Result<(), Failure> {
    let cannot = |flag: &str, error: SetError| match error {
        SetError::Call(error) => Failure::new(Exit::AgentFailed, format!("{flag}: {error}")),
        error => Failure::usage(format!("{flag}: {error}")),
    };
    if let Some(mode) = mode {
        session.set_mode(mode).await.map_err(|error| cannot("--mode", error))?;
    }
    for (id, value) in set {
        session.set(id, value.as_str()).await.map_err(|error| cannot("--set", error))?;
    }
    Ok(())
}
