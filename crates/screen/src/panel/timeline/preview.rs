//! The preview of going back to a place.

use super::place::Place;
use crate::panel::choice_list::Choice;
use crate::panel::plan_preview::{PlanPreview, protected, switch};
use attache_checkpoint::{Choices, Goal, KeptReason, Plan, PlannedFile, TreePath};
use attache_view::{file_count, restore_preview};
use std::collections::BTreeSet;

/// What the person can do after the preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Files,
    Both,
    Conversation,
    /// Restore files too that others changed, or not.
    Forced,
    /// Restore this protected file too, or not.
    Protected(TreePath),
}

/// The preview of going back to a place.
pub(super) struct Preview {
    pub(super) place: Place,
    pub(super) plan: Box<Plan>,
    pub(super) shown: PlanPreview,
    /// The paths that stay although the person may restore them: those that others changed, and
    /// those that are protected.
    pub(super) forceable: BTreeSet<TreePath>,
    pub(super) protected: BTreeSet<TreePath>,
}

impl Preview {
    pub(super) fn new(place: Place, plan: Plan, before: Option<Preview>) -> Self {
        let paths = |is_it: fn(&PlannedFile) -> bool| {
            let found = plan.files.iter().filter(|file| is_it(file));
            found.map(|file| file.path.clone()).collect::<BTreeSet<_>>()
        };
        let forceable = paths(|file| {
            file.kept.is_some_and(|why| why.has_choice() && why != KeptReason::Protected)
        });
        let protected = paths(|file| file.kept == Some(KeptReason::Protected));
        let mut preview = Self {
            place,
            shown: PlanPreview::new(restore_preview(&plan)),
            plan: Box::new(plan),
            forceable,
            protected,
        };
        if let Some(before) = before {
            let selected = before.selected();
            preview.forceable.extend(before.forceable);
            preview.protected.extend(before.protected);
            // Other steps can be above the selected one now.
            let steps = preview.steps();
            let place = selected.and_then(|selected| steps.iter().position(|it| *it == selected));
            preview.shown.list.select(place.unwrap_or_default());
        }
        preview
    }

    pub(super) fn choices(&self) -> &Choices {
        &self.plan.request.choices
    }

    pub(super) fn is_forced(&self) -> bool {
        !self.choices().overwrite.is_empty()
    }

    /// The selected step.
    pub(super) fn selected(&self) -> Option<Step> {
        self.steps().into_iter().nth(self.shown.list.selected())
    }

    pub(super) fn steps(&self) -> Vec<Step> {
        let has_files = self.plan.restored().next().is_some();
        let has_position = self.place.position.is_some();
        let steps = [
            (has_files, Step::Files),
            (has_files && has_position, Step::Both),
            (has_position, Step::Conversation),
            (!self.forceable.is_empty(), Step::Forced),
        ];
        let steps = steps.into_iter().filter_map(|(is_there, step)| is_there.then_some(step));
        steps.chain(self.protected.iter().cloned().map(Step::Protected)).collect()
    }

    pub(super) fn row(&self, step: &Step) -> Choice {
        let files = file_count(self.plan.restored().count());
        let text = match step {
            Step::Files if matches!(self.place.goal, Goal::Undo(_)) => {
                format!("Undo the restore: {files}")
            }
            Step::Files => format!("Restore {files}"),
            Step::Both => format!("Restore {files}, and take the conversation back"),
            Step::Conversation => "Take the conversation back, in a new session".to_owned(),
            Step::Forced => {
                let files = file_count(self.forceable.len());
                return switch(self.is_forced(), &format!("also {files} that others changed"));
            }
            Step::Protected(path) => {
                return protected(path, self.choices().protected.contains(path));
            }
        };
        Choice { text, ..Choice::default() }
    }

    /// Returns the choices after this one is switched on or off.
    pub(super) fn switched(&self, step: &Step) -> Choices {
        let mut choices = self.choices().clone();
        match step {
            Step::Forced if self.is_forced() => {
                choices.overwrite = BTreeSet::new();
                choices.shared = BTreeSet::new();
            }
            Step::Forced => {
                choices.overwrite = self.forceable.clone();
                choices.shared = self.forceable.clone();
            }
            Step::Protected(path) if choices.protected.remove(path) => {}
            Step::Protected(path) => {
                choices.protected.insert(path.clone());
            }
            _ => {}
        }
        choices
    }
}
