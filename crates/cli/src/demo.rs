//! `attache demo`: shows an agent at work in a few seconds, on a copy of the person's folder.

mod copy;
mod sample;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::permission::{self, Policy};
use crate::remote_agent::without_tokens;
use crate::run::session::Opened;
use crate::say::counted;
use crate::show::paint::{BOLD, CYAN, DIM, Paint};
use crate::show::tool_call::Bound;
use crate::show::width::wrap;
use crate::show::{Item, Show};
use crate::{chosen_agent, run, store, terminal, turn};
use attache_client::{AgentSource, AgentState, Hub, HubSession, Options};
use attache_connection::Direction;
use attache_host::Launch;
use copy::Copied;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::mpsc;

/// The agent's name in the hub.
const AGENT: &str = chosen_agent::BUILT_IN_NAME;

/// Counts of messages in both directions.
#[derive(Default)]
struct Traffic {
    sent: AtomicU64,
    received: AtomicU64,
    bytes: AtomicU64,
}

/// Runs the demo.
pub(crate) async fn demo(arguments: args::Demo) -> Result<Exit, Failure> {
    let began = Instant::now();
    let interrupts = Interrupts::listen().map_err(|error| Failure::new(Exit::Internal, error))?;
    let visited = run::folder(arguments.cwd.as_deref())?;
    let temporary =
        tempfile::Builder::new().prefix("attache-demo-").tempdir().map_err(|error| {
            Failure::new(
                Exit::Internal,
                format!(
                    "a temporary folder cannot be created: {error}; set TMPDIR to a writable folder"
                ),
            )
        })?;
    // The copy has the same name as the folder, because agents show the name.
    let copy = temporary.path().join(visited.file_name().unwrap_or("project".as_ref()));
    let copied =
        copy::copy(&visited, &copy).map_err(|error| Failure::new(Exit::Internal, error))?;
    let tour = sample::tour(&copy, &copied).map_err(|error| Failure::new(Exit::Internal, error))?;
    say(&introduction(&copied))?;

    let traffic = Arc::new(Traffic::default());
    let options = Options::default().tap(tap(traffic.clone()));
    // The demo stores no session and uses no provider.
    chosen_agent::built_in()?;
    let folder = copy.clone();
    let launch = move || {
        let launch = chosen_agent::built_in().unwrap_or_else(|_| Launch::new(AGENT).arg("agent"));
        let launch = without_tokens(launch).arg("--store").arg(store::NONE);
        launch.env("ATTACHE_MODEL", "offline").cwd(&folder)
    };
    let (permissions, mut questions) = permission::questions(None, Arc::default());
    let hub = Hub::new(run::hub_options(options, permissions));
    let agent = hub.add(AGENT, AgentSource::launch(launch)).map_err(Failure::usage)?;
    let started = tokio::select! {
        () = interrupts.cancel() => return Err(Failure::new(Exit::Cancelled, "cancelled")),
        started = agent.start() => started,
    };
    started.map_err(|error| chosen_agent::not_opened(&error, None))?;
    let pid = match agent.state() {
        AgentState::Up { pid, .. } => pid.unwrap_or_default(),
        _ => 0,
    };
    let ended = prompts(&hub, &interrupts, &copy, &tour, &mut questions).await;
    hub.close().await;
    if ended? != Exit::Done {
        return Ok(Exit::Cancelled);
    }
    say(&conclusion(&traffic, pid, began))?;
    Ok(Exit::Done)
}

/// Sends the prompts in one session and shows them as `attache run` does.
async fn prompts(
    hub: &Hub,
    interrupts: &Interrupts,
    copy: &Path,
    tour: &[String],
    questions: &mut mpsc::Receiver<permission::Question>,
) -> Result<Exit, Failure> {
    let session = hub.open(AGENT, copy).await.map_err(|error| run::not_opened(&error, true))?;
    let policy = Policy { tour: true, ..Policy::default() };
    for prompt in tour {
        say(&[
            String::new(),
            format!("{} {}", paint().paint(CYAN, "›"), paint().paint(BOLD, prompt)),
            String::new(),
        ])?;
        let exit = one(&session, interrupts, copy, &policy, questions, prompt).await?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    Ok(Exit::Done)
}

async fn one(
    session: &HubSession,
    interrupts: &Interrupts,
    copy: &Path,
    policy: &Policy,
    questions: &mut mpsc::Receiver<permission::Question>,
    prompt: &str,
) -> Result<Exit, Failure> {
    let mut output = run::on_terminal(Bound::Tour);
    let title = session.snapshot().info().title().map(str::to_owned);
    let (id, cwd) = (session.id().as_str(), copy.to_string_lossy());
    // Each prompt has its own output; the start and the title of the session are not repeated.
    output
        .show(Item::Session { id, cwd: &cwd, opened: Opened::New, title: None })
        .map_err(|error| Failure::output(&error))?;
    let mut run = turn::Run {
        output: &mut output,
        policy,
        questions,
        elicitations: &mut mpsc::channel(1).1,
        interrupts,
        cwd: copy,
        timeout: None,
        deadline: None,
        budget: None,
        is_unwatched: false,
        title,
        refused: 0,
    };
    run.turn(session, prompt).await
}

fn introduction(copied: &Copied) -> Vec<String> {
    let what = match copied {
        Copied::Nothing => {
            "This folder has no text files, so the demo works on a small sample project.".to_owned()
        }
        Copied::Files { count, bytes, left_out } => {
            let (files, bytes) = (counted(*count, "file"), size(*bytes));
            let copied = format!("The demo works on a copy of this folder: {files}, {bytes}.");
            match *left_out {
                0 => copied,
                more => format!("{copied} {}", not_copied(more)),
            }
        }
    };
    let how = "A client (this process) starts an agent (another process). They speak ACP over the agent's stdin and stdout. The agent's model is `offline`: no key, no network.";
    let dim = wrapped(how).into_iter().map(|line| paint().paint(DIM, line));
    wrapped(&what).into_iter().chain(dim).collect()
}

fn not_copied(more: usize) -> String {
    format!(
        "It leaves out {}: binary files, files over {} MB, and those after the first {} or {} MB.",
        counted(more, "more file"),
        copy::FILE_BYTES / 1_000_000,
        counted(copy::FILES, "file"),
        copy::BYTES / 1_000_000
    )
}

fn conclusion(traffic: &Traffic, pid: u32, began: Instant) -> Vec<String> {
    let (sent, received) =
        (traffic.sent.load(Ordering::Relaxed), traffic.received.load(Ordering::Relaxed));
    let messages = format!(
        "The client sent {sent} messages to the agent (process {pid}) and received {received}: {} in {:.1} s.",
        size(traffic.bytes.load(Ordering::Relaxed)),
        began.elapsed().as_secs_f64(),
    );
    let mut lines = vec![String::new()];
    lines.extend(wrapped(&messages).into_iter().map(|line| paint().paint(DIM, line)));
    lines.extend(wrapped(
        "Your files did not change, and the copy is deleted. Try next, in this folder:",
    ));
    lines.extend([
        format!("  {}   a conversation", command("")),
        format!("  {}", command("run \"summarize this project\"")),
        format!("  {}   asks before each edit", command("run \"rename A to B in PATH\"")),
        format!("  {}   uses any other ACP agent", command("run --agent gemini \"…\"")),
    ]);
    lines
}

/// Returns a command line of this program as the person would type it: with `cargo run --` if cargo
/// started this program.
fn command(arguments: &str) -> String {
    let by_cargo = std::env::var_os("CARGO_PKG_NAME").is_some();
    let line = match (by_cargo, arguments) {
        (true, "") => "cargo run".to_owned(),
        (true, _) => format!("cargo run -- {arguments}"),
        (false, "") => "attache".to_owned(),
        (false, _) => format!("attache {arguments}"),
    };
    paint().paint(BOLD, line)
}

fn tap(traffic: Arc<Traffic>) -> attache_connection::Tap {
    Arc::new(move |direction, line: &[u8]| {
        let count = match direction {
            Direction::Sent => &traffic.sent,
            Direction::Received => &traffic.received,
        };
        count.fetch_add(1, Ordering::Relaxed);
        traffic.bytes.fetch_add(line.len() as u64, Ordering::Relaxed);
    })
}

/// Wraps text to the width of the terminal, if there is one.
fn wrapped(text: &str) -> Vec<String> {
    match terminal::columns() {
        Some(columns) => wrap(text, columns),
        None => vec![text.to_owned()],
    }
}

fn paint() -> Paint {
    Paint::of(&io::stdout())
}

fn say(lines: &[String]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let said = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    said.map_err(|error| Failure::output(&error))
}

/// Formats a number of bytes.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
