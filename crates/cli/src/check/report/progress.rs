//! Progress of a run for a person: one line that is rewritten on a terminal, otherwise a line from
//! time to time.

use crate::show::width::cut;
use crate::terminal;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The width of the line if that of the terminal is unknown, in columns.
const COLUMNS: usize = 160;

/// The pause between lines if stderr is not a terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run on stderr.
#[derive(Debug)]
pub(in crate::check) struct Progress {
    is_terminal: bool,
    /// When the last line was written, if stderr is not a terminal.
    written: Cell<Option<Instant>>,
    /// The number of this round, and of all rounds.
    round: Cell<(usize, usize)>,
}

impl Progress {
    /// Creates the progress; it writes nothing yet.
    pub(in crate::check) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { is_terminal, written: Cell::new(None), round: Cell::new((1, 1)) }
    }

    /// Starts round `number` of `of`.
    pub(in crate::check) fn round(&self, number: usize, of: usize) {
        self.round.set((number, of));
    }

    pub(in crate::check) fn update(&self, probe: &str, number: usize, of: usize) {
        let round = match self.round.get() {
            (_, 1) => String::new(),
            (round, rounds) => format!("round {round} of {rounds}, "),
        };
        let line = format!("{round}{number}/{of} {}", probe.replace('_', " "));
        if self.is_terminal {
            self.rewrite(&cut(&line, terminal::columns().unwrap_or(COLUMNS)));
        } else if self.written.get().is_none_or(|last| last.elapsed() >= QUIET) {
            self.written.set(Some(Instant::now()));
            // A closed stderr is not an error.
            let _unread = writeln!(io::stderr(), "{line}");
        }
    }

    /// Clears the line on the terminal, so that other text can be written.
    pub(in crate::check) fn clear(&self) {
        if self.is_terminal {
            self.rewrite("");
        }
    }

    fn rewrite(&self, line: &str) {
        // A closed stderr is not an error.
        let _unread = write!(io::stderr(), "\r\u{1b}[K{line}");
    }
}
