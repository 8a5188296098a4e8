//! Walks a root with several threads, and compares what it finds with the stat cache.

use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::take::budget::Budget;
use crate::take::folder::{OpenRoot, join};
use crate::take::listing::{Found, Lister};
use crate::take::rules::Rules;
use crate::take::stat_cache::{Item, StatCache};
use rustix::io::Errno;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How many entries a root may have. More would need too much memory.
pub(crate) const ENTRY_LIMIT: usize = 2_000_000;

/// What the walk needs to know.
#[derive(Debug)]
pub(crate) struct Walk<'w> {
    pub(crate) root: &'w OpenRoot,
    pub(crate) path: &'w Path,
    pub(crate) cache: &'w StatCache,
    pub(crate) lister: Lister<'w>,
    pub(crate) budget: &'w Budget,
    pub(crate) entry_limit: usize,
    pub(crate) threads: usize,
}

/// A folder that was listed.
#[derive(Debug)]
pub(crate) enum Listed {
    /// It is as the cache has it.
    Same,
    /// Its items, sorted by name, with the fingerprint of its rules.
    Items { rules: u64, items: Vec<Item> },
}

/// What the walk found: every listed folder by its path, and why others could not be listed.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) folders: BTreeMap<Vec<u8>, Listed>,
    /// `None` means that the folder does not exist any more.
    pub(crate) not_listed: HashMap<Vec<u8>, Option<NotKeptReason>>,
}

struct Job {
    path: Vec<u8>,
    rules: Arc<Rules>,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    working: usize,
}

struct Shared<'w> {
    walk: &'w Walk<'w>,
    queue: Mutex<Queue>,
    changed: Condvar,
    walked: Mutex<Walked>,
    entries: AtomicUsize,
}

impl Walk<'_> {
    /// Walks until everything is listed or the time runs out.
    pub(crate) fn run(&self) -> Walked {
        let rules = Rules::of_root(self.path);
        let first = Job { path: Vec::new(), rules };
        let shared = Shared {
            walk: self,
            queue: Mutex::new(Queue { jobs: vec![first], working: 0 }),
            changed: Condvar::new(),
            walked: Mutex::default(),
            entries: AtomicUsize::new(0),
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(|| shared.work());
            }
            shared.work();
        });
        shared.walked.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared<'_> {
    fn work(&self) {
        while let Some(job) = self.next() {
            let found = self.list(&job);
            let mut below = Vec::new();
            {
                let mut walked = lock(&self.walked);
                match found {
                    Ok((listed, jobs)) => {
                        walked.folders.insert(job.path, listed);
                        below = jobs;
                    }
                    Err(why) => {
                        walked.not_listed.insert(job.path, why);
                    }
                }
            }
            let mut queue = lock(&self.queue);
            queue.jobs.append(&mut below);
            queue.working -= 1;
            drop(queue);
            self.changed.notify_all();
        }
    }

    /// Returns the next folder to list, the last one found first, so that the queue stays short.
    fn next(&self) -> Option<Job> {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(job) = queue.jobs.pop() {
                queue.working += 1;
                return Some(job);
            }
            if queue.working == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn list(&self, job: &Job) -> Result<(Listed, Vec<Job>), Option<NotKeptReason>> {
        let walk = self.walk;
        if walk.budget.is_over() {
            return Err(Some(NotKeptReason::Time));
        }
        let folder = match walk.root.folder(&job.path) {
            Ok(Some(folder)) => folder,
            Ok(None) => return Err(Some(NotKeptReason::OtherFileSystem)),
            Err(error) => return Err(reason(error)),
        };
        let left = walk.entry_limit.saturating_sub(self.entries.load(Ordering::Relaxed));
        let names = folder.names(left).map_err(reason)?.ok_or(Some(NotKeptReason::TooMany))?;
        self.entries.fetch_add(names.len(), Ordering::Relaxed);
        let has =
            |wanted: &[u8]| names.binary_search_by(|each| each.name.as_bytes().cmp(wanted)).is_ok();
        let rules = job.rules.within(&folder, &job.path, has(b".gitignore"), has(b".git"));
        let cached = walk.cache.folder(&job.path);
        let found = walk.lister.list(&folder, &job.path, names, &rules, cached, walk.budget)?;
        let Found { items, is_same } = found;
        let below = items.iter().filter(|item| matches!(item.entry, Entry::Folder { .. }));
        let below =
            below.map(|item| Job { path: join(&job.path, &item.name), rules: Arc::clone(&rules) });
        let below = below.collect();
        let listed = match is_same {
            true => Listed::Same,
            false => Listed::Items { rules: rules.fingerprint, items },
        };
        Ok((listed, below))
    }
}

/// Returns why a folder could not be listed.
fn reason(error: Errno) -> Option<NotKeptReason> {
    match error {
        Errno::NOENT => None,
        Errno::NAMETOOLONG => Some(NotKeptReason::TooMany),
        // Another file took its place.
        Errno::NOTDIR | Errno::LOOP => Some(NotKeptReason::ChangedWhileRead),
        _ => Some(NotKeptReason::Unreadable),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
