//! The store: keeps checkpoints below one private folder.

pub(crate) mod checkpoints;
pub(crate) mod contents;
pub(crate) mod database;
pub(crate) mod error;
pub(crate) mod holdings;
pub(crate) mod id;
pub(crate) mod label;
pub(crate) mod manifests;
pub(crate) mod needed_checkpoints;
pub(crate) mod options;
pub(crate) mod past_activities;
pub(crate) mod record_tables;
pub(crate) mod records;
pub(crate) mod restored_paths;
pub(crate) mod summary;
pub(crate) mod sweep;
pub(crate) mod tombstones;
pub(crate) mod usage;
mod verify;

use crate::snapshot::content_id::ContentId;
use crate::snapshot::tree::Tree;
use crate::store::contents::Found;
use crate::store::database::{Database, of_io};
use crate::take::budget::Budget;
use crate::take::roots::Roots;
use crate::take::stat_cache;
use crate::take::take_lock::lock_folders;
use crate::take::taking::Taking;
use error::{StoreError, TakeError};
use holdings::Hidden;
use id::CheckpointId;
use label::Label;
use options::StoreOptions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use summary::Summary;
use sweep::Keep;
use usage::{Usage, Verified};

/// Takes checkpoints and keeps them below a private folder. Clones share one store. All methods
/// block.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    options: StoreOptions,
    /// The files of the program itself.
    left_out: RwLock<Vec<PathBuf>>,
}

impl Store {
    /// Opens the store below `folder`, and creates it if it does not exist. Only the user can read
    /// the folder.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or read, or if a newer version of this
    /// program wrote the store.
    pub fn open(folder: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        let database = Database::open(folder)?;
        Ok(Self { inner: Arc::new(Inner { database, options, left_out: RwLock::default() }) })
    }

    /// The folder of the store. Sandboxes must hide it.
    pub fn folder(&self) -> &Path {
        self.inner.database.folder()
    }

    /// The store that [`open`](Self::open) set aside, because it was damaged or of an earlier
    /// version. A new store took its place. [`forget`](Self::forget) deletes it, because it may
    /// have contents of deleted checkpoints.
    pub fn set_aside(&self) -> Option<&Path> {
        self.inner.database.set_aside()
    }

    /// Leaves out a file or folder of the program itself, such as a log that it writes: checkpoints
    /// do not have it, and restores do not change it. The folder of the store is always left out. A
    /// folder that contains a root has no effect on this root. Other processes must leave it out,
    /// too.
    pub fn leave_out(&self, path: impl AsRef<Path>) {
        let path = path.as_ref();
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut paths = self.inner.left_out.write().unwrap_or_else(PoisonError::into_inner);
        paths.push(path);
    }

    /// The options of the store.
    pub fn options(&self) -> &StoreOptions {
        &self.inner.options
    }

    /// Takes a checkpoint of these folders. If another process takes one of the same folders, waits
    /// for it, at most two seconds and only until the prompt is sent. If the time runs out, the
    /// checkpoint is incomplete, and [`complete`](Self::complete) can go on.
    ///
    /// # Errors
    /// Returns an error if a root cannot be read or the store cannot be written. Everything else
    /// that cannot be kept is listed in the summary.
    pub fn take(
        &self,
        roots: &Roots,
        label: &Label,
        budget: &Budget,
    ) -> Result<Summary, TakeError> {
        self.taking(roots, label, budget, None)
    }

    /// Goes on with an incomplete checkpoint, and replaces what it holds. Files that changed after
    /// [`Budget::after_prompt`] stay not kept.
    ///
    /// # Errors
    /// Returns the errors of [`take`](Self::take), and an error if there is no such checkpoint.
    pub fn complete(&self, id: CheckpointId, budget: &Budget) -> Result<Summary, TakeError> {
        let earlier = self.get(id)?;
        let roots = Roots::stored(earlier.roots.clone());
        self.taking(&roots, &earlier.label, budget, Some(&earlier))
    }

    /// Returns the checkpoints of an owner, or all, from the oldest to the newest.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn list(&self, owner: Option<&str>) -> Result<Vec<Summary>, StoreError> {
        let database = &self.inner.database;
        database.read(|connection| {
            checkpoints::list(connection, owner).map_err(|error| database.failure(&error))
        })
    }

    /// Returns the checkpoint whose id begins with this text.
    ///
    /// # Errors
    /// Returns an error if no checkpoint has such an id, or more than one.
    pub fn find(&self, id: &str) -> Result<Summary, StoreError> {
        let database = &self.inner.database;
        let not_found = || StoreError::NotFound { id: id.to_owned() };
        let (from, to) = CheckpointId::range(id).ok_or_else(not_found)?;
        let mut found = database.read(|connection| {
            checkpoints::between(connection, from, to).map_err(|error| database.failure(&error))
        })?;
        match found.len() {
            1 => found.pop().ok_or_else(not_found),
            0 => Err(not_found()),
            matches => Err(StoreError::Ambiguous { id: id.to_owned(), matches }),
        }
    }

    /// Returns what a checkpoint holds.
    ///
    /// # Errors
    /// Returns an error if there is no such checkpoint, or if it cannot be read.
    pub fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
        let database = &self.inner.database;
        database.read(|connection| {
            let manifests = holdings::manifests(database, connection, id)?;
            // An earlier checkpoint may have files that were not left out then.
            let hidden = Hidden::of(connection, id, &self.left_out());
            let hidden = hidden.map_err(|error| database.failure(&error))?;
            holdings::tree(database, connection, &manifests, &hidden)
        })
    }

    /// Returns a kept content.
    ///
    /// # Errors
    /// Returns an error if the store does not have the content, or if it is damaged.
    pub fn content(&self, id: ContentId) -> Result<Vec<u8>, StoreError> {
        let database = &self.inner.database;
        match database.query(|connection| contents::get(connection, &id))? {
            Found::Bytes(bytes) => Ok(bytes),
            Found::Missing => Err(StoreError::NoContent { id: id.to_string() }),
            Found::Damaged => Err(database.damage(format!("the content {id} has other bytes"))),
        }
    }

    /// Deletes the checkpoints of an owner, and every content that no other checkpoint needs. A
    /// checkpoint of the owner that is being taken at present is not stored.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn forget(&self, owner: &str) -> Result<(), StoreError> {
        let database = &self.inner.database;
        sweep::forget(database, owner)?;
        // The caches have names of files. Without them, the next checkpoint only takes longer.
        stat_cache::remove_all(database.folder()).map_err(|error| of_io(database.folder(), error))
    }

    /// Deletes checkpoints until the store is within its limit, and every content that no
    /// checkpoint needs. Those that the user [asked](crate::Reason::Asked) for go first, then the
    /// oldest. Those before turns and restores that go on stay. Returns the deleted checkpoints.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    pub fn prune(&self) -> Result<Vec<CheckpointId>, StoreError> {
        let limit = self.inner.options.disk_limit;
        sweep::prune(&self.inner.database, limit, &Keep::default())
    }

    /// Reads everything that the store keeps, and returns what is damaged.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read at all.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        verify::verify(&self.inner.database)
    }

    /// Returns how much the store keeps.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    pub fn usage(&self) -> Result<Usage, StoreError> {
        let database = &self.inner.database;
        let failed = |error| of_io(database.folder(), error);
        let mut bytes = 0;
        for entry in std::fs::read_dir(database.folder()).map_err(failed)? {
            // A file may vanish while the folder is read.
            bytes += entry.and_then(|entry| entry.metadata()).map_or(0, |found| found.len());
        }
        let count = |sql: &str| {
            database.query(|connection| connection.query_row(sql, [], |row| row.get::<_, u64>(0)))
        };
        Ok(Usage {
            bytes,
            limit: self.inner.options.disk_limit,
            checkpoints: count("SELECT count(*) FROM checkpoint")?,
            contents: count("SELECT count(*) FROM content")?,
        })
    }

    /// Returns the checkpoint with this id.
    ///
    /// # Errors
    /// Returns an error if there is no such checkpoint.
    pub fn get(&self, id: CheckpointId) -> Result<Summary, StoreError> {
        let database = &self.inner.database;
        let found = database.read(|connection| {
            checkpoints::between(connection, id, id).map_err(|error| database.failure(&error))
        })?;
        found.into_iter().next().ok_or_else(|| StoreError::NotFound { id: id.to_string() })
    }

    pub(crate) fn left_out(&self) -> Vec<PathBuf> {
        self.inner.left_out.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn taking(
        &self,
        roots: &Roots,
        label: &Label,
        budget: &Budget,
        earlier: Option<&Summary>,
    ) -> Result<Summary, TakeError> {
        let Inner { database, options, .. } = &*self.inner;
        let budget = &budget.for_reading();
        let left_out = &self.left_out();
        let _alone = lock_folders(database.folder(), roots.paths(), budget);
        Taking { database, options, roots, label, budget, earlier, left_out }.run()
    }
}
