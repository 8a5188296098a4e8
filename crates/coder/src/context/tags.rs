//! The tags of a session: the project and its branch.

use crate::session::memory::Memory;
use attache_agent::{Error, Result, Turn};
use std::path::{Path, PathBuf};

/// The prefix of the tag for the project.
const PROJECT: &str = "project:";

/// The prefix of the tag for the branch.
const BRANCH: &str = "branch:";

/// The maximum size of a Git file to read, in bytes.
const MAX_SIZE: u64 = 4096;

/// Adds the project and the branch to the session's metadata, if they are not there yet.
pub(crate) async fn tag_session(memory: &mut Memory, turn: &Turn) -> Result<()> {
    let cwd = memory.folders.cwd().to_owned();
    let lookup = tokio::task::spawn_blocking(move || tags(&cwd));
    let tags = tokio::select! {
        biased;
        () = turn.cancelled() => return Err(Error::Cancelled),
        tags = lookup => tags,
    };
    // An error does not matter, because a session works without tags.
    let Ok(tags) = tags else { return Ok(()) };
    let mut labels = memory.labels.clone();
    labels.tags.retain(|tag| !tag.starts_with(PROJECT) && !tag.starts_with(BRANCH));
    labels.tags.splice(0..0, tags);
    let labels = labels.normalised();
    if labels == memory.labels {
        return Ok(());
    }
    memory.labels = labels.clone();
    turn.labels(labels).await
}

/// The tags of a working directory. Blocks on disk I/O.
fn tags(cwd: &Path) -> Vec<String> {
    let project = cwd.file_name().map(|name| format!("{PROJECT}{}", name.to_string_lossy()));
    let branch = branch(cwd).map(|branch| format!("{BRANCH}{branch}"));
    project.into_iter().chain(branch).collect()
}

/// The current branch in `folder`, or `None` outside a repository or if no branch is checked out.
fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let head = start_of(&repository(&git)?.join("HEAD"))?;
    let branch = head.trim().strip_prefix("ref: refs/heads/")?;
    (!branch.is_empty()).then(|| branch.to_owned())
}

/// The Git folder: `.git`, or in a worktree or a submodule, the folder that the file `.git` names.
fn repository(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let named = start_of(git)?;
    let named = named.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(named))
}

/// The beginning of a file, or `None` if it is not a regular file.
fn start_of(path: &Path) -> Option<String> {
    attache_host::read_plain_text(path, MAX_SIZE).ok()
}

#[cfg(test)]
mod tests {
    use super::tags;
    use std::fs;

    #[test]
    fn tags_name_the_project_and_the_branch() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("grid");
        fs::create_dir_all(project.join("src")).unwrap();
        assert_eq!(tags(&project), ["project:grid"]);
        fs::create_dir(project.join(".git")).unwrap();
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/fix/größe\n").unwrap();
        assert_eq!(tags(&project), ["project:grid", "branch:fix/größe"]);
        assert_eq!(tags(&project.join("src")), ["project:src", "branch:fix/größe"]);
        // No branch is checked out.
        fs::write(project.join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(tags(&project), ["project:grid"]);
        fs::remove_file(project.join(".git/HEAD")).unwrap();
        assert_eq!(tags(&project), ["project:grid"]);
    }

    #[test]
    fn worktree_has_its_own_branch() {
        let folder = tempfile::tempdir().unwrap();
        let (worktree, git) =
            (folder.path().join("tree"), folder.path().join("main/.git/worktrees/tree"));
        fs::create_dir_all(&worktree).unwrap();
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/other\n").unwrap();
        for named in [git.display().to_string(), "../main/.git/worktrees/tree".to_owned()] {
            fs::write(worktree.join(".git"), format!("gitdir: {named}\n")).unwrap();
            assert_eq!(tags(&worktree), ["project:tree", "branch:other"]);
        }
        fs::write(worktree.join(".git"), "nonsense").unwrap();
        assert_eq!(tags(&worktree), ["project:tree"]);
    }
}
