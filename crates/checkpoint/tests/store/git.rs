//! Repositories: their data is never touched, and not needed.

use crate::project::{Project, paths};
use attache_checkpoint::{Entry, NotKeptReason, TreePath};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.email=a@b", "-c", "user.name=a", "-c", "protocol.file.allow=always"]);
    let output = command
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn files(folder: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    found
}

#[test]
fn a_checkpoint_needs_no_git_data_and_changes_none() {
    let project = Project::new();
    git(&project.root(), &["init", "-q", "-b", "main"]);
    let hook = "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n";
    for name in ["pre-commit", "post-index-change", "reference-transaction"] {
        project.write(&format!(".git/hooks/{name}.sample"), hook);
    }
    project.write("committed", "1\n");
    git(&project.root(), &["add", "."]);
    git(&project.root(), &["commit", "-qm", "first"]);
    project.write("staged", "2\n");
    git(&project.root(), &["add", "."]);
    project.write("committed", "changed\n");
    project.write("stashed", "3\n");
    // A filter and line endings: the bytes are kept as they are on the disk.
    project.write(".gitattributes", "*.big filter=lfs\n* text=auto eol=crlf\n");
    git(&project.root(), &["config", "filter.lfs.clean", "false"]);
    git(&project.root(), &["config", "filter.lfs.required", "true"]);
    project.write("model.big", "large\r\nbytes\n");
    let before = files(&project.root().join(".git"));
    let summary = project.take();
    assert!(summary.complete);
    assert_eq!(files(&project.root().join(".git")), before);
    git(&project.root(), &["gc", "-q", "--prune=now"]);
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    let expected = [".gitattributes", "committed", "model.big", "staged", "stashed"];
    assert_eq!(paths(&project.tree(summary.id)), expected);
    assert_eq!(project.text(summary.id, "committed").unwrap(), b"changed\n");
    assert_eq!(project.text(summary.id, "model.big").unwrap(), b"large\r\nbytes\n");
    assert_eq!(project.take().changed, 0);
}

#[test]
fn submodules_nested_repositories_and_worktrees_are_folders_like_others() {
    let project = Project::new();
    let other = project.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "-q", "-b", "main"]);
    fs::write(other.join("lib.c"), "int x;\n").unwrap();
    git(&other, &["add", "."]);
    git(&other, &["commit", "-qm", "first"]);
    git(&project.root(), &["init", "-q", "-b", "main"]);
    git(&project.root(), &["submodule", "add", "-q", other.to_str().unwrap(), "sub"]);
    git(&project.root(), &["commit", "-qm", "first"]);
    git(&project.root(), &["worktree", "add", "-q", "tree"]);
    project.write(".gitignore", "*.log\n");
    project.write("a.log", "ignored");
    fs::create_dir(project.root().join("nested")).unwrap();
    git(&project.root().join("nested"), &["init", "-q"]);
    project.write("nested/b.log", "not ignored here");
    let tree = project.tree(project.take().id);
    let all = paths(&tree);
    for path in ["sub/lib.c", "nested/b.log", "tree/.gitmodules", ".gitmodules"] {
        assert!(all.contains(&path.to_owned()), "{path}: {all:?}");
    }
    assert!(!all.iter().any(|path| path.split('/').any(|name| name == ".git")), "{all:?}");
}

#[test]
fn ignored_files_are_named_but_not_kept_and_counted_once() {
    let project = Project::new();
    project.write(".gitignore", "target/\n*.o\n!keep.o\n");
    project.write("target/debug/binary", "x");
    project.write("a.o", "x");
    project.write("keep.o", "x");
    project.write("src/.gitignore", "/local\n");
    project.write("src/local", "x");
    project.write("src/inner/local", "kept");
    let summary = project.take();
    assert!(summary.complete && summary.not_kept.is_empty(), "{summary:?}");
    assert_eq!(summary.ignored, 3);
    let tree = project.tree(summary.id);
    let why = NotKeptReason::Ignored;
    let at = |path: &str| tree.get(&TreePath::new(0, path)).cloned();
    assert_eq!(at("target"), Some(Entry::FolderNotKept { why }));
    assert_eq!(at("a.o"), Some(Entry::Unknown { why }));
    assert_eq!(at("src/local"), Some(Entry::Unknown { why }));
    assert!(matches!(at("keep.o"), Some(Entry::File { .. })));
    assert!(matches!(at("src/inner/local"), Some(Entry::File { .. })));
    assert!(tree.is_unknown(&TreePath::new(0, "target/debug/binary")));
    // Other rules apply at once, also to names that the cache knows.
    project.write(".gitignore", "keep.o\n");
    let tree = project.tree(project.take().id);
    assert_eq!(tree.get(&TreePath::new(0, "keep.o")), Some(&Entry::Unknown { why }));
    assert!(matches!(tree.get(&TreePath::new(0, "a.o")), Some(Entry::File { .. })));
    assert!(tree.get(&TreePath::new(0, "target/debug/binary")).is_some());
}

#[test]
fn a_root_inside_a_repository_obeys_the_rules_above_it() {
    let project = Project::new();
    git(&project.root(), &["init", "-q"]);
    project.write(".gitignore", "/part/out/\n*.tmp\n");
    project.write(".git/info/exclude", "private\n");
    for path in ["part/out/x", "part/a.tmp", "part/private", "part/kept"] {
        project.write(path, "x");
    }
    let roots = attache_checkpoint::Roots::new([project.root().join("part")]).unwrap();
    let label = attache_checkpoint::Label::new("s", attache_checkpoint::Reason::Asked);
    let summary = project.store.take(&roots, &label, &crate::project::long()).unwrap();
    assert_eq!((summary.files, summary.ignored), (1, 3));
}
