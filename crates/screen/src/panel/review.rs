//! The review: all changes of a turn or of a session, file by file and place by place.

mod change_list;
mod change_source;
mod deciding;
#[cfg(test)]
mod deciding_tests;
mod hunk_state;
mod panel_drawing;
mod rejection;
mod review_change;
mod reviewed_changes;
mod stage;
#[cfg(test)]
mod tests;

pub(crate) use change_source::{ChangeSource, Decidable, ReportedChanges};
pub(crate) use review_change::ReviewChange;
pub(crate) use reviewed_changes::ReviewedChanges;

use super::drawing::{cut, put};
use super::request::Request;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::layout::{HunkColumns, hunk_text, review_segments};
use crate::theme::Theme;
use attache_checkpoint::Plan;
use attache_view::{DiffRow, Role};
use change_list::ChangeList;
use hunk_state::about;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use stage::Stage;
use std::collections::HashSet;

/// The address of a changed place in the changes of a [`ChangeSource`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HunkAddress {
    /// The index of the file.
    pub(crate) file: usize,
    /// The index of the place in the file; `None` if the file has no visible places, because it is
    /// folded, renamed or binary.
    pub(crate) hunk: Option<usize>,
}

/// The columns at the left for the mark of the selected place.
const MARK: u16 = 2;

/// The review.
pub(crate) struct ReviewPanel {
    source: Box<dyn ChangeSource>,
    scope: usize,
    changes: DiffRow,
    /// The folded files.
    folded: HashSet<usize>,
    columns: HunkColumns,
    list: ChangeList,
    /// The addresses at which the selection stops, with their first and last segments.
    stops: Vec<(HunkAddress, usize, usize)>,
    /// The index of the selected stop.
    selected: usize,
    /// The segments of the rows that were drawn last.
    drawn: Vec<usize>,
    /// The number of rows above the changes.
    body: u16,
    /// Whether the segments must be made again.
    is_stale: bool,
    /// What is over the changes.
    stage: Stage,
    /// Whether the person decided something of which the agent can learn.
    has_decided: bool,
}

impl ReviewPanel {
    /// Makes a review of the first scope that has changes. Returns `None` if none has.
    pub(crate) fn of(source: Box<dyn ChangeSource>) -> Option<Self> {
        let scopes = 0..source.scopes().len();
        let mut found = scopes.map(|scope| (scope, source.changes(scope)));
        let (scope, changes) = found.find(|(_, changes)| !changes.files.is_empty())?;
        drop(found);
        Some(Self {
            source,
            scope,
            changes,
            folded: HashSet::new(),
            columns: HunkColumns::ByWidth,
            list: ChangeList::default(),
            stops: Vec::new(),
            selected: 0,
            drawn: Vec::new(),
            body: 0,
            is_stale: true,
            stage: Stage::Reading,
            has_decided: false,
        })
    }

    /// Returns the address of the selected place.
    pub(crate) fn selected(&self) -> Option<HunkAddress> {
        self.stops.get(self.selected).map(|(address, ..)| *address)
    }

    /// Makes the segments again. The selection stays at its place, or at its file.
    fn rebuild(&mut self, theme: &Theme) {
        let selected = self.selected();
        let is_folded = |file| self.folded.contains(&file);
        let (of, glyphs) = (self.decidable(), theme.glyphs());
        let about = |file, hunk, shown: &_| about(of.as_ref(), (file, hunk), shown, glyphs);
        let segments = review_segments(&self.changes, is_folded, about, self.columns, glyphs);
        self.stops.clear();
        for (index, segment) in segments.iter().enumerate() {
            let address = HunkAddress { file: segment.file, hunk: segment.hunk };
            match self.stops.last_mut() {
                Some((last, _, end)) if *last == address => *end = index,
                // A file with visible places needs no stop of its own.
                Some((last, first, end)) if last.file == address.file && last.hunk.is_none() => {
                    (*last, *first, *end) = (address, index, index);
                }
                Some((last, ..)) if last.file == address.file && address.hunk.is_none() => {}
                _ => self.stops.push((address, index, index)),
            }
        }
        self.list.set_segments(segments);
        self.selected = selected.map_or(0, |old| self.nearest(old));
    }

    /// Returns the stop at this address, or else the nearest one in its file.
    fn nearest(&self, wanted: HunkAddress) -> usize {
        let at = self.stops.iter().position(|(address, ..)| *address == wanted);
        let in_file = || self.stops.iter().position(|(address, ..)| address.file >= wanted.file);
        at.or_else(in_file).unwrap_or_else(|| self.stops.len().saturating_sub(1))
    }

    /// Selects a stop and shows it. The first place of a file is shown with the line of the file.
    fn select(&mut self, stop: usize) {
        let Some((address, first, last)) = self.stops.get(stop).copied() else { return };
        self.selected = stop;
        let is_first = self.stops.iter().position(|(it, ..)| it.file == address.file) == Some(stop);
        let header = self.list.segments().iter().position(|it| it.file == address.file);
        let first = header.filter(|_| is_first).unwrap_or(first);
        self.list.reveal(first, last);
    }

    fn step(&mut self, forwards: bool) {
        let last = self.stops.len().saturating_sub(1);
        let to = if forwards { self.selected + 1 } else { self.selected.saturating_sub(1) };
        self.select(to.min(last));
    }

    fn step_file(&mut self, forwards: bool) {
        let Some(HunkAddress { file, .. }) = self.selected() else { return };
        let is_next = |(address, ..): &(HunkAddress, usize, usize)| match forwards {
            true => address.file > file,
            false => address.file + 1 >= file,
        };
        if let Some(stop) = self.stops.iter().position(is_next) {
            self.select(stop);
        }
    }

    /// Scrolls, and selects the first visible place if the selected one is no longer visible.
    fn scroll_by(&mut self, lines: isize) {
        self.list.scroll(lines);
        self.follow();
    }

    fn follow(&mut self) {
        let visible: HashSet<usize> =
            self.list.visible().into_iter().map(|(segment, _)| segment).collect();
        let is_visible = |(_, first, last): &(HunkAddress, usize, usize)| {
            (*first..=*last).any(|segment| visible.contains(&segment))
        };
        if !self.stops.get(self.selected).is_some_and(is_visible)
            && let Some(stop) = self.stops.iter().position(is_visible)
        {
            self.selected = stop;
        }
    }

    fn fold(&mut self) {
        let Some(HunkAddress { file, .. }) = self.selected() else { return };
        if !self.folded.remove(&file) {
            self.folded.insert(file);
        }
        self.forget_segments();
    }

    /// Makes the next drawing build the segments.
    fn forget_segments(&mut self) {
        self.drawn.clear();
        self.is_stale = true;
    }

    /// Shows the changes of the next scope.
    fn next_scope(&mut self) {
        self.scope = (self.scope + 1) % self.source.scopes().len().max(1);
        self.changes = self.source.changes(self.scope);
        self.stage = Stage::Reading;
        self.folded.clear();
        self.stops.clear();
        self.selected = 0;
        self.list = ChangeList::default();
        self.forget_segments();
    }

    fn scope_name(&self) -> &'static str {
        self.source.scopes().get(self.scope).copied().unwrap_or_default()
    }

    /// Returns the text of the selected place; of a file without one, its path.
    fn selected_text(&self) -> Option<String> {
        let HunkAddress { file, hunk } = self.selected()?;
        let file = self.changes.files.get(file)?;
        match hunk {
            Some(hunk) => file.hunks.get(hunk).map(hunk_text),
            None => Some(file.path.text()),
        }
    }
}

impl Panel for ReviewPanel {
    fn title(&self) -> String {
        match &self.stage {
            Stage::Planning(..) => "Comparing files".to_owned(),
            Stage::Rejecting(_) => "What rejecting does".to_owned(),
            _ => format!("Changes of {}", self.scope_name()),
        }
    }

    fn context(&self) -> Context {
        match self.stage {
            Stage::Reading | Stage::Planning(_, None) => Context::Review,
            _ => Context::Picker,
        }
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        if !matches!(self.stage, Stage::Reading | Stage::Planning(_, None)) {
            return vec![(Action::Accept, "do it"), (Action::Dismiss, "back")];
        }
        let mut hints = vec![(Action::NextHunk, "next"), (Action::PreviousHunk, "back")];
        // A narrow terminal has no room for more; `?` lists all keys.
        hints.extend(match self.decidable() {
            Some(_) => [
                (Action::AcceptHunk, "accept"),
                (Action::RejectHunk, "reject"),
                (Action::CommentHunk, "comment"),
                (Action::ReopenHunk, "reopen"),
            ],
            None => [
                (Action::NextFile, "file"),
                (Action::Fold, "fold"),
                (Action::SideBySide, "sides"),
                (Action::CopyCode, "copy"),
            ],
        });
        let next = (self.scope + 1) % self.source.scopes().len().max(1);
        let name = self.source.scopes().get(next).copied().unwrap_or_default();
        if next != self.scope {
            hints.push((Action::ReviewScope, name.trim_start_matches("the ")));
        }
        hints.push((Action::Dismiss, "close"));
        hints
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn height(&self, _width: u16) -> u16 {
        u16::MAX
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        if std::mem::take(&mut self.is_stale) {
            self.rebuild(theme);
        }
        let Some(area) = self.draw_question(area, buffer, theme).filter(|area| !area.is_empty())
        else {
            return;
        };
        if self.changes.files.is_empty() {
            let text = self.source.nothing(self.scope_name());
            let text = cut(&text, usize::from(area.width));
            put(buffer, area.x, area.y, area.right(), &text, theme.role(Role::Muted));
            return;
        }
        let mut x = area.x;
        for (text, role) in self.summary(theme) {
            let text = cut(&text, usize::from(area.right() - x));
            x = put(buffer, x, area.y, area.right(), &text, theme.role(role));
        }
        let gap = 1 + u16::from(area.height > 12);
        let body = Rect { y: area.y + gap, height: area.height.saturating_sub(gap), ..area };
        self.body = body.y - area.y;
        self.draw_changes(body, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let decided = self.answer(action, key).or_else(|| self.decide(action?));
        if let Some(outcome) = decided {
            return outcome;
        }
        let page = self.list.page();
        match action {
            Some(Action::Dismiss | Action::Cancel) => return self.leave(),
            Some(Action::NextHunk) => self.step(true),
            Some(Action::PreviousHunk) => self.step(false),
            Some(Action::NextFile) => self.step_file(true),
            Some(Action::PreviousFile) => self.step_file(false),
            Some(Action::ScrollUp) => self.scroll_by(-1),
            Some(Action::ScrollDown) => self.scroll_by(1),
            Some(Action::PageUp) => self.scroll_by(-page),
            Some(Action::PageDown) => self.scroll_by(page),
            Some(Action::Top) => {
                self.list.start();
                self.selected = 0;
            }
            Some(Action::Bottom) => {
                self.list.end();
                self.selected = self.stops.len().saturating_sub(1);
            }
            Some(Action::Fold) => self.fold(),
            Some(Action::SideBySide) => {
                self.columns = match self.columns.are_two(self.list.columns()) {
                    true => HunkColumns::One,
                    false => HunkColumns::Two,
                };
                self.forget_segments();
            }
            Some(Action::ReviewScope) => self.next_scope(),
            Some(Action::CopyCode) => {
                if let Some(text) = self.selected_text() {
                    return Outcome::Do(Request::Copy(text));
                }
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn planned(&mut self, planned: Result<Plan, String>) -> Result<(), String> {
        self.take_plan(planned)
    }

    fn reviewed(&mut self, changes: ReviewedChanges) {
        self.take_changes(changes);
    }

    fn paste(&mut self, text: &str) -> bool {
        match &mut self.stage {
            Stage::Commenting(_, input) => input.insert(text),
            _ => return false,
        }
        true
    }

    fn scroll(&mut self, rows: i32) {
        match &mut self.stage {
            Stage::Rejecting(rejection) => rejection.shown.scroll(rows),
            _ => self.scroll_by(rows as isize),
        }
    }

    fn click(&mut self, row: u16) -> Outcome {
        if matches!(self.stage, Stage::Rejecting(_)) {
            return Outcome::Stay;
        }
        let line = row.checked_sub(self.body).and_then(|line| self.drawn.get(usize::from(line)));
        let Some(segment) = line.copied() else { return Outcome::Stay };
        let segments = self.list.segments();
        let Some(file) = segments.get(segment).map(|it| it.file) else { return Outcome::Stay };
        let is_header = segments.iter().position(|it| it.file == file) == Some(segment);
        let holds = |(address, first, last): &(HunkAddress, usize, usize)| match is_header {
            true => address.file == file,
            false => (*first..=*last).contains(&segment),
        };
        if let Some(stop) = self.stops.iter().position(holds) {
            self.selected = stop;
            if is_header {
                self.fold();
            }
        }
        Outcome::Stay
    }
}
