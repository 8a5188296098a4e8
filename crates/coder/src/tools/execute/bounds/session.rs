//! The parts of a session that its commands' sandbox depends on.

use super::search::Found;
use attache_host::is_placeholder;
use attache_policy::{Folders, Judge, Mode, Policy};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of protected paths that a session remembers.
const MAX_REMEMBERED: usize = 4096;

/// The parts of a session that its commands' sandbox depends on. Cloning it for each command is
/// cheap.
#[derive(Debug, Clone)]
pub(in crate::tools::execute) struct Session {
    pub(in crate::tools::execute) policy: Policy,
    pub(in crate::tools::execute) folders: Folders,
    /// The person's files and folders that commands must not read.
    pub(in crate::tools::execute) private: Vec<PathBuf>,
    pub(in crate::tools::execute) known: KnownFiles,
}

impl Session {
    /// The judge for reads, which do not depend on the mode.
    pub(super) fn judge(&self) -> Judge<'_> {
        self.policy.judge(Mode::Ask, &self.folders, None)
    }
}

/// The protected files that a session remembers between commands. Clones are cheap and share their
/// content.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownFiles(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Protected files that a search has found. They are remembered so that a command cannot hide
    /// them from later searches by filling the folders with files.
    pub(super) obeyed: BTreeSet<PathBuf>,
    /// Files that have the name of a secret but were created by a command. They contain no secrets
    /// of the person.
    pub(super) made: BTreeSet<PathBuf>,
}

impl KnownFiles {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Remembered) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns `found` without the files that commands created, and with the protected files that
    /// were found earlier.
    pub(super) fn complete(&self, mut found: Found) -> Found {
        self.with(|known| {
            found.secret.retain(|path| !known.made.contains(path));
            known.obeyed.retain(|path| path.symlink_metadata().is_ok() && !is_placeholder(path));
            let new: Vec<PathBuf> =
                found.obeyed.iter().filter(|path| !known.obeyed.contains(*path)).cloned().collect();
            // Files that were found earlier come first, so that they are kept if there are too
            // many.
            found.obeyed = known.obeyed.iter().cloned().chain(new.iter().cloned()).collect();
            let room = MAX_REMEMBERED.saturating_sub(known.obeyed.len());
            known.obeyed.extend(new.into_iter().take(room));
        });
        found
    }
}
