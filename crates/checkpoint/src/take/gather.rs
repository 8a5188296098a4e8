//! Reads the files that changed with several threads, and stores their contents.

use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::store::contents::{self, Packed};
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::sweep::{self, Keep};
use crate::take::budget::Budget;
use crate::take::folder::{OpenRoot, join};
use crate::take::reading::{NotRead, read};
use crate::take::stamp::Stamp;
use crate::take::stat_cache::State;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// How many bytes are written in one transaction.
const BATCH: u64 = 8 << 20;

/// The part of the limit that one checkpoint may take from older ones.
const SHARE: u64 = 2;

/// A file to read.
#[derive(Debug)]
pub(crate) struct Task<'r> {
    pub(crate) root: &'r OpenRoot,
    pub(crate) folder: &'r [u8],
    pub(crate) name: &'r [u8],
    pub(crate) stamp: Stamp,
    /// The content that the file has, if only the store must be asked for it.
    pub(crate) known: Option<ContentId>,
}

/// What became of a file.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// The time ran out first.
    NotReached,
    /// The file does not exist any more.
    Gone,
    Is {
        stamp: Stamp,
        entry: Entry,
        state: State,
    },
}

/// What gathering needs.
pub(crate) struct Gathering<'g> {
    pub(crate) database: &'g Database,
    pub(crate) budget: &'g Budget,
    pub(crate) file_limit: u64,
    pub(crate) disk_limit: u64,
    /// Whose checkpoint it is.
    pub(crate) owner: &'g str,
    pub(crate) threads: usize,
    /// Returns the contents that the checkpoint needs and that were known before.
    pub(crate) pinned: &'g (dyn Fn() -> HashSet<ContentId> + Sync),
}

struct Shared<'s> {
    gathering: &'s Gathering<'s>,
    tasks: &'s [Task<'s>],
    /// The order of the tasks: the smallest file first, so that what does not fit is large.
    order: Vec<usize>,
    next: AtomicUsize,
    stop: AtomicBool,
    /// How many bytes this checkpoint stored or tried to store.
    written: AtomicU64,
    /// Contents that this checkpoint stores already.
    seen: Mutex<HashSet<ContentId>>,
}

/// A finished task, and the content to store.
struct Done {
    task: usize,
    outcome: Outcome,
    content: Option<Packed>,
}

impl Gathering<'_> {
    /// Returns what became of each task, in their order.
    pub(crate) fn run(&self, tasks: &[Task<'_>]) -> Result<Vec<Outcome>, StoreError> {
        let mut outcomes = vec![Outcome::NotReached; tasks.len()];
        if tasks.is_empty() {
            return Ok(outcomes);
        }
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by_key(|task| tasks.get(*task).map_or(0, |task| task.stamp.size));
        let shared = Shared {
            gathering: self,
            tasks,
            order,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            written: AtomicU64::new(0),
            seen: Mutex::default(),
        };
        let refused = std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(2);
            for _ in 0..self.threads {
                let sender = sender.clone();
                let shared = &shared;
                scope.spawn(move || shared.work(&sender));
            }
            drop(sender);
            let stored = shared.store(&receiver, &mut outcomes);
            // Threads that wait to send end when the receiver is gone.
            shared.stop.store(true, Ordering::Relaxed);
            drop(receiver);
            stored
        })?;
        if !refused.is_empty() {
            refuse(&mut outcomes, tasks, &refused);
        }
        Ok(outcomes)
    }
}

/// Marks files as not kept whose content did not fit, and those that were not read because of it.
fn refuse(outcomes: &mut [Outcome], tasks: &[Task<'_>], refused: &HashSet<ContentId>) {
    let why = NotKeptReason::DiskLimit;
    for (outcome, task) in outcomes.iter_mut().zip(tasks) {
        let (content, stamp) = match outcome {
            Outcome::NotReached => (None, task.stamp),
            Outcome::Is { stamp, entry: Entry::File { content, .. }, .. }
                if refused.contains(content) =>
            {
                (Some(*content), *stamp)
            }
            _ => continue,
        };
        let entry = Entry::FileNotKept { why, content, size: stamp.size, mode: stamp.mode };
        *outcome = Outcome::Is { stamp, entry, state: State::Known };
    }
}

impl Shared<'_> {
    fn work(&self, sender: &SyncSender<Result<Done, StoreError>>) {
        while !self.stop.load(Ordering::Relaxed) && !self.gathering.budget.is_over() {
            let Some(number) = self.order.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let Some(task) = self.tasks.get(*number) else { return };
            let done =
                self.one(task).map(|(outcome, content)| Done { task: *number, outcome, content });
            if sender.send(done).is_err() {
                return;
            }
        }
    }

    fn one(&self, task: &Task<'_>) -> Result<(Outcome, Option<Packed>), StoreError> {
        let database = self.gathering.database;
        let (size, mode) = (task.stamp.size, task.stamp.mode);
        if let Some(content) = task.known
            && database.query(|connection| contents::has(connection, &content))?
        {
            let entry = Entry::File { content, size, mode };
            let stamp = task.stamp;
            return Ok((Outcome::Is { stamp, entry, state: State::Known }, None));
        }
        let path = join(task.folder, task.name);
        let read = read(task.root, &path, self.gathering.file_limit, self.gathering.budget);
        let read = match read {
            Ok(read) => read,
            Err(NotRead::Gone) => return Ok((Outcome::Gone, None)),
            Err(NotRead::Because(why, stamp)) => {
                let stamp = if stamp == Stamp::default() { task.stamp } else { stamp };
                let (size, mode) = (stamp.size, stamp.mode);
                let entry = Entry::FileNotKept { why, content: None, size, mode };
                return Ok((Outcome::Is { stamp, entry, state: State::Known }, None));
            }
        };
        let (stamp, id) = (read.stamp, read.id);
        let (size, mode) = (stamp.size, stamp.mode);
        let state = if read.is_racy { State::Racy } else { State::Known };
        let is = |entry| Outcome::Is { stamp, entry, state };
        // It may have changed since it was listed.
        if self.gathering.budget.sent().is_some_and(|(sent, now)| stamp.is_after(sent, now)) {
            let why = NotKeptReason::ChangedAfterPrompt;
            return Ok((is(Entry::FileNotKept { why, content: None, size, mode }), None));
        }
        let Some(bytes) = read.bytes else {
            let why = NotKeptReason::Large;
            return Ok((is(Entry::FileNotKept { why, content: Some(id), size, mode }), None));
        };
        let entry = Entry::File { content: id, size, mode };
        let is_first = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        let is_new = is_first && !database.query(|connection| contents::has(connection, &id))?;
        Ok((is(entry), is_new.then(|| Packed::new(id, bytes))))
    }

    /// Stores contents until all threads have ended. Returns the contents that did not fit.
    fn store(
        &self,
        receiver: &Receiver<Result<Done, StoreError>>,
        outcomes: &mut [Outcome],
    ) -> Result<HashSet<ContentId>, StoreError> {
        let mut refused = HashSet::new();
        let mut batch = Vec::new();
        let mut cost = 0;
        for done in receiver {
            let done = done?;
            if let Some(outcome) = outcomes.get_mut(done.task) {
                *outcome = done.outcome;
            }
            if let Some(content) = done.content {
                cost += content.cost();
                batch.push(content);
            }
            if cost >= BATCH {
                self.write(&mut batch, cost, &mut refused)?;
                cost = 0;
            }
        }
        if !batch.is_empty() {
            self.write(&mut batch, cost, &mut refused)?;
        }
        Ok(refused)
    }

    /// Writes a batch in one transaction. If it does not fit, the oldest checkpoints go first, for
    /// at most a share of the limit, so that one large checkpoint does not replace all others.
    fn write(
        &self,
        batch: &mut Vec<Packed>,
        cost: u64,
        refused: &mut HashSet<ContentId>,
    ) -> Result<(), StoreError> {
        let Gathering { database, disk_limit, owner, .. } = *self.gathering;
        let written = self.written.fetch_add(cost, Ordering::Relaxed);
        let room = cost.min((disk_limit / SHARE).saturating_sub(written));
        let used = || database.query(sweep::used_bytes);
        if refused.is_empty() && room > 0 && used()? + cost > disk_limit {
            let mut pinned = (self.gathering.pinned)();
            pinned.extend(self.seen.lock().unwrap_or_else(PoisonError::into_inner).iter());
            let keep = Keep { checkpoint: None, owner: Some(owner), contents: pinned };
            sweep::prune(database, disk_limit.saturating_sub(room), &keep)?;
        }
        let mut left = disk_limit.saturating_sub(used()?);
        database.write(|connection| {
            for content in batch.drain(..) {
                if content.cost() > left {
                    refused.insert(content.id);
                    continue;
                }
                left -= content.cost();
                contents::put(connection, &content).map_err(|error| database.failure(&error))?;
            }
            Ok(())
        })?;
        if !refused.is_empty() {
            // All files that are not read yet are larger.
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
