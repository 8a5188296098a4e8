//! `attache run`: one prompt, one turn, shown as it happens.

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::permission::{self, Policy};
use crate::show::json::Json;
use crate::show::paint::{DIM, Paint, YELLOW};
use crate::show::plain::Plain;
use crate::show::progress::Style;
use crate::show::terminal::Terminal;
use crate::show::tool_call::Bound;
use crate::show::{Item, Show, sanitize};
use crate::store::Place;
use crate::{key, terminal, turn};
use attache_client::{AgentProcess, OpenError, Options, SessionHandle, SetError, StartError};
use attache_host::Launch;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest prompt that is read from stdin, in bytes.
const STDIN_LIMIT: u64 = 16 << 20;

/// After how long a person is told that the agent is still starting.
const SLOW_START: Duration = Duration::from_secs(1);

/// Runs the command.
pub(crate) async fn run(arguments: args::Run) -> Result<Exit, Failure> {
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::OurFault, error))?;
    let mut face = face(&arguments);
    let ended = with_face(&arguments, &interrupts, &mut *face).await;
    if let Err(Failure { exit, message }) = &ended
        && !message.is_empty()
    {
        // It is told on stderr too; if stdout is closed that must do.
        let _ = face.show(Item::Error { exit: *exit, message });
    }
    ended
}

async fn with_face(
    arguments: &args::Run,
    interrupts: &Interrupts,
    face: &mut dyn Show,
) -> Result<Exit, Failure> {
    let cwd = folder(arguments.cwd.as_deref())?;
    let prompt = prompt(&arguments.prompt)?;
    let launch = match &arguments.agent {
        Some(command) => {
            Launch::parse(command).map_err(|error| Failure::usage(format!("--agent: {error}")))?
        }
        None => {
            if !arguments.quiet && !arguments.json {
                warn_if_not_kept();
            }
            built_in()?
        }
    };
    let name = Path::new(launch.program()).file_name().map(|name| name.to_string_lossy().into_owned());
    let watched = !arguments.quiet && !arguments.json && io::stderr().is_terminal();
    let starting = AgentProcess::launch_with(launch.cwd(&cwd), Options::default());
    let agent = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the agent had started")),
        agent = waiting(starting, watched.then(|| name.unwrap_or_default())) => agent.map_err(cannot_start)?,
    };
    let ended = with_agent(arguments, interrupts, face, &agent, &cwd, &prompt).await;
    tokio::select! {
        // Dropping it kills it, with everything it started.
        () = interrupts.end() => {}
        _ = agent.stop() => {}
    }
    ended
}

async fn with_agent(
    arguments: &args::Run,
    interrupts: &Interrupts,
    face: &mut dyn Show,
    agent: &AgentProcess,
    cwd: &Path,
    prompt: &str,
) -> Result<Exit, Failure> {
    let (permissions, mut questions) = permission::questions();
    show(face, Item::Agent(agent.about()))?;
    let session = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled before the session was open")),
        session = agent.open(cwd).permissions(permissions) => session.map_err(not_open)?,
    };
    show(face, Item::Session { id: session.id().as_str(), cwd: &cwd.to_string_lossy() })?;
    configure(&session, arguments).await?;
    let snapshot = session.snapshot();
    if snapshot.config().visible().next().is_some() {
        show(face, Item::Config(snapshot.config()))?;
    }
    let ask = !arguments.json && key::can_ask();
    let policy = Policy { yes: arguments.yes, kinds: arguments.allow.clone(), ask, tour: false };
    let mut run = turn::Run {
        face,
        policy: &policy,
        questions: &mut questions,
        interrupts,
        cwd,
        timeout: arguments.timeout,
        title: None,
    };
    run.turn(&session, prompt).await
}

fn show(face: &mut dyn Show, item: Item<'_>) -> Result<(), Failure> {
    face.show(item).map_err(|error| Failure::output(&error))
}

/// The face that suits stdout and the flags.
fn face(arguments: &args::Run) -> Box<dyn Show> {
    if arguments.json {
        return Box::new(Json::new(io::stdout()));
    }
    let bound = if arguments.verbose { Bound::Whole } else { Bound::Short };
    if io::stdout().is_terminal() && !arguments.quiet {
        return Box::new(on_terminal(bound));
    }
    let paint = Paint::of(&io::stderr());
    let style = Style { paint, columns: terminal::columns, rewrite: false, bound };
    // A log is not as wide as the terminal that a command was started from.
    let style = if io::stderr().is_terminal() { style } else { Style { columns: || None, ..style } };
    Box::new(Plain::new(io::stdout(), (!arguments.quiet).then(|| (io::stderr(), style))))
}

/// The face for a terminal at stdout.
pub(crate) fn on_terminal(bound: Bound) -> Terminal<io::Stdout> {
    let (paint, rewrite) = (Paint::of(&io::stdout()), terminal::can_rewrite());
    Terminal::new(io::stdout(), Style { paint, columns: terminal::columns, rewrite, bound })
}

/// The folder of the session, absolute.
pub(crate) fn folder(given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(given.unwrap_or(Path::new("."))).map_err(|error| {
        Failure::usage(format!("this process's folder cannot be found: {error}; give one by --cwd"))
    })?;
    let shown = path.display();
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(Failure::usage(format!("{shown} is no folder: give the folder to work in by --cwd"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "the folder {shown} does not exist: make it, or give another by --cwd"
        ))),
        Err(error) => {
            Err(Failure::usage(format!("the folder {shown} cannot be used: {error}; give another by --cwd")))
        }
    }
}

/// The words joined; `-`, or no word at all, is what stdin holds.
fn prompt(words: &[String]) -> Result<String, Failure> {
    let mut parts = Vec::new();
    for word in words {
        parts.push(if word == "-" { stdin()? } else { word.clone() });
    }
    if words.is_empty() {
        if io::stdin().is_terminal() {
            let example = "attache run \"summarize this project\"";
            return Err(Failure::usage(format!(
                "there is no prompt: say what to do, such as {example}, or pipe it in"
            )));
        }
        parts.push(stdin()?);
    }
    let prompt = parts.join(" ");
    match prompt.trim().is_empty() {
        true => Err(Failure::usage("the prompt is empty: say what to do")),
        false => Ok(prompt),
    }
}

fn stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(STDIN_LIMIT + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 > STDIN_LIMIT => Err(Failure::usage(format!(
            "stdin holds more than {} MiB: put it into a file and name that",
            STDIN_LIMIT >> 20
        ))),
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Failure::usage("stdin is not UTF-8 text: put it into a file and name that"))
        }
        Err(error) => Err(Failure::usage(format!("stdin cannot be read: {error}; give the prompt as words"))),
    }
}

/// The built-in agent as a child: this program again.
pub(crate) fn built_in() -> Result<Launch, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        let advice = "name an agent by --agent";
        Failure::new(
            Exit::OurFault,
            format!("this program cannot find itself to start its agent: {error}; {advice}"),
        )
    })?;
    Ok(Launch::new(program).arg("agent"))
}

/// Says so if the store is there and cannot be used: then the built-in agent keeps nothing, and tells only its own stderr.
fn warn_if_not_kept() {
    if let Err(error) = Place::of(None).and_then(|place| place.existing()) {
        let told = format!("this session will not be kept: {error}");
        eprint(&format!("{}\n", Paint::of(&io::stderr()).paint(YELLOW, sanitize::line(&told))));
    }
}

/// Waits for the agent. A person who watches is told after a second, and then each second, that it is still starting.
async fn waiting<T>(starting: impl Future<Output = T>, name: Option<String>) -> T {
    let Some(name) = name else { return starting.await };
    let mut starting = std::pin::pin!(starting);
    let name = sanitize::line(&name);
    let paint = Paint::of(&io::stderr());
    for seconds in 1.. {
        if let Ok(started) = tokio::time::timeout(SLOW_START, &mut starting).await {
            if seconds > 1 {
                eprint(&clear(paint));
            }
            return started;
        }
        let line = paint.paint(DIM, format!("starting {name} … {seconds} s"));
        match paint.colours {
            true => eprint(&format!("{}{line}", clear(paint))),
            false if seconds == 1 => eprint(&format!("{line}\n")),
            false => {}
        }
    }
    starting.await
}

/// What takes a line back, where sequences may be written.
fn clear(paint: Paint) -> String {
    if paint.colours { "\r\x1b[2K".to_owned() } else { String::new() }
}

fn eprint(text: &str) {
    let mut stderr = io::stderr().lock();
    // If stderr is closed nobody is told.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

async fn configure(session: &SessionHandle, arguments: &args::Run) -> Result<(), Failure> {
    let cannot = |flag: &str, error: SetError| match error {
        SetError::Call(error) => Failure::new(Exit::AgentFailed, format!("{flag}: {error}")),
        error => Failure::usage(format!("{flag}: {error}")),
    };
    if let Some(mode) = &arguments.mode {
        session.set_mode(mode).await.map_err(|error| cannot("--mode", error))?;
    }
    for (id, value) in &arguments.set {
        session.set(id, value.as_str()).await.map_err(|error| cannot("--set", error))?;
    }
    Ok(())
}

pub(crate) fn cannot_start(error: StartError) -> Failure {
    match error {
        StartError::Command(error) => Failure::usage(format!("--agent: {error}")),
        error => Failure::new(Exit::CannotStart, error),
    }
}

pub(crate) fn not_open(error: OpenError) -> Failure {
    let exit = match &error {
        OpenError::Folder(_) | OpenError::FolderName(_) | OpenError::NoCurrentFolder(_) => Exit::Usage,
        OpenError::AuthRequired { .. } => Exit::LoginNeeded,
        OpenError::Call(_) => Exit::AgentFailed,
        _ => Exit::OurFault,
    };
    Failure::new(exit, error)
}
