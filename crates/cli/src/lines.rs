//! The person's lines: edited, remembered from time to time, continued after a backslash, commands
//! completed.

use crate::key::Cooked;
use crate::terminal;
use rustyline::completion::Completer;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, ExternalPrinter, Helper};
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// The longest line that is read from a pipe, in bytes.
const LONGEST: u64 = 16 << 20;

/// What the person gives.
pub(crate) enum Input {
    /// A line, or several.
    Line(String),
    /// Ctrl-C: nothing.
    Nothing,
    /// Ctrl-D, or the terminal is gone.
    End,
}

/// A line to be read.
struct Asked {
    prompt: String,
    /// What was typed already.
    draft: String,
}

/// Reads on a thread of its own, which lives as long as the process.
pub(crate) struct Lines {
    asks: std::sync::mpsc::Sender<Asked>,
    lines: mpsc::Receiver<Input>,
    /// Writes above the line that is being edited; `None` where lines are not edited here.
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    /// Whether a line was asked for and has not come.
    is_waiting: bool,
    /// What was typed before a line that is not edited here.
    draft: String,
    /// What can be completed after a slash.
    pub(crate) commands: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    /// Takes the terminal. Lines are edited if the terminal can show that, and then remembered in
    /// `history`, if there is one; from any other terminal, and from a pipe, they are read as they
    /// come.
    pub(crate) fn new(history: Option<PathBuf>) -> io::Result<Self> {
        match terminal::can_edit() {
            true => Self::edited(history),
            false => Self::plain(),
        }
    }

    fn edited(history: Option<PathBuf>) -> io::Result<Self> {
        let commands = Arc::<Mutex<Vec<String>>>::default();
        let mut editor = Editor::<Commands, FileHistory>::new().map_err(io::Error::other)?;
        editor.set_helper(Some(Commands(commands.clone())));
        editor.set_auto_add_history(true);
        if let Some(history) = &history {
            // One that is not there or cannot be read is one without lines.
            let _ = editor.load_history(history);
        }
        let printer = Box::new(editor.create_external_printer().map_err(io::Error::other)?);
        let reading = move |Asked { prompt, draft }| {
            let input = match editor.readline_with_initial(&prompt, (&draft, "")) {
                Ok(line) => Input::Line(line.replace("\\\n", "\n")),
                Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Input::Nothing,
                Err(_) => Input::End,
            };
            if let Some(history) = &history {
                let made = history.parent().map(std::fs::create_dir_all);
                let _ = made.map(|_| editor.append_history(history));
            }
            input
        };
        Self::reading(reading, Some(printer), commands)
    }

    fn plain() -> io::Result<Self> {
        let mut stdin = io::BufReader::new(io::stdin());
        let reading = move |Asked { prompt, draft }| {
            // From a pipe lines come whatever the terminal does.
            let _cooked = io::stdin().is_terminal().then(Cooked::begin);
            plain_line(&mut stdin, &format!("{prompt}{draft}"))
        };
        Self::reading(reading, None, Arc::default())
    }

    fn reading(
        mut read: impl FnMut(Asked) -> Input + Send + 'static,
        printer: Option<Box<dyn ExternalPrinter + Send>>,
        commands: Arc<Mutex<Vec<String>>>,
    ) -> io::Result<Self> {
        let (asks, asked) = std::sync::mpsc::channel::<Asked>();
        let (told, lines) = mpsc::channel(1);
        let reading = move || {
            while let Ok(asked) = asked.recv() {
                if told.blocking_send(read(asked)).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("lines".to_owned()).spawn(reading)?;
        Ok(Self { asks, lines, printer, is_waiting: false, draft: String::new(), commands })
    }

    /// Begins to read a line behind this prompt, and behind what was typed already.
    pub(crate) fn ask(&mut self, prompt: String, draft: String) {
        if self.is_waiting {
            // The line that was given up is not over for the thread: the next one is its answer.
            return self.write(&format!("{prompt}{draft}"));
        }
        self.is_waiting = true;
        if self.printer.is_none() {
            self.draft.clone_from(&draft);
        }
        // The thread ends only with the process.
        let _ = self.asks.send(Asked { prompt, draft });
    }

    /// The line that was begun. Losing the future loses nothing.
    pub(crate) async fn next(&mut self) -> Input {
        let input = self.lines.recv().await.unwrap_or(Input::End);
        self.is_waiting = false;
        let draft = std::mem::take(&mut self.draft);
        match input {
            Input::Line(line) => Input::Line(draft + &line),
            input => input,
        }
    }

    /// Ctrl-C as a signal: gives up the line that is being typed, where the terminal edits it.
    /// False if the signal is not about the line.
    pub(crate) fn give_up(&mut self) -> bool {
        self.draft.clear();
        self.printer.is_none()
    }

    /// Writes a line above the one that is being typed.
    pub(crate) fn print(&mut self, line: &str) {
        match &mut self.printer {
            // A terminal that is gone ends the reading too.
            Some(printer) => drop(printer.print(format!("{line}\n"))),
            None => self.write(&format!("\n{line}\n")),
        }
    }

    fn write(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        // As above.
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }
}

/// A line from a terminal that edits it, or from a pipe; a backslash at its end goes on in the
/// next.
fn plain_line(stdin: &mut impl BufRead, prompt: &str) -> Input {
    let mut text = String::new();
    let mut prompt = prompt;
    loop {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(prompt.as_bytes()).and_then(|()| stdout.flush());
        drop(stdout);
        let mut line = Vec::new();
        match stdin.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) if text.is_empty() => return Input::End,
            Ok(_) => {}
            Err(_) => return Input::End,
        }
        let is_last = line.is_empty();
        text.push_str(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
        match text.strip_suffix('\\').filter(|_| !is_last) {
            Some(begun) => text = format!("{begun}\n"),
            None => return Input::Line(text),
        }
        prompt = "  ";
    }
}

struct Commands(Arc<Mutex<Vec<String>>>);

impl Helper for Commands {}

impl Highlighter for Commands {}

impl Hinter for Commands {
    type Hint = String;
}

impl Validator for Commands {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match context.input().ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Completer for Commands {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line);
        let commands = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((
            0,
            commands
                .iter()
                .filter(|command| typed.starts_with('/') && command.starts_with(typed))
                .cloned()
                .collect(),
        ))
    }
}
