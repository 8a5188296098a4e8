//! One line on a person's terminal that tells what is being probed.

use crate::show::width::cut;
use crate::terminal;
use std::io::{self, IsTerminal, Write};

/// How wide the line is without a known terminal, in columns.
const COLUMNS: usize = 160;

/// The line, where there is a terminal to show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    shown: bool,
    /// Which time everything is judged, and how often it will be.
    pub(super) round: (usize, usize),
}

impl Progress {
    /// Shown if stderr is a terminal and `wanted` is true.
    pub(super) fn new(wanted: bool) -> Self {
        Self { shown: wanted && io::stderr().is_terminal(), round: (1, 1) }
    }

    pub(super) fn tell(&self, probe: &str, number: usize, of: usize) {
        if self.shown {
            let round = match self.round {
                (_, 1) => String::new(),
                (round, rounds) => format!("round {round} of {rounds}, "),
            };
            let line = format!("{round}{number}/{of} {}", probe.replace('_', " "));
            self.write(&cut(&line, terminal::columns().unwrap_or(COLUMNS)));
        }
    }

    pub(super) fn end(&self) {
        if self.shown {
            self.write("");
        }
    }

    fn write(&self, line: &str) {
        // Who closes stderr does without.
        let _unseen = write!(io::stderr(), "\r\u{1b}[K{line}");
    }
}
