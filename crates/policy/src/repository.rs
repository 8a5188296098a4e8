//! The parts of a repository's configuration that matter while git only shows something.

mod nested;

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How much of a configuration is read, in bytes. A longer one counts as one that runs programs.
const LONGEST: u64 = 256 * 1024;

/// Words of a configuration, in small letters, behind which stands a program that git runs to see
/// what changed. The environment of a command that only reads takes the other programs away.
const PROGRAMS: &[&str] = &["[filter", "[include"];

/// The same for git when it shows differences.
const DIFF_PROGRAMS: &[&str] = &["command", "external", "textconv"];

/// The same, where a whole name must fit: when git shows how it would merge.
const MERGE_PROGRAMS: &[&str] = &["driver"];

/// The whole names for a repository inside of another: git takes the environment away when it
/// enters it.
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

/// How deep repositories may lie in each other.
const DEEPEST: usize = 8;

/// How many repositories may lie in one.
const MOST: usize = 2_000;

/// What is special about the repository of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// Its configuration names programs that git runs, or cannot be judged.
    RunsPrograms,
    /// Its files are elsewhere than in the session's folders.
    FilesOutside,
}

/// What is special about the repository that git uses in this folder, perhaps to show differences,
/// or about one inside of it that git enters. `inside` says whether a path lies in the session's
/// folders. Blocks on the disk.
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

/// A look at a repository and at those inside of it.
struct Look<'l> {
    differences: bool,
    inside: &'l dyn Fn(&Path) -> bool,
    /// How many more repositories may be looked at.
    left: usize,
}

impl Look<'_> {
    /// What is special about the repository with these files, `depth` levels inside of another.
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

    /// The same for the repositories inside of one.
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
        // Quotes and line ends that git drops may part a word.
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

/// The names to which a line of a configuration gives a value, and perhaps other words.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split('=').map(|name| name.rsplit(']').next().unwrap_or(name).trim())
}

/// The folder of the repository that begins here: `.git`, or what a file of this name leads to.
fn repository(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(".git");
    if own.is_dir() {
        return Some(own);
    }
    if !own.is_file() {
        // A bare repository: git gets told to pass it over, but its configuration may say something
        // else of what is above.
        return None;
    }
    let text = read(&own).ok().flatten()?;
    Some(folder.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

/// The folder that a line of a configuration names as that of the files.
fn worktree(line: &str) -> Option<&str> {
    let (name, value) = line.rsplit_once('=')?;
    let name = name.rsplit(']').next().unwrap_or(name).trim();
    name.eq_ignore_ascii_case("worktree").then(|| value.trim().trim_matches('"'))
}

/// The text of a file, if it is there and a regular one; an error if it cannot be judged.
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
