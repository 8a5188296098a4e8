//! The parts of a repository's configuration that matter while git only shows something.

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// How much of a configuration is read, in bytes. A longer one counts as one that runs programs.
const LONGEST: u64 = 256 * 1024;

/// Words of a configuration, in small letters, behind which stands a program that git runs to see what changed. The environment of a command
/// that only reads takes the other programs away.
const PROGRAMS: &[&str] = &["[filter", "[include"];

/// The same for git when it shows differences.
const DIFF_PROGRAMS: &[&str] = &["command", "external", "textconv"];

/// What is special about the repository of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    /// Its configuration names programs that git runs, or cannot be judged.
    RunsPrograms,
    /// Its files are elsewhere than in the session's folders.
    FilesOutside,
}

/// What is special about the repository that git uses in this folder, perhaps to show differences. `inside` says whether a path lies in the session's folders. Blocks on
/// the disk.
pub(crate) fn special(folder: &Path, differences: bool, inside: impl Fn(&Path) -> bool) -> Option<Special> {
    let repository = folder.ancestors().find_map(repository)?;
    let shared = std::fs::read_to_string(repository.join("commondir")).ok();
    let shared = shared.map(|text| repository.join(text.trim()));
    let files = [Some(&repository), shared.as_ref()].into_iter().flatten();
    files.flat_map(|folder| [folder.join("config"), folder.join("config.worktree")]).find_map(|file| {
        let text = match read(&file) {
            Ok(Some(text)) => text,
            Ok(None) => return None,
            Err(()) => return Some(Special::RunsPrograms),
        };
        let small = text.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
        if has(PROGRAMS) || (differences && (text.contains("%G") || has(DIFF_PROGRAMS))) {
            return Some(Special::RunsPrograms);
        }
        let elsewhere = text.lines().filter_map(worktree).any(|path| !inside(&repository.join(path)));
        elsewhere.then_some(Special::FilesOutside)
    })
}

/// The folder of the repository that begins here: `.git`, or what a file of this name leads to.
fn repository(folder: &Path) -> Option<PathBuf> {
    let own = folder.join(".git");
    if own.is_dir() {
        return Some(own);
    }
    if !own.is_file() {
        // A bare repository: git gets told to pass it over, but its configuration may say something else of what is above.
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
mod tests {
    use super::{Special, special};
    use std::path::Path;

    #[test]
    fn a_repository_that_runs_programs_or_has_its_files_elsewhere_is_special() {
        for (config, wanted) in [
            ("[core]\n\tbare = false\n", None),
            ("[core]\n\tfsmonitor = evil\n\tpager = evil\n", None),
            ("[diff \"x\"]\n\tTextConv = evil\n", Some(Special::RunsPrograms)),
            ("[diff]\n\texternal = evil\n", Some(Special::RunsPrograms)),
            ("[diff \"x\"]\n\tcommand = evil\n", Some(Special::RunsPrograms)),
            ("[filter \"x\"]\n\tclean = evil\n", Some(Special::RunsPrograms)),
            ("[include]\n\tpath = ../x\n", Some(Special::RunsPrograms)),
            ("[format]\n\tpretty = %G?\n", Some(Special::RunsPrograms)),
            ("[core]\n\tworktree = ..\n", None),
            ("[core] worktree=/etc\n", Some(Special::FilesOutside)),
            ("[core]\n\tworktree = \"../../..\"\n", Some(Special::FilesOutside)),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("project");
            std::fs::create_dir_all(root.join("lib/.git")).unwrap();
            std::fs::create_dir_all(root.join("lib/src")).unwrap();
            std::fs::write(root.join("lib/.git/config"), config).unwrap();
            let inside = |path: &Path| path.canonicalize().is_ok_and(|path| path.starts_with(&root));
            assert_eq!(special(&root.join("lib/src"), true, inside), wanted, "{config}");
            let alone = wanted.filter(|_| !config.contains("[diff") && !config.contains("%G"));
            assert_eq!(special(&root.join("lib/src"), false, inside), alone, "{config}");
            assert_eq!(special(&root, true, inside), None);
        }
    }
}
