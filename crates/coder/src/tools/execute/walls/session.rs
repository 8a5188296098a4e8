//! The session as far as the sandbox of its commands depends on it.

use super::search::Found;
use attache_host::is_placeholder;
use attache_policy::{Folders, Judge, Mode, Policy};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// How many protected paths a session remembers.
const REMEMBERED: usize = 4096;

/// The parts of a session that the sandbox of its commands depends on. Cheap enough to clone for each command.
#[derive(Debug, Clone)]
pub(in crate::tools::execute) struct Session {
    pub(in crate::tools::execute) policy: Policy,
    pub(in crate::tools::execute) folders: Folders,
    /// Files and folders of the person's that no command reads.
    pub(in crate::tools::execute) private: Vec<PathBuf>,
    pub(in crate::tools::execute) known: Known,
}

impl Session {
    /// Judges what may be read, which does not depend on the mode.
    pub(super) fn judge(&self) -> Judge<'_> {
        self.policy.judge(Mode::Ask, &self.folders, None)
    }
}

/// The protected files that a session knows, beyond one command. Cheap to clone; clones share
/// it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// Protected files that were found once. A command that fills the folders with files cannot
    /// keep the search from them.
    pub(super) obeyed: BTreeSet<PathBuf>,
    /// Files with names of secrets that a command made: they hold none of the person's.
    pub(super) made: BTreeSet<PathBuf>,
}

impl Known {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Remembered) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The same files without secrets that commands made, and with protected files that were found
    /// earlier.
    pub(super) fn complete(&self, mut found: Found) -> Found {
        self.with(|known| {
            found.secret.retain(|path| !known.made.contains(path));
            known.obeyed.retain(|path| path.symlink_metadata().is_ok() && !is_placeholder(path));
            let new: Vec<PathBuf> =
                found.obeyed.iter().filter(|path| !known.obeyed.contains(*path)).cloned().collect();
            // Those found earlier come first: they count where there are too many.
            found.obeyed = known.obeyed.iter().cloned().chain(new.iter().cloned()).collect();
            let room = REMEMBERED.saturating_sub(known.obeyed.len());
            known.obeyed.extend(new.into_iter().take(room));
        });
        found
    }
}
