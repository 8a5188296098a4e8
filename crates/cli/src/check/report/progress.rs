//! What is being probed, for a person: one line that changes on a terminal, else a line from time
//! to time.

use crate::show::width::cut;
use crate::terminal;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How wide the line is without a known terminal, in columns.
const COLUMNS: usize = 160;

/// How long no line is written where stderr is no terminal.
const QUIET: Duration = Duration::from_secs(2);

/// The progress of a run on stderr.
#[derive(Debug)]
pub(in crate::check) struct Progress {
    is_terminal: bool,
    /// When the last line was written, where stderr is no terminal.
    written: Cell<Option<Instant>>,
    /// The number of this round, and how many there are.
    round: Cell<(usize, usize)>,
}

impl Progress {
    /// Nothing is written yet.
    pub(in crate::check) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        Self { is_terminal, written: Cell::new(None), round: Cell::new((1, 1)) }
    }

    /// The round that begins, and how many there are.
    pub(in crate::check) fn round(&self, number: usize, of: usize) {
        self.round.set((number, of));
    }

    pub(in crate::check) fn tell(&self, probe: &str, number: usize, of: usize) {
        let round = match self.round.get() {
            (_, 1) => String::new(),
            (round, rounds) => format!("round {round} of {rounds}, "),
        };
        let line = format!("{round}{number}/{of} {}", probe.replace('_', " "));
        if self.is_terminal {
            self.rewrite(&cut(&line, terminal::columns().unwrap_or(COLUMNS)));
        } else if self.written.get().is_none_or(|last| last.elapsed() >= QUIET) {
            self.written.set(Some(Instant::now()));
            // Without a reader of stderr there is nobody to inform.
            let _unread = writeln!(io::stderr(), "{line}");
        }
    }

    /// Takes the line off the terminal, so that something else can be written.
    pub(in crate::check) fn clear(&self) {
        if self.is_terminal {
            self.rewrite("");
        }
    }

    fn rewrite(&self, line: &str) {
        // Without a reader of stderr there is nobody to inform.
        let _unread = write!(io::stderr(), "\r\u{1b}[K{line}");
    }
}
