//! Reviews of what turns changed.

use crate::attribution::author::Author;
use crate::attribution::timeline::Timeline;
use crate::changes::file_change::ChangeKind;
use crate::changes::hunk::{Hunk, HunkKey};
use crate::restore::base::turn_range;
use crate::restore::error::RestoreError;
use crate::restore::plan::{Goal, Plan, RestoreRequest, Selection};
use crate::restore::planner::renamed_paths;
use crate::restore::restored::Restored;
use crate::restore::undo::{Run, divided, reviewed_runs, without_loops};
use crate::review::decision::{Decision, Decisions, HunkState};
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What a range of turns changed, with what the user decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Review {
    /// Whose turns they are.
    pub owner: String,
    /// The first turn.
    pub first: u64,
    /// The last turn, included.
    pub last: u64,
    /// The folders. [`TreePath::root`] is an index of this list.
    pub roots: Vec<PathBuf>,
    /// The changed paths in their order.
    pub files: Vec<ReviewedFile>,
    /// The newest checkpoint when the review was made.
    pub newest: CheckpointId,
    /// Whether the last turn goes on.
    pub is_running: bool,
}

/// A path that the turns of a review changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewedFile {
    /// The path.
    pub path: TreePath,
    /// How it changed.
    pub kind: ChangeKind,
    /// The other path of a renamed file.
    pub renamed: Option<TreePath>,
    /// Its entry before the first change.
    pub before: Option<Entry>,
    /// Its entry after the last change.
    pub after: Option<Entry>,
    /// The turns that changed it.
    pub turns: Vec<u64>,
    /// Whether it is not known who made these changes. They are undone only if the user chooses to.
    pub is_shared: bool,
    /// Its hunks, from the oldest change to the newest. Empty if a content was not kept.
    pub hunks: Vec<ReviewedHunk>,
}

/// A hunk of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewedHunk {
    /// The hunk.
    #[serde(flatten)]
    pub hunk: Hunk,
    /// What the user decided.
    pub state: HunkState,
    /// The user's comment.
    pub comment: Option<String>,
}

/// Reviews what turns changed. All methods block.
#[derive(Debug, Clone, Copy)]
pub struct Reviewer<'a> {
    store: &'a Store,
}

impl<'a> Reviewer<'a> {
    /// Returns a reviewer of the checkpoints in a store.
    pub fn new(store: &'a Store) -> Reviewer<'a> {
        Reviewer { store }
    }

    pub(crate) fn store(&self) -> &'a Store {
        self.store
    }

    /// Returns what the turns from `first` to `last` of an owner changed, whichever tool, command
    /// or script did it. From 0 to [`u64::MAX`], it is the whole session. With `is_running`, the
    /// last turn goes on; take a checkpoint first, so that its changes are known.
    ///
    /// # Errors
    /// Returns an error if the owner has no checkpoints of such turns, or the store cannot be read.
    pub fn review(
        &self,
        owner: &str,
        (first, last): (u64, u64),
        is_running: bool,
    ) -> Result<Review, RestoreError> {
        let all = self.store.list(None)?;
        let (from, until) =
            turn_range(&all, owner, first, last).ok_or(RestoreError::NoTurn { turn: first })?;
        let running = is_running.then_some(owner);
        let timeline = Timeline::read(self.store, &all, (from, Some(until)), running)?;
        let newest = all.last().map_or(from, |each| each.id);
        let paths: Vec<Reviewed> =
            timeline.paths().filter_map(|path| reviewed(&timeline, path, owner)).collect();
        let renamed = renamed_paths(paths.iter().map(|each| (&each.path, each.runs.as_slice())));
        let decisions = Decisions(self.store).of(owner)?;
        let decisions: BTreeMap<&HunkKey, &Decision> =
            decisions.iter().map(|each| (&each.hunk, each)).collect();
        let files: Result<Vec<ReviewedFile>, StoreError> =
            paths.into_iter().map(|path| self.file(path, &renamed, &decisions)).collect();
        let (owner, roots) = (owner.to_owned(), timeline.roots);
        Ok(Review { owner, first, last, roots, files: files?, newest, is_running })
    }

    fn file(
        &self,
        reviewed: Reviewed,
        renamed: &BTreeMap<TreePath, TreePath>,
        decisions: &BTreeMap<&HunkKey, &Decision>,
    ) -> Result<ReviewedFile, StoreError> {
        let Reviewed { path, runs, kind, turns, is_shared } = reviewed;
        let renamed = renamed.get(&path).cloned();
        let parts = match divided(&path, &runs, renamed.as_ref(), self.store) {
            // A content was pruned.
            Err(StoreError::NoContent { .. }) => Vec::new(),
            parts => parts?,
        };
        let mut hunks = Vec::new();
        for (run, part) in runs.iter().zip(parts) {
            hunks.extend(part.hunks.into_iter().map(|hunk| {
                let decision = decisions.get(&hunk.key);
                ReviewedHunk {
                    state: decision
                        .map_or(HunkState::Open, |decision| decision.state_of(run.from, run.until)),
                    comment: decision.and_then(|decision| decision.comment.clone()),
                    hunk,
                }
            }));
        }
        let before = runs.first().and_then(|run| run.before.entry().cloned());
        let after = runs.last().and_then(|run| run.after.entry().cloned());
        let is_renamed = renamed.is_some() && kind == ChangeKind::Added;
        let kind = if is_renamed { ChangeKind::Renamed } else { kind };
        Ok(ReviewedFile { path, kind, renamed, before, after, turns, is_shared, hunks })
    }

    /// Accepts hunks. They stay in the review as accepted.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn accept(&self, review: &Review, hunks: &BTreeSet<HunkKey>) -> Result<(), StoreError> {
        let decide = |path: &TreePath, each: &ReviewedHunk| Decision {
            comment: each.comment.clone(),
            ..Decision::new(path, &each.hunk, HunkState::Accepted, review.newest)
        };
        let decisions: Vec<Decision> =
            review.find(hunks).map(|(path, each)| decide(path, each)).collect();
        Decisions(self.store).keep(&review.owner, &decisions)
    }

    /// Makes hunks open again that were accepted.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn reopen(&self, review: &Review, hunks: &BTreeSet<HunkKey>) -> Result<(), StoreError> {
        Decisions(self.store).delete(&review.owner, hunks.iter())
    }

    /// Keeps a comment about a hunk, for the user and for [`feedback`](Self::feedback).
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn comment(
        &self,
        review: &Review,
        hunk: &HunkKey,
        comment: &str,
    ) -> Result<(), StoreError> {
        let hunks = BTreeSet::from([hunk.clone()]);
        let decide = |(path, each): (&TreePath, &ReviewedHunk)| Decision {
            comment: Some(comment.to_owned()).filter(|comment| !comment.is_empty()),
            ..Decision::new(path, &each.hunk, each.state, review.newest)
        };
        let decisions: Vec<Decision> = review.find(&hunks).map(decide).collect();
        Decisions(self.store).keep(&review.owner, &decisions)
    }

    /// Records that a restore rejected hunks: plan and make it with
    /// [`Review::rejection`](Review::rejection) first. Returns the hunks that were undone. The
    /// others stay open, because their files were kept or could not be changed.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn rejected(
        &self,
        review: &Review,
        plan: &Plan,
        restored: &Restored,
    ) -> Result<BTreeSet<HunkKey>, StoreError> {
        let Selection::Hunks(hunks) = &plan.request.selection else { return Ok(BTreeSet::new()) };
        let stays: BTreeSet<&TreePath> = restored
            .kept
            .iter()
            .map(|(path, _)| path)
            .chain(restored.failed.iter().map(|failure| &failure.path))
            .collect();
        let undone: Vec<Decision> = review
            .find(hunks)
            .filter(|(path, _)| !stays.contains(path))
            .map(|(path, each)| Decision {
                comment: each.comment.clone(),
                restore: Some(restored.id),
                ..Decision::new(path, &each.hunk, HunkState::Rejected, restored.id)
            })
            .collect();
        Decisions(self.store).keep(&review.owner, &undone)?;
        Ok(undone.into_iter().map(|decision| decision.hunk).collect())
    }
}

/// A path of a review before its hunks are known.
struct Reviewed {
    path: TreePath,
    runs: Vec<Run>,
    kind: ChangeKind,
    turns: Vec<u64>,
    is_shared: bool,
}

fn reviewed(timeline: &Timeline, path: &TreePath, owner: &str) -> Option<Reviewed> {
    let steps = without_loops(timeline.steps(path));
    let (runs, is_shared) = reviewed_runs(&steps, owner);
    let (first, last) = (runs.first()?, runs.last()?);
    let kind = ChangeKind::of(first.before.entry(), last.after.entry())?;
    let turns: BTreeSet<u64> = steps
        .iter()
        .filter_map(|step| match &step.author {
            Author::Turn { owner: of, turn } if of == owner => *turn,
            _ => None,
        })
        .collect();
    let turns = turns.into_iter().collect();
    Some(Reviewed { path: path.clone(), runs, kind, turns, is_shared })
}

impl Review {
    /// Returns the request that undoes hunks of this review. Hunks of files that are shared are
    /// undone too.
    pub fn rejection(&self, hunks: BTreeSet<HunkKey>) -> RestoreRequest {
        let goal = Goal::Turns { first: self.first, last: self.last };
        let mut request = RestoreRequest::new(self.owner.as_str(), goal);
        for file in self.files.iter().filter(|file| file.is_shared) {
            if file.hunks.iter().any(|each| hunks.contains(&each.hunk.key)) {
                request.choices.shared.insert(file.path.clone());
            }
        }
        request.selection = Selection::Hunks(hunks);
        request.is_running = self.is_running;
        request
    }

    /// Returns the keys of all hunks.
    pub fn keys(&self) -> BTreeSet<HunkKey> {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.map(|each| each.hunk.key.clone()).collect()
    }

    fn find<'s>(
        &'s self,
        hunks: &'s BTreeSet<HunkKey>,
    ) -> impl Iterator<Item = (&'s TreePath, &'s ReviewedHunk)> {
        let all = self
            .files
            .iter()
            .flat_map(|file| file.hunks.iter().map(move |each| (&file.path, each)));
        all.filter(|(_, each)| hunks.contains(&each.hunk.key))
    }
}
