//! Takes a checkpoint: walks the roots, reads what changed, and stores the result.

use crate::format::manifest::{self, Delta, Listing};
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::store::checkpoints;
use crate::store::contents;
use crate::store::database::{Database, of_io};
use crate::store::error::{StoreError, TakeError};
use crate::store::id::CheckpointId;
use crate::store::label::Label;
use crate::store::manifests::{self, ManifestId};
use crate::store::options::StoreOptions;
use crate::store::summary::{NotKept, Summary};
use crate::store::sweep::{self, Keep};
use crate::store::tombstones;
use crate::take::assembly;
use crate::take::budget::Budget;
use crate::take::completing;
use crate::take::folder::{OpenRoot, join};
use crate::take::gather::{Gathering, Task};
use crate::take::lacks::Lacks;
use crate::take::left_out::LeftOut;
use crate::take::listing::Lister;
use crate::take::roots::Roots;
use crate::take::stat_cache::{Counts, StatCache, State};
use crate::take::walk::{ENTRY_LIMIT, Walk, Walked};
use rusqlite::Connection;
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often taking is repeated because another process deleted contents meanwhile.
const ATTEMPTS: u32 = 3;

/// More threads wait for the same disk.
const MOST_THREADS: usize = 4;

/// What taking a checkpoint needs.
pub(crate) struct Taking<'t> {
    pub(crate) database: &'t Database,
    pub(crate) options: &'t StoreOptions,
    pub(crate) roots: &'t Roots,
    pub(crate) label: &'t Label,
    pub(crate) budget: &'t Budget,
    /// The incomplete checkpoint to go on with.
    pub(crate) earlier: Option<&'t Summary>,
    /// The files of the program itself.
    pub(crate) left_out: &'t [PathBuf],
}

/// What was found below one root.
struct FoundRoot<'t> {
    path: &'t Path,
    open: OpenRoot,
    cache: StatCache,
    /// The manifest that the cache describes, if the store has it.
    base: Option<ManifestId>,
    walked: Walked,
}

/// What to store for one root: the difference to a manifest, or everything.
struct RootResult {
    base: Option<ManifestId>,
    delta: Delta,
    whole: Listing,
}

impl Taking<'_> {
    pub(crate) fn run(&self) -> Result<Summary, TakeError> {
        let owner = self.label.owner.as_str();
        let deletions = self.database.query(|connection| tombstones::number(connection, owner))?;
        for _ in 0..ATTEMPTS {
            match self.attempt(deletions) {
                Ok(None) => {}
                Ok(Some(summary)) => return Ok(summary),
                Err(error) => {
                    if matches!(error, TakeError::Store(StoreError::Forgotten { .. })) {
                        // What was read for the checkpoint must not stay, either.
                        sweep::remove_unneeded(self.database)?;
                    }
                    return Err(error);
                }
            }
        }
        Err(StoreError::Busy { path: self.database.folder().to_owned() }.into())
    }

    /// Takes the checkpoint. Returns `None` if another process deleted contents that it needs.
    /// `deletions` is the [number](tombstones::number) of the owner.
    fn attempt(&self, deletions: Option<i64>) -> Result<Option<Summary>, TakeError> {
        let database = self.database;
        let at = whole_milliseconds(SystemTime::now());
        let (identity, generation) = database.query(|connection| {
            Ok((sweep::identity(connection)?, sweep::generation(connection)?))
        })?;
        let identity = identity ^ self.salt();
        let mut found = Vec::new();
        for path in self.roots.paths() {
            found.push(self.walk(path, identity)?);
        }
        self.gather(&mut found)?;
        let mut results = Vec::new();
        for root in &found {
            results.push(self.result(root)?);
        }
        let counts = found.iter().fold(Counts::default(), |mut sum, root| {
            sum.add(assembly::counts(&root.walked, &root.cache));
            sum
        });
        let (not_kept, complete) = not_kept(&found);
        let mut summary = Summary {
            id: CheckpointId::from_number(0),
            at,
            label: self.label.clone(),
            roots: self.roots.paths().to_vec(),
            files: counts.entries,
            changed: results.iter().map(RootResult::changed).sum(),
            complete,
            not_kept,
            not_kept_count: counts.lacking,
            ignored: counts.ignored,
        };
        let stored = database.write(|connection| {
            let may_store = tombstones::may_store(connection, self.label, deletions);
            if !may_store.map_err(|error| database.failure(&error))? {
                return Err(StoreError::Forgotten { owner: self.label.owner.clone() });
            }
            if !self.is_still_valid(connection, generation, &results)? {
                return Ok(None);
            }
            let now = sweep::generation(connection).map_err(|error| database.failure(&error))?;
            let mut manifests = Vec::new();
            for result in &results {
                manifests.push(result.store(database, connection)?);
            }
            let mut covered = manifests.clone();
            match self.earlier {
                None => {
                    let last = checkpoints::last_id(connection);
                    let last = last.map_err(|error| database.failure(&error))?;
                    // The time of storing, which `Activity` compares with the time of reading.
                    summary.id = CheckpointId::after(last, SystemTime::now());
                }
                Some(earlier) => {
                    covered =
                        completing::fill(database, connection, earlier, &manifests, &mut summary)?;
                }
            }
            checkpoints::put(connection, &summary, &covered)
                .map_err(|error| database.failure(&error))?;
            Ok(Some((manifests, now)))
        })?;
        let Some((manifests, generation)) = stored else { return Ok(None) };
        for (root, manifest) in found.iter().zip(manifests) {
            let is_right = root.base == Some(manifest)
                && root.cache.generation == generation
                && assembly::is_cache_right(&root.walked, &root.cache);
            if !is_right {
                let manifest = (manifest, generation);
                let cache =
                    assembly::next_cache(&root.walked, &root.cache, root.path, identity, manifest);
                cache
                    .save(database.folder(), root.path)
                    .map_err(|error| of_io(database.folder(), error))?;
            }
        }
        if database.query(sweep::used_bytes)? > self.options.disk_limit {
            let (checkpoint, owner) = (Some(summary.id), Some(self.label.owner.as_str()));
            let keep = Keep { checkpoint, owner, contents: HashSet::new() };
            sweep::prune(database, self.options.disk_limit, &keep)?;
        }
        Ok(Some(summary))
    }

    /// A number for the options that decide what is kept. Another number makes the cache useless.
    fn salt(&self) -> i64 {
        let limit = i64::try_from(self.options.file_limit).unwrap_or(i64::MAX);
        limit.rotate_left(8) ^ i64::from(self.options.secret_files)
    }

    fn walk<'p>(&self, path: &'p Path, identity: i64) -> Result<FoundRoot<'p>, TakeError> {
        let database = self.database;
        let failed = |source: std::io::Error| TakeError::Root { path: path.to_owned(), source };
        let open = OpenRoot::open(path).map_err(|error| failed(error.into()))?;
        let cache = StatCache::load(database.folder(), path, identity);
        let base = match cache.manifest {
            Some(manifest)
                if database.query(|connection| manifests::exists(connection, manifest))? =>
            {
                Some(manifest)
            }
            _ => None,
        };
        let store = std::fs::metadata(database.folder());
        let store = store.map(|store| (store.dev(), store.ino())).unwrap_or_default();
        let walk = Walk {
            root: &open,
            path,
            cache: &cache,
            lister: Lister {
                cache: &cache,
                is_cache_sure: base.is_some(),
                secret_files: self.options.secret_files,
                store,
                left_out: LeftOut::below(path, self.left_out),
                budget: self.budget,
            },
            budget: self.budget,
            entry_limit: ENTRY_LIMIT,
            threads: threads(),
        };
        let walked = walk.run();
        match walked.not_listed.get([].as_slice()) {
            None => {}
            Some(Some(NotKeptReason::Time | NotKeptReason::TooMany)) => {}
            Some(None) => return Err(failed(std::io::ErrorKind::NotFound.into())),
            Some(Some(_)) => return Err(failed(std::io::ErrorKind::PermissionDenied.into())),
        }
        Ok(FoundRoot { path, open, cache, base, walked })
    }

    /// Reads the files that changed, and stores their contents.
    fn gather(&self, found: &mut [FoundRoot<'_>]) -> Result<(), StoreError> {
        let mut tasks = Vec::new();
        for root in found.iter() {
            for (folder, item) in assembly::to_read(&root.walked) {
                let known = match item.entry {
                    Entry::File { content, .. } if item.state == State::Unchecked => Some(content),
                    _ => None,
                };
                let (stamp, name) = (item.stamp, item.name.as_slice());
                tasks.push(Task { root: &root.open, folder, name, stamp, known });
            }
        }
        let pinned = || {
            let mut pinned = HashSet::new();
            for root in found.iter() {
                assembly::for_each(
                    &root.walked,
                    &root.cache,
                    |_| true,
                    |_, item| {
                        pinned.extend(manifests::kept(&item.entry));
                    },
                );
            }
            pinned
        };
        let gathering = Gathering {
            database: self.database,
            budget: self.budget,
            file_limit: self.options.file_limit,
            disk_limit: self.options.disk_limit,
            owner: &self.label.owner,
            threads: threads(),
            pinned: &pinned,
        };
        let outcomes = gathering.run(&tasks)?;
        drop(tasks);
        let mut outcomes = outcomes.into_iter();
        for root in found {
            assembly::settle(&mut root.walked, &root.cache, &mut outcomes);
        }
        Ok(())
    }

    /// Compares what was found with the last manifest of the root.
    fn result(&self, root: &FoundRoot<'_>) -> Result<RootResult, StoreError> {
        if let Some(base) = root.base {
            let exists = self.database.query(|connection| manifests::exists(connection, base))?;
            if exists {
                let mut delta = assembly::delta(&root.walked, &root.cache);
                // The root itself has an entry only if it could not be listed.
                if delta.len() == 1 && delta.get([].as_slice()) == Some(&None) {
                    delta.clear();
                }
                return Ok(RootResult { base: Some(base), delta, whole: Listing::new() });
            }
        }
        let whole = assembly::listing(&root.walked, &root.cache);
        let name = root.path.as_os_str().as_bytes();
        let last =
            self.database.query(|connection| checkpoints::last_manifest(connection, name))?;
        let Some(last) = last else {
            return Ok(RootResult { base: None, delta: Delta::new(), whole });
        };
        let old = self.database.read(|connection| manifests::load(self.database, connection, last));
        match old {
            Ok(old) => {
                let delta = manifest::difference(&old, &whole);
                Ok(RootResult { base: Some(last), delta, whole: Listing::new() })
            }
            // It was deleted meanwhile, or is damaged.
            Err(_) => Ok(RootResult { base: None, delta: Delta::new(), whole }),
        }
    }

    /// Returns whether the store still has everything that the new manifests need.
    fn is_still_valid(
        &self,
        connection: &Connection,
        generation: i64,
        results: &[RootResult],
    ) -> Result<bool, StoreError> {
        let valid = || -> rusqlite::Result<bool> {
            if sweep::generation(connection)? == generation {
                return Ok(true);
            }
            for result in results {
                if let Some(base) = result.base
                    && !manifests::exists(connection, base)?
                {
                    return Ok(false);
                }
                let whole = result.whole.iter().map(|(_, entry)| entry);
                for entry in result.delta.values().flatten().chain(whole) {
                    if let Some(content) = manifests::kept(entry)
                        && !contents::has(connection, &content)?
                    {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        };
        valid().map_err(|error| self.database.failure(&error))
    }
}

impl RootResult {
    /// How many entries differ from the manifest before. Nothing precedes the first one.
    fn changed(&self) -> u64 {
        self.delta.len() as u64
    }

    fn store(
        &self,
        database: &Database,
        connection: &Connection,
    ) -> Result<ManifestId, StoreError> {
        match self.base {
            Some(base) if self.delta.is_empty() => Ok(base),
            Some(base) => manifests::add_delta(database, connection, base, &self.delta),
            None => manifests::add_whole(database, connection, &self.whole),
        }
    }
}

/// Returns some of what is not kept, the unexpected first, and whether all of it is expected.
fn not_kept(found: &[FoundRoot<'_>]) -> (Vec<NotKept>, bool) {
    let mut lacks = Lacks::default();
    for (number, root) in found.iter().enumerate() {
        if let Some(Some(why)) = root.walked.not_listed.get([].as_slice()) {
            lacks.add(number, Vec::new(), *why);
        }
        let has_any = |counts: &Counts| counts.lacking > 0;
        assembly::for_each(&root.walked, &root.cache, has_any, |path, item| {
            if let Some(why) = item.entry.not_kept() {
                lacks.add(number, join(path, &item.name), why);
            }
        });
    }
    lacks.finish()
}

/// The store keeps no smaller parts.
fn whole_milliseconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_millis(since.as_millis() as u64)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}
