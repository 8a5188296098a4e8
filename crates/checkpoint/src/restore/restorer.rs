//! Plans, makes, undoes and completes restores.

use crate::attribution::author::Author;
use crate::attribution::timeline::{Step, Timeline};
use crate::changes::state::State;
use crate::restore::apply::{Applied, Applier, Progress};
use crate::restore::base::{base, not_restored};
use crate::restore::control::RestoreControl;
use crate::restore::disk::Disk;
use crate::restore::draft::Draft;
use crate::restore::error::RestoreError;
use crate::restore::journal::{Entry, Journal, Record};
use crate::restore::kept::KeptReason;
use crate::restore::operation::{Operation, operations};
use crate::restore::plan::{Goal, Plan, PlannedFile, RestoreRequest};
use crate::restore::planner::Planner;
use crate::restore::recovery::{are_same, remaining};
use crate::restore::restored::{Failure, Restored};
use crate::review::decision::Decisions;
use crate::snapshot::content_id::ContentId;
use crate::snapshot::path::TreePath;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::label::{Label, Reason};
use crate::store::summary::Summary;
use crate::take::budget::Budget;
use crate::take::roots::Roots;
use attache_host::EntryInfo;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a checkpoint of the present may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The file in the store's folder that a running restore locks.
const LOCK: &str = "restore.lock";

/// Plans, makes, undoes and completes restores. All methods block.
///
/// A restore that is interrupted is completed by [`recover`](Self::recover), not rolled back: the
/// user saw its plan and confirmed it, the journal and the store have everything that it needs, and
/// a complete restore can be undone.
pub struct Restorer<'a> {
    store: &'a Store,
    is_protected: &'a dyn Fn(&Path) -> bool,
    progress: &'a dyn Fn(Progress<'_>),
    control: RestoreControl,
}

impl std::fmt::Debug for Restorer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Restorer").field("store", self.store).finish_non_exhaustive()
    }
}

/// What a plan was made from.
struct Prepared {
    plan: Plan,
    drafts: Vec<Draft>,
    disk: Disk,
}

impl<'a> Restorer<'a> {
    /// Returns a restorer for the checkpoints of a store. It treats files as protected that the
    /// policy protects: secrets, and files that affect how programs or agents run.
    pub fn new(store: &'a Store) -> Restorer<'a> {
        let is_protected = &|path: &Path| attache_policy::guard(&path.to_string_lossy()).is_some();
        Restorer { store, is_protected, progress: &|_| {}, control: RestoreControl::default() }
    }

    /// Decides with this function which files are protected. It gets paths below a folder of the
    /// checkpoint.
    #[must_use]
    pub fn with_protected(self, is_protected: &'a dyn Fn(&Path) -> bool) -> Restorer<'a> {
        Restorer { is_protected, ..self }
    }

    /// Calls this function before each change.
    #[must_use]
    pub fn with_progress(self, progress: &'a dyn Fn(Progress<'_>)) -> Restorer<'a> {
        Restorer { progress, ..self }
    }

    /// Lets this control stop plans and restores.
    #[must_use]
    pub fn with_control(self, control: RestoreControl) -> Restorer<'a> {
        Restorer { control, ..self }
    }

    /// Returns the complete preview of a restore. Changes no file, but takes a checkpoint of the
    /// present.
    ///
    /// # Errors
    /// Returns an error if the store fails, if there is no such checkpoint, turn or restore, or if
    /// a folder cannot be opened.
    pub fn plan(&self, request: &RestoreRequest) -> Result<Plan, RestoreError> {
        Ok(self.prepare(request, Reason::Asked)?.plan)
    }

    /// Makes a restore. A path that differs from the plan, for example because it changed after the
    /// preview, stays as it is. A checkpoint before and one after the restore allow to undo it with
    /// [`Goal::Undo`].
    ///
    /// # Errors
    /// Returns an error if the store fails, a folder cannot be opened, or another restore is
    /// running. If the store fails after files were restored, [`recover`](Self::recover) completes
    /// the restore.
    pub fn restore(&self, plan: &Plan) -> Result<Restored, RestoreError> {
        let _lock = self.lock()?.ok_or(RestoreError::Busy)?;
        let Prepared { plan: now, mut drafts, disk } =
            self.prepare(&plan.request, Reason::BeforeRestore)?;
        let shown: BTreeMap<&TreePath, &PlannedFile> =
            plan.files.iter().map(|file| (&file.path, file)).collect();
        for draft in &mut drafts {
            if shown.get(&draft.planned.path) != Some(&&draft.planned) {
                draft.keep(KeptReason::ChangedSincePreview);
            }
        }
        let merged: HashMap<ContentId, Vec<u8>> = drafts
            .iter_mut()
            .filter_map(|draft| draft.merged.take())
            .map(|content| (ContentId::of(&content), content))
            .collect();
        let operations = operations(&drafts);
        let found = drafts.iter().filter(|draft| draft.has_own_metadata());
        let found: BTreeMap<TreePath, Option<EntryInfo>> =
            found.map(|each| (each.planned.path.clone(), each.info.clone())).collect();
        let owner = plan.request.owner.as_str();
        let record = Record::new(&now.roots, operations);
        Journal(self.store).begin(now.now, owner, &record, &merged)?;
        let applier = self.applier(&disk, &merged, now.now);
        let applied = applier.apply(&record.operations, &found);
        let kept = drafts
            .into_iter()
            .filter_map(|draft| draft.planned.kept.map(|why| (draft.planned.path, why)));
        let restored = self.finish(now.now, owner, record, applied, kept.collect())?;
        if let Goal::Undo(id) = plan.request.goal {
            Decisions(self.store).reopen(owner, id)?;
        }
        Ok(restored)
    }

    /// Completes restores that were interrupted. Call it when a program starts. Restores that
    /// another process makes at present are left to it. If another folder now has the path of a
    /// restore's folder, nothing changes in it, and all paths of the restore are kept.
    ///
    /// # Errors
    /// Returns an error if the store fails. A restore whose folder cannot be opened stays open, and
    /// its result says so.
    pub fn recover(&self) -> Result<Vec<Restored>, RestoreError> {
        let Some(_lock) = self.lock()? else { return Ok(Vec::new()) };
        let mut restored = Vec::new();
        for entry in Journal(self.store).open()? {
            let roots = entry.record.roots();
            let limit = self.store.options().file_limit;
            let disk = match Disk::open(&roots, limit) {
                Ok(disk) => disk,
                Err(error) => {
                    restored.push(unopened(entry.id, roots, &error));
                    continue;
                }
            };
            if !are_same(&roots, &entry.record.identities) {
                restored.push(self.give_up(entry)?);
                continue;
            }
            let merged = HashMap::new();
            let applier = self.applier(&disk, &merged, entry.id);
            applier.remove_drafts(&entry.record.operations);
            let (left, mut done, kept) = remaining(&entry.record.operations, &disk);
            let mut applied = applier.apply(&left, &BTreeMap::new());
            done.retain(|path| !applied.failed.contains_key(path));
            applied.done.extend(done);
            restored.push(self.finish(entry.id, &entry.owner, entry.record, applied, kept)?);
        }
        Ok(restored)
    }

    /// Closes a restore that must not be completed, because its folder was replaced.
    fn give_up(&self, entry: Entry) -> Result<Restored, RestoreError> {
        let Entry { id, owner, record } = entry;
        let paths: BTreeSet<&TreePath> = record.operations.iter().map(|each| &each.path).collect();
        let keep = |path: &TreePath| (path.clone(), KeptReason::ChangedSincePreview);
        let kept = paths.into_iter().map(keep).collect();
        self.finish(id, &owner, record, Applied::default(), kept)
    }

    /// Returns the ids of the restores of an owner, from the oldest to the newest. Each is the id
    /// of the checkpoint before the restore, for [`Goal::Undo`].
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn restores(&self, owner: &str) -> Result<Vec<CheckpointId>, RestoreError> {
        Ok(Journal(self.store).complete(owner)?.into_iter().map(|entry| entry.id).collect())
    }

    fn applier<'s>(
        &'s self,
        disk: &'s Disk,
        merged: &'s HashMap<ContentId, Vec<u8>>,
        id: CheckpointId,
    ) -> Applier<'s> {
        let (contents, progress, control) = (self.store, self.progress, &self.control);
        Applier { disk, contents, merged, id, progress, control }
    }

    /// Records what a restore did, and takes the checkpoint after it.
    fn finish(
        &self,
        id: CheckpointId,
        owner: &str,
        record: Record,
        applied: Applied,
        mut kept: Vec<(TreePath, KeptReason)>,
    ) -> Result<Restored, RestoreError> {
        let roots = record.roots();
        kept.extend(applied.stopped.into_iter().map(|path| (path, KeptReason::Stopped)));
        let failed = applied.failed.into_iter();
        let failed = failed.map(|(path, error)| Failure { path, message: error.to_string() });
        let mut restored = Restored {
            id,
            after: None,
            roots: roots.clone(),
            done: applied.done.iter().cloned().collect(),
            kept,
            failed: failed.collect(),
            is_interrupted: applied.is_full,
            unopened: None,
        };
        if applied.is_full {
            return Ok(restored);
        }
        let is_done = |each: &Operation| applied.done.contains(&each.path);
        let made = record.operations.into_iter().filter(is_done).collect();
        match Journal(self.store).end(id, &Record::new(&roots, made)) {
            // The files are restored. The next start finds that, and completes the record.
            Err(StoreError::DiskFull { .. }) => restored.is_interrupted = true,
            // Nothing of a deleted owner is stored.
            Ok(false) => {}
            // Without the checkpoint after it, what changes next counts as shared.
            ended => {
                ended?;
                let budget = Budget::lasting(PATIENCE);
                let after = self.take(&roots, owner, Reason::AfterRestore, &budget);
                restored.after = after.ok().map(|after| after.id);
            }
        }
        Ok(restored)
    }

    fn take(
        &self,
        roots: &[PathBuf],
        owner: &str,
        why: Reason,
        budget: &Budget,
    ) -> Result<Summary, RestoreError> {
        let folders = Roots::new(roots).map_err(|error| RestoreError::Root {
            path: roots.first().cloned().unwrap_or_default(),
            reason: error.to_string(),
        })?;
        Ok(self.store.take(&folders, &Label::new(owner, why), budget)?)
    }

    fn prepare(&self, request: &RestoreRequest, why: Reason) -> Result<Prepared, RestoreError> {
        let owner = request.owner.as_str();
        let mut checkpoints = self.store.list(None)?;
        let undone = match request.goal {
            Goal::Undo(id) => Some(self.undone(owner, id)?),
            Goal::Since(_) | Goal::Turns { .. } => None,
        };
        let (base, range) = base(&checkpoints, request)?;
        let budget = Budget::lasting(PATIENCE).with_control(self.control.of_take());
        let now = self.take(&base.roots, owner, why, &budget)?;
        self.go_on()?;
        let now_id = now.id;
        checkpoints.retain(|each| each.id < now_id);
        checkpoints.push(now);
        let running = request.is_running.then_some(owner);
        let timeline = Timeline::read(self.store, &checkpoints, (base.id, Some(now_id)), running)?;
        let limit = self.store.options().file_limit;
        let disk = Disk::open(&base.roots, limit).map_err(|error| RestoreError::Root {
            path: base.roots.first().cloned().unwrap_or_default(),
            reason: error.to_string(),
        })?;
        let is_protected = self.is_protected;
        let planner = Planner {
            source: self.store,
            request,
            timeline: &timeline,
            disk: &disk,
            is_protected,
            undone,
            range,
        };
        let drafts = planner.drafts()?;
        self.go_on()?;
        let plan = Plan {
            request: request.clone(),
            roots: base.roots.clone(),
            now: now_id,
            files: drafts.iter().map(|draft| draft.planned.clone()).collect(),
            not_restored: not_restored(&base),
        };
        Ok(Prepared { plan, drafts, disk })
    }

    /// Fails once the user has stopped the restore.
    fn go_on(&self) -> Result<(), RestoreError> {
        match self.control.is_stopped() {
            true => Err(RestoreError::Stopped),
            false => Ok(()),
        }
    }

    /// Returns the changes of a restore, by path.
    fn undone(
        &self,
        owner: &str,
        id: CheckpointId,
    ) -> Result<BTreeMap<TreePath, Vec<Step>>, RestoreError> {
        let mut entries = Journal(self.store).complete(owner)?.into_iter();
        let entry = entries.find(|entry| entry.id == id);
        let entry = entry.ok_or_else(|| RestoreError::NoRestore { id: id.to_string() })?;
        let mut steps: BTreeMap<TreePath, Vec<Step>> = BTreeMap::new();
        for operation in entry.record.operations {
            let state = |entry: Option<_>| entry.map_or(State::Absent, State::Present);
            let author = Author::Restore { owner: owner.to_owned() };
            let (before, after) = (state(operation.from), state(operation.to));
            let step = Step { before, after, author, from: id, until: id };
            steps.entry(operation.path).or_default().push(step);
        }
        Ok(steps)
    }

    /// Locks the store for a restore, or returns `None` if another process restores.
    fn lock(&self) -> Result<Option<RestoreLock>, RestoreError> {
        let path = self.store.folder().join(LOCK);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(RestoreError::Io)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(RestoreLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(RestoreError::Io(error)),
        }
    }
}

/// The lock of a store, held for a restore.
struct RestoreLock(File);

impl Drop for RestoreLock {
    fn drop(&mut self) {
        // Closing frees the lock only once child processes that inherited the file have ended.
        let _ = self.0.unlock();
    }
}

/// Returns the result for a restore that stays open, because a folder cannot be opened.
fn unopened(id: CheckpointId, roots: Vec<PathBuf>, error: &std::io::Error) -> Restored {
    let (done, kept, failed) = Default::default();
    let unopened = Some(error.to_string());
    Restored { id, after: None, roots, done, kept, failed, is_interrupted: true, unopened }
}
