//! The conversation of one session: the session, its view, and how the person reads it.

use crate::app::shell_run::ShellRun;
use crate::app::sought::EarlierReading;
use crate::panel::review::ReportedChanges;
use crate::transcript::Transcript;
use attache_client::HubSession;
use attache_view::{Row, SessionView};
use std::ops::Range;
use std::sync::Arc;

/// The conversation of one session.
pub(crate) struct Conversation {
    pub(crate) session: HubSession,
    pub(crate) transcript: Transcript,
    /// The number of the last event that is shown.
    pub(crate) sequence: u64,
    /// Whether rows still wait to be made.
    pub(crate) has_more: bool,
    /// The commands of the person.
    pub(crate) shell: Vec<ShellRun>,
    pub(crate) view: SessionView,
    /// What is read of the messages that are not in memory.
    pub(crate) earlier: EarlierReading,
    /// The rows with those of the commands, if there are any.
    merged: Vec<Arc<Row>>,
}

impl Conversation {
    pub(crate) fn new(session: HubSession) -> Self {
        Self {
            view: SessionView::new(session.cwd()),
            session,
            transcript: Transcript::new(),
            sequence: 0,
            has_more: false,
            shell: Vec::new(),
            earlier: EarlierReading::default(),
            merged: Vec::new(),
        }
    }

    /// Takes the current state of the session. `now` is the time in milliseconds since 1970.
    pub(crate) fn update(&mut self, now: i64) {
        self.transcript.set_now(now);
        let snapshot = self.session.snapshot();
        let grown = self.shell.iter_mut().filter_map(|run| run.refresh().then_some(())).count();
        let grew = grown > 0;
        let is_current = snapshot.sequence() == self.sequence && !self.has_more;
        if is_current && !grew && !self.view.has_open_terminals() {
            return;
        }
        self.sequence = snapshot.sequence();
        let session = &self.session;
        let changes = self.view.update_with(&snapshot, &|id| session.terminal(id));
        self.has_more = changes.more;
        if changes.replaced {
            self.shell.clear();
            self.merged.clear();
            self.earlier = EarlierReading::default();
            self.transcript.replace(self.view.rows());
            return;
        }
        if self.shell.is_empty() {
            return self.transcript.update(self.view.rows(), &ranges(&changes.rows));
        }
        self.merge();
        let changed = changes.rows.iter().map(|row| self.place(*row));
        let mut changed: Vec<usize> = changed.chain(self.shell_rows()).collect();
        changed.sort_unstable();
        self.transcript.update(&self.merged, &ranges(&changed));
    }

    /// Puts the rows of commands behind those that were there when the commands began.
    fn merge(&mut self) {
        self.merged.clear();
        let mut runs = self.shell.iter().peekable();
        for (index, row) in self.view.rows().iter().enumerate() {
            while let Some(run) = runs.next_if(|run| run.after <= index) {
                self.merged.push(run.row.clone());
            }
            self.merged.push(row.clone());
        }
        self.merged.extend(runs.map(|run| run.row.clone()));
    }

    /// The index at which a row of the session is shown.
    fn place(&self, row: usize) -> usize {
        row + self.shell.iter().filter(|run| run.after <= row).count()
    }

    /// The indices at which the rows of commands are shown.
    fn shell_rows(&self) -> impl Iterator<Item = usize> {
        self.shell.iter().enumerate().map(|(number, run)| run.after + number)
    }

    /// The index among the rows of the session of a row that is shown.
    pub(crate) fn own_row(&self, row: usize) -> usize {
        row - self.shell_rows().filter(|shell| *shell < row).count()
    }

    /// Begins a command at the end of what is shown.
    pub(crate) fn rows_so_far(&self) -> usize {
        self.view.rows().len()
    }

    /// The changes of the files, first those in the turn of a row; of the last turn without a row.
    pub(crate) fn changes(&self, row: Option<usize>) -> ReportedChanges {
        let last = self.view.rows().len().saturating_sub(1);
        let row = row.map_or(last, |row| self.own_row(row).min(last));
        let session = self.session.snapshot();
        let entries = |rows: Range<usize>| self.view.entries(rows, &session);
        let turn = entries(self.view.turn_of(row));
        let cwd = self.session.cwd().to_owned();
        ReportedChanges { turn, session: entries(0..last + 1), cwd }
    }

    /// The number of turns after the one of a row; none without a row.
    pub(crate) fn turns_after(&self, row: Option<usize>) -> u64 {
        let Some(row) = row else { return 0 };
        let (mut end, mut count) = (self.view.turn_of(self.own_row(row)).end, 0);
        while end < self.view.rows().len() {
            end = self.view.turn_of(end).end;
            count += 1;
        }
        count
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.view.rows().is_empty() && self.shell.is_empty()
    }
}

/// Joins ascending indices to ranges.
fn ranges(indices: &[usize]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for index in indices {
        match ranges.last_mut() {
            Some(last) if last.end >= *index => last.end = last.end.max(index + 1),
            _ => ranges.push(*index..index + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    #[test]
    fn indices_become_ranges() {
        assert_eq!(super::ranges(&[1, 2, 3, 5, 5, 9]), [1..4, 5..6, 9..10]);
        assert!(super::ranges(&[]).is_empty());
    }
}
