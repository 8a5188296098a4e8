//! The copy of the workspace that contains the mutations.

use crate::{Problem, place};
use attache_mutations::Mutation;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The module that is added to every mutated crate. Its function tells whether a mutation is
/// enabled.
const MODULE: &str = r#"//! The enabled mutation.

pub(crate) fn is(name: &str) -> bool {
    static ON: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ON.get_or_init(|| std::env::var("ATTACHE_MUTATION").unwrap_or_default()) == name
}
"#;

/// Copies the workspace at `root` to `copy` and adds the mutations. Writes only files that have
/// changed, so that Cargo rebuilds only changed crates. Reports mutations that cannot be applied.
pub(crate) fn copy(
    root: &Path,
    copy: &Path,
    mutations: &'static [Mutation],
) -> Result<Vec<Problem>, String> {
    let mut files = BTreeMap::new();
    read(root, Path::new(""), &mut files)
        .map_err(|error| format!("cannot read the workspace: {error}"))?;
    let problems = mutate(&mut files, mutations);
    for (path, text) in &files {
        let path = copy.join(path);
        if fs::read(&path).is_ok_and(|there| there == *text) {
            continue;
        }
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    remove_others(copy, Path::new(""), &files)
        .map_err(|error| format!("cannot remove old files from {}: {error}", copy.display()))?;
    Ok(problems)
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the paths of the files below `root`, relative to it. Leaves out hidden files, builds and
/// nested workspaces.
fn read(root: &Path, folder: &Path, files: &mut Files) -> io::Result<()> {
    const OTHERS: [&str; 4] = ["target", "interop", "fuzz", "node_modules"];
    let here = root.join(folder);
    if here.join("CACHEDIR.TAG").exists() {
        return Ok(());
    }
    for entry in fs::read_dir(here)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = folder.join(&name);
        if name.as_encoded_bytes().starts_with(b".") || OTHERS.iter().any(|other| name == *other) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            read(root, &path, files)?;
        } else {
            files.insert(path, fs::read(entry.path())?);
        }
    }
    Ok(())
}

/// Removes files that the workspace no longer contains from the copy. Otherwise Cargo would still
/// build a stale test target.
fn remove_others(copy: &Path, folder: &Path, files: &Files) -> io::Result<()> {
    for entry in fs::read_dir(copy.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            remove_others(copy, &path, files)?;
        } else if !files.contains_key(&path) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Adds every mutation to its file, and the module that tells which mutation is enabled to its
/// crate.
fn mutate(files: &mut Files, mutations: &'static [Mutation]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut by_file: BTreeMap<&str, Vec<&'static Mutation>> = BTreeMap::new();
    for mutation in mutations {
        by_file.entry(mutation.file).or_default().push(mutation);
    }
    let mut crates = BTreeSet::new();
    for (file, mutations) in by_file {
        let text = files.get(Path::new(file)).and_then(|bytes| str::from_utf8(bytes).ok());
        let (Some(text), Some((folder, _))) = (text, file.split_once("/src/")) else {
            let what = format!("there is no source file {file}");
            problems.extend(
                mutations
                    .iter()
                    .map(|mutation| Problem { mutation: mutation.name, what: what.clone() }),
            );
            continue;
        };
        let text = place::with_branches(text, &mutations, &mut problems);
        files.insert(file.into(), text.into_bytes());
        crates.insert(folder);
    }
    for folder in crates {
        let source = Path::new(folder).join("src");
        files.insert(source.join("mutation.rs"), MODULE.into());
        for root in ["lib.rs", "main.rs"] {
            if let Some(text) = files.get_mut(&source.join(root)) {
                // The branches contain unusual parentheses and blocks, which cause warnings.
                let inner =
                    [b"#![allow(warnings)]\n", text.as_slice(), b"\nmod mutation;\n"].concat();
                *text = inner;
                break;
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::copy;
    use std::fs;

    #[test]
    fn the_copy_matches_the_workspace() {
        let (root, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for path in [
            "a.txt",
            "crates/x/src/lib.rs",
            ".git/config",
            "target/x",
            "build/CACHEDIR.TAG",
            "build/b",
        ] {
            write(path, path);
        }
        copy(root.path(), to.path(), &[]).unwrap();
        let there = |path: &str| fs::read_to_string(to.path().join(path)).ok();
        assert_eq!(there("crates/x/src/lib.rs").as_deref(), Some("crates/x/src/lib.rs"));
        for path in [".git/config", "target/x", "build/b"] {
            assert_eq!(there(path), None, "{path}");
        }
        let written = fs::metadata(to.path().join("a.txt")).unwrap().modified().unwrap();
        write("crates/x/src/lib.rs", "changed");
        write("new.txt", "");
        fs::remove_file(root.path().join("crates/x/src/lib.rs")).unwrap();
        copy(root.path(), to.path(), &[]).unwrap();
        assert_eq!((there("crates/x/src/lib.rs"), there("new.txt").as_deref()), (None, Some("")));
        assert_eq!(
            fs::metadata(to.path().join("a.txt")).unwrap().modified().unwrap(),
            written,
            "it was written again"
        );
    }
}
