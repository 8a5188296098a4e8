//! The person's lines: edited, remembered from time to time, continued after a backslash, commands completed.

use rustyline::completion::Completer;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, ExternalPrinter, Helper};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// What the person gives.
pub(crate) enum Input {
    /// A line, or several.
    Line(String),
    /// Ctrl-C: nothing.
    Nothing,
    /// Ctrl-D, or the terminal is gone.
    End,
}

/// Reads on a thread of its own, which lives as long as the process.
pub(crate) struct Lines {
    prompts: std::sync::mpsc::Sender<String>,
    lines: mpsc::Receiver<Input>,
    printer: Box<dyn ExternalPrinter + Send>,
    /// What can be completed after a slash.
    pub(crate) commands: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    /// Takes the terminal. Lines are remembered in `history`, if there is one.
    pub(crate) fn new(history: Option<PathBuf>) -> io::Result<Self> {
        let commands = Arc::<Mutex<Vec<String>>>::default();
        let mut editor = Editor::<Commands, FileHistory>::new().map_err(io::Error::other)?;
        editor.set_helper(Some(Commands(commands.clone())));
        editor.set_auto_add_history(true);
        if let Some(history) = &history {
            // One that is not there or cannot be read is one without lines.
            let _ = editor.load_history(history);
        }
        let printer = Box::new(editor.create_external_printer().map_err(io::Error::other)?);
        let (prompts, asked) = std::sync::mpsc::channel::<String>();
        let (told, lines) = mpsc::channel(1);
        let reading = move || {
            while let Ok(prompt) = asked.recv() {
                let input = match editor.readline(&prompt) {
                    Ok(line) => Input::Line(line.replace("\\\n", "\n")),
                    Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Input::Nothing,
                    Err(_) => Input::End,
                };
                if let Some(history) = &history {
                    let made = history.parent().map(std::fs::create_dir_all);
                    let _ = made.map(|_| editor.append_history(history));
                }
                if told.blocking_send(input).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("lines".to_owned()).spawn(reading)?;
        Ok(Self { prompts, lines, printer, commands })
    }

    /// Begins to read a line behind this prompt.
    pub(crate) fn ask(&self, prompt: String) {
        // The thread ends only with the process.
        let _ = self.prompts.send(prompt);
    }

    /// The line that was begun. Losing the future loses nothing.
    pub(crate) async fn next(&mut self) -> Input {
        self.lines.recv().await.unwrap_or(Input::End)
    }

    /// Writes a line above the one that is being typed.
    pub(crate) fn print(&mut self, line: &str) {
        // A terminal that is gone ends the reading too.
        let _ = self.printer.print(format!("{line}\n"));
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

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
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
