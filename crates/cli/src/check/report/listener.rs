//! Listens to a run: progress for a person, verdicts as JSON lines, and the results of an
//! interrupted run.

use super::progress::Progress;
use crate::exit::Failure;
use crate::show::json::escaped;
use attache_check::{RunEvent, Verdict};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Listens to a run.
pub(in crate::check) struct Listener {
    pub(in crate::check) progress: Progress,
    as_json: bool,
    /// Whether there are several rounds. If so, only failures are written before the end.
    is_repeated: Cell<bool>,
    /// The rules whose verdicts were written.
    written: RefCell<BTreeSet<&'static str>>,
    /// The verdicts so far, in case of an interruption.
    verdicts: RefCell<Vec<Verdict>>,
    /// The number of started probes, and of all probes.
    probes: Cell<(usize, usize)>,
    /// The error that closed stdout.
    broken: RefCell<Option<io::Error>>,
}

impl Listener {
    /// Writes verdicts to stdout as JSON if `as_json` is true.
    pub(in crate::check) fn new(as_json: bool) -> Self {
        Self {
            progress: Progress::new(),
            as_json,
            is_repeated: Cell::new(false),
            written: RefCell::default(),
            verdicts: RefCell::default(),
            probes: Cell::new((0, 0)),
            broken: RefCell::default(),
        }
    }

    /// Starts round `number` of `of`.
    pub(in crate::check) fn round(&self, number: usize, of: usize) {
        self.progress.round(number, of);
        self.is_repeated.set(of > 1);
    }

    /// Handles an event of the run.
    pub(in crate::check) fn handle(&self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Probe { name, number, of } => {
                self.probes.set((*number, *of));
                self.progress.update(name, *number, *of);
            }
            RunEvent::Verdict { verdict, is_final } => {
                self.verdicts.borrow_mut().push((*verdict).clone());
                if *is_final && (verdict.outcome.is_fail() || !self.is_repeated.get()) {
                    self.write(verdict);
                }
            }
            _ => {}
        }
    }

    /// Returns the verdicts so far.
    pub(in crate::check) fn verdicts(&self) -> Vec<Verdict> {
        self.verdicts.borrow().clone()
    }

    /// Describes the progress of an interrupted run.
    pub(in crate::check) fn reached(&self) -> String {
        let (begun, of) = self.probes.get();
        format!("{} of {of} probes", begun.saturating_sub(1))
    }

    /// Writes the remaining verdicts.
    pub(in crate::check) fn write_rest(&self, verdicts: &[Verdict]) -> Result<(), Failure> {
        verdicts.iter().for_each(|verdict| self.write(verdict));
        self.broken.borrow_mut().take().map_or(Ok(()), |error| Err(Failure::output(&error)))
    }

    fn write(&self, verdict: &Verdict) {
        if !self.as_json || !self.written.borrow_mut().insert(verdict.rule.id) {
            return;
        }
        self.progress.clear();
        let mut out = io::stdout().lock();
        let line = escaped(&verdict.to_json());
        if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
            self.broken.borrow_mut().get_or_insert(error);
        }
    }
}
