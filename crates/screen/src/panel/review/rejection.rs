//! The preview of a rejection: which lines go, and what stays.

use crate::panel::choice_list::Choice;
use crate::panel::plan_preview::{PlanPreview, protected};
use crate::theme::Theme;
use attache_checkpoint::{KeptReason, Plan, Review, TreePath};
use attache_view::{file_count, rejection_preview};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeSet;

/// What the person can do after the preview.
pub(super) enum Step {
    /// Reject the hunks.
    Reject,
    /// Change this protected file too, or not.
    Protected(TreePath),
}

/// The preview of a rejection.
pub(super) struct Rejection {
    pub(super) plan: Box<Plan>,
    pub(super) shown: PlanPreview,
    /// The protected files that the person may reject too.
    protected: BTreeSet<TreePath>,
}

impl Rejection {
    /// Makes the preview of a plan, after the preview of an earlier plan for the same hunks.
    pub(super) fn new(review: &Review, plan: Plan, before: Option<Rejection>) -> Self {
        let stays = plan.files.iter().filter(|file| file.kept == Some(KeptReason::Protected));
        let mut protected: BTreeSet<TreePath> = stays.map(|file| file.path.clone()).collect();
        let mut shown = PlanPreview::new(rejection_preview(review, &plan));
        if let Some(before) = before {
            shown.list.select(before.shown.list.selected());
            protected.extend(before.protected);
        }
        Self { plan: Box::new(plan), shown, protected }
    }

    fn steps(&self) -> Vec<Step> {
        let has_effect = self.plan.restored().next().is_some();
        let reject = has_effect.then_some(Step::Reject);
        reject.into_iter().chain(self.protected.iter().cloned().map(Step::Protected)).collect()
    }

    fn row(&self, step: &Step) -> Choice {
        match step {
            Step::Reject => {
                let files = file_count(self.plan.restored().count());
                Choice { text: format!("Reject: change {files} back"), ..Choice::default() }
            }
            Step::Protected(path) => protected(path, self.allowed().contains(path)),
        }
    }

    /// The protected files that are changed too.
    fn allowed(&self) -> &BTreeSet<TreePath> {
        &self.plan.request.choices.protected
    }

    /// Returns the protected files that are changed too after this one is switched on or off.
    pub(super) fn switched(&self, path: TreePath) -> BTreeSet<TreePath> {
        let mut allowed = self.allowed().clone();
        if !allowed.remove(&path) {
            allowed.insert(path);
        }
        allowed
    }

    /// Returns the selected step, if a key may confirm it now.
    pub(super) fn chosen(&mut self) -> Option<Step> {
        if !self.shown.is_ready() {
            return None;
        }
        self.steps().into_iter().nth(self.shown.list.selected())
    }

    pub(super) fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let rows: Vec<Choice> = self.steps().iter().map(|step| self.row(step)).collect();
        self.shown.render(&rows, area, buffer, theme);
    }
}
