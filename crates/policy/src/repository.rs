//! The parts of a repository's configuration that matter for git commands that only show something.

mod nested;

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The longest configuration that is read, in bytes. A longer one is assumed to name programs that
/// git runs.
const LONGEST: u64 = 256 * 1024;

/// Sections of a configuration, in lower case, that can name a program which git runs to find
/// changes, or another configuration file. For a command that only reads, the environment disables
/// the other programs that a configuration can name.
const PROGRAMS: &[&str] = &["[filter", "[include"];

/// Keys that name a program which git runs to show differences. These also match a part of a name.
const DIFF_PROGRAMS: &[&str] = &["command", "external", "textconv"];

/// Keys that name a program which git runs to show how it would merge. They must match a whole
/// name.
const MERGE_PROGRAMS: &[&str] = &["driver"];

/// Keys that name a program which git runs in a repository inside of another one. They must match a
/// whole name. Git resets the environment when it enters such a repository.
const NESTED_PROGRAMS: &[&str] = &[
    "alternaterefscommand",
    "command",
    "driver",
    "external",
    "fsmonitor",
    "hookspath",
    "pager",
    "showsignature",
    "sshcommand",
    "textconv",
];

/// How many levels of nested repositories are read.
const DEEPEST: usize = 8;

/// The largest number of nested repositories that are read.
const MOST: usize = 2_000;

/// Why a repository needs care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// The repository's configuration names programs that git runs, or cannot be judged.
    RunsPrograms,
    /// The repository's files are outside of the session's folders.
    FilesOutside,
}

/// Returns why git commands in this folder need care, or `None` if they do not. Inspects the
/// repository that git uses there, and the repositories inside of it that git enters. `differences`
/// says whether git shows differences. `inside` says whether a path is in the session's folders.
/// Blocks on the disk.
pub(crate) fn special(
    folder: &Path,
    differences: bool,
    inside: impl Fn(&Path) -> bool,
) -> Option<Special> {
    let (files, repository) =
        folder.ancestors().find_map(|folder| Some((folder, repository(folder)?)))?;
    let mut look = Look { differences, inside: &inside, left: MOST };
    look.repository(&repository, files, 0)
}

/// Inspects a repository and the repositories inside of it.
struct Look<'l> {
    differences: bool,
    inside: &'l dyn Fn(&Path) -> bool,
    /// The number of further repositories that may be read.
    left: usize,
}

impl Look<'_> {
    /// Inspects `repository`, whose work tree is `files`, nested `depth` levels deep in other
    /// repositories.
    fn repository(&mut self, repository: &Path, files: &Path, depth: usize) -> Option<Special> {
        self.left = self.left.saturating_sub(1);
        if depth > DEEPEST || self.left == 0 {
            return Some(Special::RunsPrograms);
        }
        let shared = std::fs::read_to_string(repository.join("commondir")).ok();
        let shared = shared.map(|text| repository.join(text.trim()));
        let mut roots = vec![files.to_owned()];
        let mut long_names = false;
        for folder in [Some(repository), shared.as_deref()].into_iter().flatten() {
            for file in [folder.join("config"), folder.join("config.worktree")] {
                let text = match read(&file) {
                    Ok(Some(text)) => text,
                    Ok(None) => continue,
                    Err(()) => return Some(Special::RunsPrograms),
                };
                if self.runs_programs(&text, depth > 0) {
                    return Some(Special::RunsPrograms);
                }
                let elsewhere: Vec<PathBuf> =
                    text.lines().filter_map(worktree).map(|path| repository.join(path)).collect();
                if elsewhere.iter().any(|path| !(self.inside)(path)) {
                    return Some(Special::FilesOutside);
                }
                roots.extend(elsewhere);
                long_names |= text.to_lowercase().contains("sha256");
            }
        }
        roots.iter().find_map(|files| self.inside_of(repository, files, long_names, depth))
    }

    /// Inspects the repositories inside of a repository.
    fn inside_of(
        &mut self,
        outer: &Path,
        files: &Path,
        long_names: bool,
        depth: usize,
    ) -> Option<Special> {
        let Ok(nested) = nested::nested(outer, files, long_names) else {
            return Some(Special::RunsPrograms);
        };
        nested.into_iter().find_map(|files| {
            let repository = repository(&files)?;
            self.repository(&repository, &files, depth + 1)
        })
    }

    fn runs_programs(&self, text: &str, nested: bool) -> bool {
        // Git drops quotes and escaped line ends, which may split a word.
        let bare = text.replace("\\\r\n", "").replace("\\\n", "").replace('"', "");
        let small = bare.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
        let names =
            |words: &[&str]| small.lines().flat_map(names).any(|name| words.contains(&name));
        let differences = || bare.contains("%G") || has(DIFF_PROGRAMS) || names(MERGE_PROGRAMS);
        match nested {
            true => has(PROGRAMS) || bare.contains("%G") || names(NESTED_PROGRAMS),
            false => has(PROGRAMS) || (self.differences && differences()),
        }
    }
}

/// The names that a line of a configuration sets, and possibly other words.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split('=').map(|name| name.rsplit(']').next().unwrap_or(name).trim())
}

/// The repository of this folder: `.git`, or the folder that a file named `.git` points to.
fn repository(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(".git");
    if own.is_dir() {
        return Some(own);
    }
    if !own.is_file() {
        // A bare repository. Commands run with a git setting that ignores bare repositories, but
        // the configuration of this one may differ from that of the repository above it.
        return None;
    }
    let text = read(&own).ok().flatten()?;
    Some(folder.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

/// The work tree that a line of a configuration sets.
fn worktree(line: &str) -> Option<&str> {
    let (name, value) = line.rsplit_once('=')?;
    let name = name.rsplit(']').next().unwrap_or(name).trim();
    name.eq_ignore_ascii_case("worktree").then(|| value.trim().trim_matches('"'))
}

/// The text of a file; `None` if it does not exist, and an error if it cannot be judged.
fn read(file: &Path) -> Result<Option<String>, ()> {
    let found = match file.metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err(()),
    };
    if !found.is_file() || found.len() > LONGEST {
        return Err(());
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).map_err(|_| ())?;
    opened.take(LONGEST).read_to_end(&mut bytes).map_err(|_| ())?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests;
