//! Lines from the person: editing, history, continuation after a backslash, completion of commands.

use crate::key::Cooked;
use crate::terminal;
use attache_screen::composer::HistoryFile;
use rustyline::completion::Completer;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// The maximum length of a line from a pipe, in bytes.
const LONGEST: u64 = 16 << 20;

/// Input from the person.
pub(crate) enum Input {
    /// One or more lines.
    Line(String),
    /// Ctrl-C: no line.
    Nothing,
    /// Ctrl-D, or the terminal is gone.
    End,
}

/// A request for a line.
struct Asked {
    prompt: String,
    /// Earlier input, which becomes the start of the line.
    draft: String,
}

/// Reads lines on a thread that lives as long as the process.
pub(crate) struct Lines {
    asks: std::sync::mpsc::Sender<Asked>,
    lines: mpsc::Receiver<Input>,
    /// Writes text above the line that is being edited; `None` if lines are not edited here.
    printer: Option<Box<dyn ExternalPrinter + Send>>,
    /// Whether a requested line is outstanding.
    is_waiting: bool,
    /// The start of a line that is not edited here.
    draft: String,
    /// The commands that can be completed.
    pub(crate) commands: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    /// Takes over the terminal. If it supports editing, lines can be edited and are stored in
    /// `history`, if given. Other terminals and pipes deliver plain lines.
    pub(crate) fn new(history: Option<HistoryFile>) -> io::Result<Self> {
        match terminal::can_edit() {
            true => Self::edited(history),
            false => Self::plain(),
        }
    }

    fn edited(history: Option<HistoryFile>) -> io::Result<Self> {
        let commands = Arc::<Mutex<Vec<String>>>::default();
        let mut editor =
            Editor::<Commands, MemHistory>::with_history(Config::default(), MemHistory::new())
                .map_err(io::Error::other)?;
        editor.set_helper(Some(Commands(commands.clone())));
        editor.set_auto_add_history(true);
        for prompt in history.iter().flat_map(HistoryFile::read_stored) {
            // A prompt that is equal to the one before it is not added.
            let _ = editor.add_history_entry(prompt);
        }
        let printer = Box::new(editor.create_external_printer().map_err(io::Error::other)?);
        let reading = move |Asked { prompt, draft }| {
            let input = match editor.readline_with_initial(&prompt, (&draft, "")) {
                Ok(line) => Input::Line(line.replace("\\\n", "\n")),
                Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Input::Nothing,
                Err(_) => Input::End,
            };
            if let (Some(history), Input::Line(line)) = (&history, &input) {
                // The conversation goes on without a history.
                let _ = history.add_stored(line);
            }
            input
        };
        Self::reading(reading, Some(printer), commands)
    }

    fn plain() -> io::Result<Self> {
        let mut stdin = io::BufReader::new(io::stdin());
        let reading = move |Asked { prompt, draft }| {
            // A pipe does not depend on the settings of the terminal.
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
        let (sender, lines) = mpsc::channel(1);
        let reading = move || {
            while let Ok(asked) = asked.recv() {
                if sender.blocking_send(read(asked)).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("lines".to_owned()).spawn(reading)?;
        Ok(Self { asks, lines, printer, is_waiting: false, draft: String::new(), commands })
    }

    /// Requests a line with this prompt. The line starts with `draft`, which was typed earlier.
    pub(crate) fn ask(&mut self, prompt: String, draft: String) {
        if self.is_waiting {
            // The thread is still reading the line of an abandoned request. That line answers this
            // request.
            return self.write(&format!("{prompt}{draft}"));
        }
        self.is_waiting = true;
        if self.printer.is_none() {
            self.draft.clone_from(&draft);
        }
        // The thread ends only with the process, so sending does not fail.
        let _ = self.asks.send(Asked { prompt, draft });
    }

    /// Waits for the requested line. The future can be dropped without losing input.
    pub(crate) async fn next(&mut self) -> Input {
        let input = self.lines.recv().await.unwrap_or(Input::End);
        self.is_waiting = false;
        let draft = std::mem::take(&mut self.draft);
        match input {
            Input::Line(line) => Input::Line(draft + &line),
            input => input,
        }
    }

    /// Handles Ctrl-C as a signal: abandons the line if the terminal edits it. Returns false if the
    /// signal does not concern the line.
    pub(crate) fn abandon(&mut self) -> bool {
        self.draft.clear();
        self.printer.is_none()
    }

    /// Writes a line above the edited one.
    pub(crate) fn print(&mut self, line: &str) {
        match &mut self.printer {
            // An error is ignored: if the terminal is gone, reading fails too.
            Some(printer) => drop(printer.print(format!("{line}\n"))),
            None => self.write(&format!("\n{line}\n")),
        }
    }

    fn write(&self, text: &str) {
        let mut stdout = io::stdout().lock();
        // An error is ignored: if the terminal is gone, reading fails too.
        let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    }
}

/// Reads a line from the editor or from a pipe; a backslash at its end continues it.
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
