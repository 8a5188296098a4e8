//! `attache check fuzz`: sends malformed conversations to an agent or a client until it breaks.

use super::arguments::{Fuzz, Fuzzed};
use super::peer::environment::Environment;
use super::peer::tasks::Commands;
use super::report::progress::Progress;
use crate::exit::{Exit, Failure};
use crate::interrupt::Interrupts;
use crate::show::paint::{BOLD, DIM, Paint, RED};
use crate::show::width::cut;
use crate::terminal;
use attache_check::{Case, Link, ModelServer, masked, trace};
use attache_host::Launch;
use attache_protocol::method::Side;
use attache_view::sanitize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

/// The width of a line if there is no terminal, in columns.
const LINE_SHOWN: usize = 160;
/// The maximum number of lines shown for a failure.
const LINES_SHOWN: usize = 40;
/// The maximum number of files for failures in a folder.
const MOST_FILES: usize = 1000;

/// Runs `attache check fuzz`.
pub(super) async fn fuzz(arguments: &Fuzz) -> Result<Exit, Failure> {
    let internal = |error: io::Error| Failure::new(Exit::Internal, error);
    let case = arguments.replay.as_deref().map(|file| read(file, arguments.side)).transpose()?;
    let interrupts = Interrupts::listen().map_err(internal)?;
    let folder = tempfile::tempdir().map_err(internal)?;
    // Symbolic links are resolved here, because a peer that resolves them would otherwise report a
    // different path.
    let path = folder.path().canonicalize().map_err(internal)?;
    // The judge's model must stay alive until the peer has been judged.
    let model = ModelServer::start().await.map_err(internal)?;
    let fuzz = match arguments.side {
        Fuzzed::Agent => agent(arguments, path, &model)?,
        Fuzzed::Client => client(arguments, path)?,
    };
    let mut fuzz = fuzz.patience(arguments.timeout).seed(arguments.seed);
    let (progress, mut done) = (Progress::new(), 0);
    let run = async {
        match case {
            Some(case) => fuzz.replay(case).await,
            None => {
                let tell = |number: u64| {
                    done = number + 1;
                    let shown = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
                    progress.update("cases", shown(done), shown(arguments.runs));
                };
                fuzz.run(0..arguments.runs, arguments.time, tell).await
            }
        }
    };
    let failure = tokio::select! {
        // Dropping the run kills the peer and all of its processes.
        () = interrupts.cancel() => {
            progress.clear();
            return Err(Failure::new(Exit::Cancelled, "cancelled before all cases were run"));
        }
        failure = run => failure,
    };
    progress.clear();
    match failure.map_err(|error| Failure::new(Exit::CannotStart, error))? {
        Some(failure) => found(arguments, &failure),
        None => {
            let said = match arguments.replay {
                Some(_) => "The recording was replayed, and nothing broke.".to_owned(),
                None => {
                    format!("{done} cases of seed {} were run, and nothing broke.", arguments.seed)
                }
            };
            print(&[said]).map(|()| Exit::Done)
        }
    }
}

fn agent(
    arguments: &Fuzz,
    folder: PathBuf,
    model: &ModelServer,
) -> Result<attache_check::Fuzz, Failure> {
    let command = arguments.command.clone();
    let environment =
        Environment::new(&command, &model.url(), &arguments.model_env, &arguments.env)?;
    Ok(attache_check::Fuzz::agent(folder, move || {
        let mut words = command.iter();
        let launch = Launch::new(words.next().cloned().unwrap_or_default()).args(words);
        Link::start(environment.around(launch))
    }))
}

fn client(arguments: &Fuzz, folder: PathBuf) -> Result<attache_check::Fuzz, Failure> {
    let commands = Commands::of(&arguments.command, &[])?;
    Ok(attache_check::Fuzz::client(folder, move |task| commands.start(task)))
}

/// Shows the failure and writes its case to a file.
fn found(arguments: &Fuzz, failure: &attache_check::Failure) -> Result<Exit, Failure> {
    let recording: Vec<String> = failure.recording.lines().map(masked).collect();
    let paint = Paint::of(&io::stdout());
    let which = match arguments.replay {
        Some(_) => "The recording".to_owned(),
        None => format!("Case {} of seed {}", failure.number, arguments.seed),
    };
    let broken = sanitize::text(&masked(&failure.broken.to_string())).into_owned();
    let mut lines = vec![format!("{}: {}", paint.paint(BOLD, which), paint.paint(RED, broken))];
    lines.extend(recording.iter().take(LINES_SHOWN).filter_map(|line| shown(paint, line)));
    if arguments.replay.is_none() {
        let file = write(arguments.output.as_deref(), &(recording.join("\n") + "\n"))?;
        let file = Launch::quoted(&file.to_string_lossy());
        let side = arguments.side.side().as_str();
        lines.push(format!(
            "It is written to {file}. Replay it with `attache check fuzz {side} --replay {file} -- CMD`, or judge it with `attache check trace {file}`."
        ));
    }
    print(&lines).map(|()| Exit::AgentFailed)
}

/// Writes a recording to the given file, or else to a new one: an earlier failure is not lost, and
/// no link leads to another file. Returns the file.
fn write(given: Option<&Path>, text: &str) -> Result<PathBuf, Failure> {
    let failed = |path: &Path, error: &io::Error| {
        Failure::usage(format!("{} cannot be written: {error}", path.display()))
    };
    if let Some(path) = given {
        fs::write(path, text).map_err(|error| failed(path, &error))?;
        return Ok(path.to_owned());
    }
    let later = (2..=MOST_FILES).map(|number| PathBuf::from(format!("fuzz-{number}.jsonl")));
    for path in iter::once(PathBuf::from("fuzz.jsonl")).chain(later) {
        match File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&path, &error)),
        }
    }
    let advice = "remove some, or name a file with --output";
    Err(Failure::usage(format!("there are {MOST_FILES} files like fuzz-2.jsonl: {advice}")))
}

/// Reads the case from a recording.
fn read(file: &Path, side: Fuzzed) -> Result<Case, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", file.display())))?;
    Case::read(&text, side.side())
        .map_err(|error| Failure::usage(format!("{}, {error}", file.display())))
}

/// Formats a line of a recording for a person.
fn shown(paint: Paint, line: &str) -> Option<String> {
    let recorded = trace(1, line).ok().flatten()?;
    let arrow = if recorded.from == Side::Client { "->" } else { "<-" };
    let room = terminal::columns().map_or(LINE_SHOWN, |columns| columns.saturating_sub(6).max(20));
    Some(paint.paint(DIM, format!("  {arrow} {}", cut(&sanitize::text(&recorded.text), room))))
}

fn print(lines: &[String]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
}
