//! What the person decides in a review: the keys, the questions, and how hunks show their state.

use super::change_source::{ChangeSource as _, Decidable};
use super::hunk_state::state;
use super::rejection::{Rejection, Step};
use super::review_change::ReviewChange;
use super::reviewed_changes::ReviewedChanges;
use super::stage::{Stage, TELLING};
use super::{HunkAddress, ReviewPanel};
use crate::keymap::Action;
use crate::panel::Outcome;
use crate::panel::choice_list::{Choice, ChoiceList};
use crate::panel::drawing::put;
use crate::panel::line_input::LineInput;
use crate::panel::request::Request;
use crate::theme::{Glyphs, Theme};
use attache_checkpoint::{HunkKey, HunkState, Plan, ReviewedHunk, Selection, TreePath};
use attache_view::Role;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::collections::BTreeSet;

impl ReviewPanel {
    pub(super) fn decidable(&self) -> Option<Decidable> {
        self.source.decidable(self.scope)
    }

    /// Handles an action that decides. Returns `None` for any other action.
    pub(super) fn decide(&mut self, action: Action) -> Option<Outcome> {
        let is_file = matches!(action, Action::AcceptFile | Action::RejectFile);
        let wanted: fn(HunkState) -> bool = match action {
            Action::AcceptHunk | Action::AcceptFile => |state| state == HunkState::Open,
            Action::RejectHunk | Action::RejectFile => |state| state != HunkState::Rejected,
            Action::ReopenHunk => |state| state == HunkState::Accepted,
            Action::CommentHunk => |_| true,
            _ => return None,
        };
        let Some(of) = self.decidable() else {
            let why = "without checkpoints of the turn, changes can only be read";
            return Some(Outcome::Do(Request::Inform(why)));
        };
        let selected = self.selected_hunks(&of, is_file);
        let found: Vec<&ReviewedHunk> =
            selected.iter().copied().filter(|each| wanted(each.state)).collect();
        let keys: BTreeSet<HunkKey> = found.iter().map(|each| each.hunk.key.clone()).collect();
        let Some(first) = found.first() else {
            return Some(Outcome::Do(Request::Inform(match (action, selected.is_empty()) {
                (_, true) => "the content was not kept, so the change can only be read",
                (Action::ReopenHunk, _) => {
                    "this change is not accepted; /rewind undoes a rejection"
                }
                _ => "this is already decided",
            })));
        };
        Some(match action {
            Action::CommentHunk => {
                let text = first.comment.clone().unwrap_or_default();
                self.stage = Stage::Commenting(first.hunk.key.clone(), LineInput::with(text));
                Outcome::Stay
            }
            Action::RejectHunk | Action::RejectFile => self.plan(&of, keys, None),
            Action::ReopenHunk => Outcome::Do(Request::DecideHunks(of, ReviewChange::Reopen(keys))),
            _ => Outcome::Do(Request::DecideHunks(of, ReviewChange::Accept(keys))),
        })
    }

    fn plan(
        &mut self,
        of: &Decidable,
        keys: BTreeSet<HunkKey>,
        switched: Option<(Box<Rejection>, TreePath)>,
    ) -> Outcome {
        let mut request = of.review.rejection(keys.clone());
        let mut shown = None;
        if let Some((rejection, path)) = switched {
            request.choices.protected = rejection.switched(path);
            shown = Some(rejection);
        }
        self.stage = Stage::Planning(keys, shown);
        Outcome::Do(Request::PlanRejection(Box::new(request)))
    }

    /// Returns the selected hunk, or all hunks of its file.
    fn selected_hunks<'r>(&self, of: &'r Decidable, is_file: bool) -> Vec<&'r ReviewedHunk> {
        let Some(HunkAddress { file, hunk }) = self.selected() else { return Vec::new() };
        let Some(file) = of.review.files.get(file) else { return Vec::new() };
        match hunk.filter(|_| !is_file) {
            Some(hunk) => file.hunks.get(hunk).into_iter().collect(),
            None => file.hunks.iter().collect(),
        }
    }

    /// Handles a key of a question. Returns `None` while the changes have the keys.
    pub(super) fn answer(&mut self, action: Option<Action>, key: KeyEvent) -> Option<Outcome> {
        let is_back = matches!(action, Some(Action::Dismiss | Action::Cancel));
        let of = self.decidable();
        match (&mut self.stage, of) {
            (Stage::Reading, _) | (_, None) => return None,
            (Stage::Telling(_), _) if is_back => return Some(Outcome::Close),
            (Stage::Planning(_, None), _) if !is_back => return None,
            _ if is_back => self.stage = Stage::Reading,
            (Stage::Rejecting(_), Some(of)) if action == Some(Action::Accept) => {
                return Some(self.confirm(of));
            }
            (Stage::Rejecting(rejection), Some(_)) => {
                action.into_iter().for_each(|action| rejection.shown.act(action));
            }
            (Stage::Commenting(hunk, input), Some(of)) => {
                if action == Some(Action::Accept) {
                    let change = ReviewChange::Comment(hunk.clone(), input.text().to_owned());
                    self.stage = Stage::Reading;
                    self.has_decided = true;
                    return Some(Outcome::Do(Request::DecideHunks(of, change)));
                }
                input.key(key);
            }
            (Stage::Telling(list), Some(of)) => match action {
                Some(Action::Accept) if list.selected() == 0 => {
                    let owner = of.review.owner.clone();
                    return Some(Outcome::CloseAnd(Request::TellDecisions(owner)));
                }
                Some(Action::Accept) => return Some(Outcome::Close),
                Some(action) => {
                    list.act(action);
                }
                None => {}
            },
            (Stage::Planning(..), Some(_)) => {}
        }
        Some(Outcome::Stay)
    }

    /// Does the selected step of the preview of a rejection.
    fn confirm(&mut self, of: Decidable) -> Outcome {
        let Stage::Rejecting(mut rejection) = std::mem::replace(&mut self.stage, Stage::Reading)
        else {
            return Outcome::Stay;
        };
        match (rejection.chosen(), rejection.plan.request.selection.clone()) {
            (Some(Step::Reject), _) => {
                self.has_decided = true;
                let change = ReviewChange::Reject(rejection.plan);
                Outcome::Do(Request::DecideHunks(of, change))
            }
            (Some(Step::Protected(path)), Selection::Hunks(keys)) => {
                self.plan(&of, keys, Some((rejection, path)))
            }
            _ => {
                self.stage = Stage::Rejecting(rejection);
                Outcome::Stay
            }
        }
    }

    /// Closes the panel. If the person decided something, it asks first whether to tell the agent.
    pub(super) fn leave(&mut self) -> Outcome {
        if !self.has_decided || self.decidable().is_none() {
            return Outcome::Close;
        }
        self.stage = Stage::Telling(ChoiceList::default());
        Outcome::Stay
    }

    /// Takes the plan of a rejection. Returns what to say to the person.
    pub(super) fn take_plan(&mut self, planned: Result<Plan, String>) -> Result<(), String> {
        let is_it = |plan: &Plan, keys: &BTreeSet<HunkKey>| match &plan.request.selection {
            Selection::Hunks(planned) => planned == keys,
            _ => false,
        };
        match (std::mem::replace(&mut self.stage, Stage::Reading), planned, self.decidable()) {
            (Stage::Planning(keys, before), Ok(plan), Some(of)) if is_it(&plan, &keys) => {
                let rejection = Rejection::new(&of.review, plan, before.map(|before| *before));
                self.stage = Stage::Rejecting(Box::new(rejection));
            }
            (Stage::Planning(_, Some(before)), Err(why), _) => {
                self.stage = Stage::Rejecting(before);
                return Err(why);
            }
            (Stage::Planning(_, None), Err(why), _) => return Err(why),
            // The person went on without this plan.
            (stage, ..) => self.stage = stage,
        }
        Ok(())
    }

    /// Takes the changes after a decision. The selection stays.
    pub(super) fn take_changes(&mut self, changes: ReviewedChanges) {
        let scope = |of: Option<Decidable>| of.map(|of| (of.turn, of.review.owner.clone()));
        if scope(self.decidable()) != scope(changes.decidable(self.scope)) {
            return;
        }
        self.changes = changes.changes(self.scope);
        self.source = Box::new(changes);
        self.forget_segments();
    }

    /// Draws the question over the changes. Returns the area that is left for the changes.
    pub(super) fn draw_question(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) -> Option<Rect> {
        let line = |rows: u16| {
            let rows = rows.min(area.height);
            let above = Rect { height: area.height.saturating_sub(rows + 1), ..area };
            (above, Rect { y: area.bottom() - rows, height: rows, ..area })
        };
        match &mut self.stage {
            Stage::Reading | Stage::Planning(_, None) => Some(area),
            Stage::Rejecting(rejection) | Stage::Planning(_, Some(rejection)) => {
                rejection.render(area, buffer, theme);
                None
            }
            Stage::Commenting(_, input) => {
                let (above, at) = line(1);
                let style = theme.role(Role::Name);
                let x = put(buffer, at.x, at.y, at.right(), "Comment: ", style);
                let x = put(buffer, x, at.y, at.right(), input.text(), theme.role(Role::Text));
                put(buffer, x, at.y, at.right(), "_", style);
                Some(above)
            }
            Stage::Telling(list) => {
                let (above, at) = line(2);
                let rows =
                    TELLING.map(|text| Choice { text: text.to_owned(), ..Choice::default() });
                list.render(&rows, at, buffer, theme);
                Some(above)
            }
        }
    }

    /// Returns the numbers of hunks by their state.
    pub(super) fn counts(&self) -> Option<String> {
        let of = self.decidable()?;
        let files = of.review.files.iter();
        let words: Vec<&str> = files
            .flat_map(|file| file.hunks.iter().map(|hunk| state(file, hunk, &Glyphs::ASCII).1))
            .collect();
        let count = |word: &str| {
            let count = words.iter().filter(|it| **it == word).count();
            (count > 0).then(|| format!("{count} {word}"))
        };
        let counts: Vec<String> =
            ["open", "accepted", "rejected", "shared"].into_iter().filter_map(count).collect();
        Some(counts.join(", "))
    }
}
