//! The protected files that changed while a command ran: those that the sandbox could not protect,
//! and those that another program changed at the same time.

use super::search::{Found, search};
use super::session::{Remembered, Session};
use attache_policy::{Folders, names_to_hold};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The maximum number of files in a message.
const MAX_LISTED: usize = 50;

/// The state of the protected files before a command runs.
#[derive(Debug)]
pub(crate) struct Watch {
    before: BTreeMap<PathBuf, Stamp>,
    /// Files that the command sees as empty.
    secrets: BTreeSet<PathBuf>,
    session: Session,
}

/// The state of a file or folder. For a folder, only its identity is recorded, because the sandbox
/// protects its content.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    /// The numbers of the device and the inode.
    file: (u64, u64),
    /// The length and the time of the last change, in seconds and nanoseconds.
    content: Option<(u64, i64, i64)>,
    /// The target of a link.
    link: Option<PathBuf>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        let content = (!found.is_dir()).then(|| (found.size(), found.mtime(), found.mtime_nsec()));
        let link = found.is_symlink().then(|| path.read_link().ok()).flatten();
        Some(Self { file: (found.dev(), found.ino()), content, link })
    }
}

impl Watch {
    pub(super) fn begin(found: Found, session: Session) -> Self {
        let before =
            found.obeyed.into_iter().filter_map(|path| Some((path.clone(), Stamp::of(&path)?)));
        Self { before: before.collect(), secrets: found.secret.into_iter().collect(), session }
    }

    /// A sentence about the secrets in the session's folders that the command could not read, or
    /// `None` if there are none.
    pub(in crate::tools::execute) fn hidden(&self) -> Option<String> {
        let shown: Vec<String> =
            self.secrets.iter().map(|path| shown(&self.session.folders, path)).collect();
        let list = listed(&shown)?;
        Some(format!(
            "files that may hold secrets appeared empty to this command: {list}. A rule that allows reading such a file by its name shows it; \
             `unsandboxed` with your reason asks the person to run it without a sandbox"
        ))
    }

    /// A sentence about the protected files that changed; `None` if no file changed. Files that
    /// affect programs in any project come first. Blocks on disk I/O.
    pub(in crate::tools::execute) fn report(self) -> Option<String> {
        let (session, folders) = (&self.session, &self.session.folders);
        let found = search(&session.judge());
        let made = found.secret.iter().filter(|path| !self.secrets.contains(*path)).cloned();
        session.known.with(|known: &mut Remembered| known.made.extend(made));
        // The known files are added because a search that stops at its limits does not see every
        // file.
        let paths: BTreeSet<&PathBuf> = found.obeyed.iter().chain(self.before.keys()).collect();
        let mut paths: Vec<&PathBuf> = paths.into_iter().collect();
        paths.sort_by_key(|path| !is_protected_anywhere(path));
        let change = |path: &&PathBuf| match (self.before.get(*path), Stamp::of(path)) {
            (None, Some(_)) => Some(format!("{} (new)", shown(folders, path))),
            (Some(_), None) => Some(format!("{} (removed)", shown(folders, path))),
            (Some(before), Some(now)) if *before != now => Some(shown(folders, path)),
            _ => None,
        };
        let changes: Vec<String> = paths.iter().filter_map(change).collect();
        let list = listed(&changes)?;
        Some(format!(
            "protected files changed while the command ran: {list}; these files affect what programs or agents do, so review them"
        ))
    }
}

/// Whether the file affects programs in any folder, not only in a person's home.
fn is_protected_anywhere(path: &Path) -> bool {
    let mut names = path.iter().filter_map(|name| name.to_str());
    names.any(|name| names_to_hold(false).any(|held| held == name)) || path.ends_with("workflows")
}

/// The first names and the number of the others, or `None` if there are no names.
fn listed(all: &[String]) -> Option<String> {
    let first: Vec<&str> = all.iter().take(MAX_LISTED).map(String::as_str).collect();
    match all.len().checked_sub(MAX_LISTED) {
        _ if all.is_empty() => None,
        None | Some(0) => Some(first.join(", ")),
        Some(more) => Some(format!("{} and {more} more", first.join(", "))),
    }
}

fn shown(folders: &Folders, path: &Path) -> String {
    folders.named(path).1
}
