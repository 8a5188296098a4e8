//! Changes of the `HEAD` of a Git repository, which checkpoints do not contain. They are read from
//! the log that Git keeps, without running Git.

use attache_host::read_plain_file;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The largest log that is read, in bytes.
const LOG_LIMIT: u64 = 8 << 20;

/// The largest file that names a repository, in bytes.
const NAME_LIMIT: u64 = 4 << 10;

/// A changed `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeadChange {
    /// The folder of the repository.
    pub repository: PathBuf,
    /// The commit before.
    pub from: String,
    /// The commit now.
    pub to: String,
    /// What happened, such as "commit: Fix the parser", from the oldest to the newest.
    pub events: Vec<String>,
}

/// Returns how the `HEAD` of the repository of a folder changed since a time, or `None` if it did
/// not change, there is no repository, or Git keeps no log. The log has whole seconds, so an event
/// in the second of `since` counts.
pub(crate) fn head_change(folder: &Path, since: SystemTime) -> Option<HeadChange> {
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists())?;
    let log = git_folder(repository)?.join("logs/HEAD");
    let log = read_plain_file(&log, LOG_LIMIT).ok()?;
    let since = since.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let text = String::from_utf8_lossy(&log);
    let events: Vec<Event<'_>> =
        text.lines().filter_map(Event::parse).filter(|event| event.at >= since).collect();
    let (first, last) = (events.first()?, events.last()?);
    Some(HeadChange {
        repository: repository.to_owned(),
        from: first.from.to_owned(),
        to: last.to.to_owned(),
        events: events.iter().map(|event| event.what.to_owned()).collect(),
    })
}

/// Returns the folder in which Git keeps the repository. A worktree or submodule has a file that
/// names it.
fn git_folder(repository: &Path) -> Option<PathBuf> {
    let path = repository.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    let text = String::from_utf8(read_plain_file(&path, NAME_LIMIT).ok()?).ok()?;
    Some(repository.join(text.strip_prefix("gitdir:")?.trim()))
}

/// A line of the log.
struct Event<'a> {
    from: &'a str,
    to: &'a str,
    at: u64,
    what: &'a str,
}

impl<'a> Event<'a> {
    /// Reads `FROM TO NAME <ADDRESS> SECONDS ZONE<tab>WHAT`.
    fn parse(line: &'a str) -> Option<Event<'a>> {
        let (fields, what) = line.split_once('\t').unwrap_or((line, ""));
        let (from, rest) = fields.split_once(' ')?;
        let (to, rest) = rest.split_once(' ')?;
        let at = rest.rsplit(' ').nth(1)?.parse().ok()?;
        Some(Event { from, to, at, what })
    }
}

#[cfg(test)]
mod tests {
    use super::head_change;
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn commits_since_a_time_are_listed_also_in_a_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let log = "0000 1111 A B <a@b> 100 +0200\tcommit (initial): one\n\
                   1111 2222 A B <a@b> 200 +0200\tcommit: two\n\
                   2222 3333 A B <a@b> 300 +0200\tcheckout: moving from main to x\n";
        for base in ["plain/.git", "kept/worktrees/w"] {
            fs::create_dir_all(folder.path().join(base).join("logs")).unwrap();
            fs::write(folder.path().join(base).join("logs/HEAD"), log).unwrap();
        }
        fs::create_dir_all(folder.path().join("plain/src")).unwrap();
        fs::create_dir(folder.path().join("tree")).unwrap();
        fs::write(folder.path().join("tree/.git"), "gitdir: ../kept/worktrees/w\n").unwrap();
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        for work in ["plain/src", "tree"] {
            let change = head_change(&folder.path().join(work), at(200)).unwrap();
            assert_eq!((change.from.as_str(), change.to.as_str()), ("1111", "3333"));
            assert_eq!(change.events, ["commit: two", "checkout: moving from main to x"]);
            assert_eq!(head_change(&folder.path().join(work), at(301)), None);
        }
        assert_eq!(head_change(folder.path(), at(0)), None);
    }
}
