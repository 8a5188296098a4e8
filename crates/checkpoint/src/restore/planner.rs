//! Makes the plan of a restore: decides for every path what happens to it.

use crate::attribution::author::Author;
use crate::attribution::timeline::{Step, Timeline};
use crate::attribution::trees::Trees;
use crate::changes::contents::Contents;
use crate::changes::hunk::{HunkKey, Remaining};
use crate::changes::rename::exact;
use crate::changes::state::State;
use crate::restore::disk::{Disk, Present};
use crate::restore::draft::Draft;
use crate::restore::folders;
use crate::restore::kept::KeptReason;
use crate::restore::newness::{Candidate, find_new};
use crate::restore::plan::{Goal, RestoreRequest, Selection, has};
use crate::restore::same_entries::same_entries;
use crate::restore::undo::{Run, divided, reviewed_runs, runs, undo, without_loops};
use crate::restore::value::Value;
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::Tree;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use attache_host::EntryInfo;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The size of all merged contents of a plan up to which paths are merged, in bytes.
const MOST_MERGED: usize = 256 << 20;

/// What a planner reads.
pub(crate) trait Source: Contents + Trees {}

impl<T: Contents + Trees> Source for T {}

/// Decides for every path what a restore does.
pub(crate) struct Planner<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) request: &'a RestoreRequest,
    pub(crate) timeline: &'a Timeline,
    pub(crate) disk: &'a Disk,
    /// Returns whether a path below its folder is protected.
    pub(crate) is_protected: &'a dyn Fn(&Path) -> bool,
    /// The changes of a restore that is undone.
    pub(crate) undone: Option<BTreeMap<TreePath, Vec<Step>>>,
    /// The checkpoints between which the turns of a range are.
    pub(crate) range: Option<(CheckpointId, CheckpointId)>,
}

/// The history of a path that a plan looks at.
struct History {
    path: TreePath,
    present: Present,
    /// Its changes up to the present entry, without those that were taken back.
    steps: Vec<Step>,
    /// The changes to undo.
    runs: Vec<Run>,
    /// Whether only the choice of the user is lacking for a change of an unknown author.
    needs_choice: bool,
    /// Whether the entry did not exist before the oldest change to undo.
    is_new: bool,
}

impl Planner<'_> {
    /// Returns what happens to every path, in the order of the paths.
    pub(crate) fn drafts(&self) -> Result<Vec<Draft>, StoreError> {
        let mut histories = Vec::new();
        let mut drafts = Vec::new();
        for path in self.paths() {
            match self.history(&path) {
                Some(history) => histories.push(history),
                None => {
                    let present = Present { state: State::Unknown, info: None };
                    drafts.push(Draft::kept(&path, &present, &[], KeptReason::Unreadable));
                }
            }
        }
        self.find_new(&mut histories);
        let infos = histories.iter().filter_map(|history| history.present.info.as_ref());
        let same = same_entries(infos);
        let reviewed = self.reviewed();
        let mut left = MOST_MERGED;
        for history in &histories {
            let draft = self.draft(history, &reviewed)?;
            let id = history.present.info.as_ref().map(EntryInfo::id);
            let is_same = id.is_some_and(|id| same.contains(&id));
            drafts.extend(draft.map(|draft| match is_same {
                true if draft.planned.is_restored() => draft.without_action(KeptReason::SameEntry),
                _ => draft.within(&mut left),
            }));
        }
        let base = match self.timeline.checkpoints.first() {
            Some(first) => self.source.tree(first.id)?,
            None => Tree::default(),
        };
        folders::check(&mut drafts, self.disk, &base);
        Ok(drafts)
    }

    /// The paths that may change.
    fn paths(&self) -> Vec<TreePath> {
        let is_selected = |path: &&TreePath| match &self.request.selection {
            Selection::Paths(paths) => has(paths, path),
            Selection::All | Selection::Hunks(_) => true,
        };
        match &self.undone {
            Some(undone) => undone.keys().filter(is_selected).cloned().collect(),
            None => self.timeline.paths().filter(is_selected).cloned().collect(),
        }
    }

    fn history(&self, path: &TreePath) -> Option<History> {
        let present = self.disk.read(path).ok()?;
        let recorded = match &self.undone {
            Some(undone) => undone.get(path).cloned().unwrap_or_default(),
            None => self.timeline.steps(path),
        };
        let mut steps = recorded;
        if let Some(last) = steps.last()
            && !last.after.is_same(&present.state)
        {
            let is_unknown = last.after == State::Unknown;
            let author = if is_unknown { last.author.clone() } else { Author::Person };
            let step = Step {
                before: last.after.clone(),
                after: present.state.clone(),
                author,
                from: last.until,
                until: last.until,
            };
            match steps.last_mut().filter(|_| is_unknown) {
                Some(last) => last.after = step.after,
                None => steps.push(step),
            }
        }
        let steps = without_loops(steps);
        let has_choice = self.request.choices.shared.contains(path);
        let is_shared = |step: &Step| step.author == Author::Shared && self.is_in_range(step);
        let is_chosen = |step: &Step| self.is_own(step) || (has_choice && is_shared(step));
        let runs = runs(&steps, &is_chosen);
        let needs_choice = self.undone.is_none()
            && !has_choice
            && steps.iter().any(|step| step.author == Author::Shared);
        Some(History { path: path.clone(), present, steps, runs, needs_choice, is_new: false })
    }

    /// Returns whether the goal undoes a step.
    fn is_own(&self, step: &Step) -> bool {
        step.author.is_owner(&self.request.owner) && self.is_in_range(step)
    }

    fn is_in_range(&self, step: &Step) -> bool {
        self.range.is_none_or(|(from, until)| step.from >= from && step.until <= until)
    }

    /// Marks the entries that did not exist before the oldest change to undo.
    fn find_new(&self, histories: &mut [History]) {
        if matches!(self.request.goal, Goal::Undo(_)) {
            histories.iter_mut().for_each(|history| history.is_new = true);
            return;
        }
        let candidates = histories.iter().enumerate().filter_map(|(index, history)| {
            let History { present, runs, .. } = history;
            // Only undoing a change from nothing removes an entry.
            let is_created = runs.iter().any(|run| run.before == State::Absent);
            (is_created && present.info.is_some())
                .then_some((index, Candidate { present, run: runs.first()? }))
        });
        let (indexes, candidates): (Vec<usize>, Vec<Candidate<'_>>) = candidates.unzip();
        let checkpoints = &self.timeline.checkpoints;
        let new = find_new(&candidates, checkpoints, self.source, self.source);
        for (index, is_new) in indexes.into_iter().zip(new) {
            if let Some(history) = histories.get_mut(index) {
                history.is_new = is_new;
            }
        }
    }

    /// Returns what the review of the turns showed. Empty if no hunks are selected.
    fn reviewed(&self) -> Reviewed {
        let Selection::Hunks(_) = &self.request.selection else { return Reviewed::default() };
        let runs_of = |path: &TreePath| {
            let mut steps = self.timeline.steps(path);
            steps.retain(|step| self.is_in_range(step));
            reviewed_runs(&without_loops(steps), &self.request.owner).0
        };
        let runs: BTreeMap<TreePath, Vec<Run>> =
            self.timeline.paths().map(|path| (path.clone(), runs_of(path))).collect();
        let renamed = renamed_paths(runs.iter().map(|(path, runs)| (path, runs.as_slice())));
        Reviewed { runs, renamed }
    }

    fn draft(&self, history: &History, reviewed: &Reviewed) -> Result<Option<Draft>, StoreError> {
        let History { path, present, steps, runs, .. } = history;
        let overwrites = self.request.choices.overwrite.contains(path);
        let is_whole = !matches!(self.request.selection, Selection::Hunks(_));
        let Some(oldest) = steps.first().map(|step| self.oldest(step, runs)) else {
            return Ok(None);
        };
        if runs.is_empty() && !(overwrites && is_whole) {
            return Ok(self.untouched(history));
        }
        let (value, kept) = if overwrites && is_whole {
            (Value::from(oldest), None)
        } else {
            match self.undo(history, reviewed)? {
                Ok(value) => (value, None),
                // The preview shows what overwriting would do.
                Err(why @ KeptReason::Conflict) => (Value::from(oldest), Some(why)),
                Err(why) => return Ok(Some(Draft::kept(path, present, steps, why))),
            }
        };
        let lacking = match &value.state {
            State::Unknown => Some(KeptReason::Unknown),
            State::Present(entry) if value.merged.is_none() => {
                entry.not_kept().map(|reason| KeptReason::NotInCheckpoint { reason })
            }
            _ => None,
        };
        if let Some(why) = lacking.filter(|_| !value.state.is_same(&present.state)) {
            return Ok(Some(Draft::kept(path, present, steps, kept.unwrap_or(why))));
        }
        let is_merge = runs.first().is_some_and(|run| !run.before.is_same(&value.state));
        let Some(mut draft) = Draft::new(path, present, value, steps, is_merge) else {
            // Only changes of others remain.
            let is_left = steps.iter().any(|step| !self.is_own(step));
            return Ok(self.untouched(history).filter(|_| is_left));
        };
        if let Some(why) = kept {
            draft.keep(why);
        }
        Ok(Some(self.guard(draft, history, overwrites)))
    }

    /// The state to which overwriting leads.
    fn oldest(&self, first: &Step, runs: &[Run]) -> State {
        match self.request.goal {
            Goal::Since(_) => first.before.clone(),
            _ => runs.first().map_or(&first.before, |run| &run.before).clone(),
        }
    }

    fn undo(
        &self,
        history: &History,
        reviewed: &Reviewed,
    ) -> Result<Result<Value, KeptReason>, StoreError> {
        let present = Value::from(history.present.state.clone());
        let undone = match &self.request.selection {
            Selection::Hunks(keys) => self.undo_hunks(history, reviewed, keys, present),
            Selection::All | Selection::Paths(_) => {
                undo(whole(&history.runs), present, self.source)
            }
        };
        match undone {
            // The file changed after the checkpoint of the present was taken.
            Err(StoreError::NoContent { .. }) if !self.is_present_kept(history) => {
                Ok(Err(KeptReason::PresentNotKept))
            }
            // The content was pruned.
            Err(StoreError::NoContent { .. }) => {
                Ok(Err(KeptReason::NotInCheckpoint { reason: NotKeptReason::DiskLimit }))
            }
            undone => undone,
        }
    }

    /// Undoes the chosen hunks of a path. If those are all that the review showed, undoes whatever
    /// remains of them: others may have taken a part back since.
    fn undo_hunks(
        &self,
        history: &History,
        reviewed: &Reviewed,
        keys: &BTreeSet<HunkKey>,
        present: Value,
    ) -> Result<Result<Value, KeptReason>, StoreError> {
        let path = &history.path;
        let runs = reviewed.runs.get(path).map_or(&[][..], Vec::as_slice);
        let parts = divided(path, runs, reviewed.renamed.get(path), self.source)?;
        let remaining: Vec<Remaining> = parts
            .iter()
            .zip(runs)
            .map(|(part, run)| part.without(run.pair(path), &|key| keys.contains(key)))
            .collect();
        if remaining.iter().all(|each| *each == Remaining::Nothing) {
            return undo(whole(&history.runs), present, self.source);
        }
        undo(runs.iter().zip(remaining), present, self.source)
    }

    /// Returns the draft of a path that the goal does not change.
    fn untouched(&self, history: &History) -> Option<Draft> {
        let History { path, present, steps, needs_choice, .. } = history;
        match self.request.goal {
            Goal::Since(_) if *needs_choice => {
                let wanted = Value::from(steps.first()?.before.clone());
                let is_kept = wanted.state.entry().is_none_or(|entry| entry.not_kept().is_none());
                let draft = Draft::new(path, present, wanted, steps, false).filter(|_| is_kept);
                let mut draft =
                    draft.unwrap_or_else(|| Draft::kept(path, present, steps, KeptReason::Shared));
                draft.keep(KeptReason::Shared);
                Some(draft)
            }
            Goal::Since(_) => Some(Draft::kept(path, present, steps, KeptReason::Others)),
            Goal::Turns { .. } | Goal::Undo(_) => None,
        }
    }

    /// Keeps a path that must not be changed.
    fn guard(&self, mut draft: Draft, history: &History, overwrites: bool) -> Draft {
        let present = &history.present;
        draft.planned.is_protected = (self.is_protected)(history.path.relative());
        let impossible = match present.state.entry() {
            Some(Entry::Special { .. }) => Some(KeptReason::Special),
            Some(Entry::FileNotKept { .. }) => Some(KeptReason::PresentNotKept),
            // Without the present content, the restore could not be undone.
            Some(Entry::File { .. }) if !self.is_present_kept(history) => {
                Some(KeptReason::PresentNotKept)
            }
            _ => None,
        };
        if let Some(why) = impossible {
            draft = draft.without_action(why);
        }
        if draft.planned.result.is_none() && !overwrites && !history.is_new {
            draft.keep(KeptReason::NotNew);
        }
        let allowed = &self.request.choices.protected;
        if draft.planned.is_protected && !allowed.contains(&history.path) {
            draft.keep(KeptReason::Protected);
        }
        let locked = |root: &attache_host::RootFolder| root.is_locked(history.path.relative());
        if draft.planned.is_restored() && self.disk.root(&history.path).is_ok_and(locked) {
            draft.keep(KeptReason::Locked);
        }
        draft
    }

    /// Returns whether the checkpoint of the present has the content of a file.
    fn is_present_kept(&self, history: &History) -> bool {
        let kept = self.timeline.now.get(&history.path);
        let kept = kept.filter(|kept| matches!(kept, Entry::File { .. }));
        kept.and_then(Entry::content) == history.present.state.entry().and_then(Entry::content)
    }
}

/// What a review shows: its keys of hunks depend on the runs and on renamed files.
#[derive(Default)]
struct Reviewed {
    runs: BTreeMap<TreePath, Vec<Run>>,
    /// The other path of every renamed file.
    renamed: BTreeMap<TreePath, TreePath>,
}

/// The runs with nothing that remains of them.
fn whole(runs: &[Run]) -> impl DoubleEndedIterator<Item = (&Run, Remaining)> {
    runs.iter().map(|run| (run, Remaining::Nothing))
}

/// Returns the other path of every file that runs renamed without a change.
pub(crate) fn renamed_paths<'a>(
    paths: impl Iterator<Item = (&'a TreePath, &'a [Run])>,
) -> BTreeMap<TreePath, TreePath> {
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (path, runs) in paths {
        let (Some(first), Some(last)) = (runs.first(), runs.last()) else { continue };
        match (&first.before, &last.after) {
            (State::Present(entry), State::Absent) => removed.push((path, entry)),
            (State::Absent, State::Present(entry)) => added.push((path, entry)),
            _ => {}
        }
    }
    let pairs = exact(&removed, &added).into_iter();
    pairs.flat_map(|(old, new)| [(old.clone(), new.clone()), (new, old)]).collect()
}
