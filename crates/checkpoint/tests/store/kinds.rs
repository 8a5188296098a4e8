//! Every kind of file, name and folder.

use crate::project::{Project, paths};
use attache_checkpoint::{Entry, NotKeptReason, RootError, Roots, SpecialKind, TreePath};
use std::ffi::{CString, OsStr};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

fn path(relative: impl Into<Vec<u8>>) -> TreePath {
    TreePath::new(0, relative)
}

#[test]
fn a_tree_has_files_links_folders_and_their_permissions() {
    let project = Project::new();
    project.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(project.root().join("run.sh"), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(project.root().join("empty/inner")).unwrap();
    symlink("/nowhere/at all", project.root().join("link")).unwrap();
    project.write("one", "same");
    fs::hard_link(project.root().join("one"), project.root().join("two")).unwrap();
    let summary = project.take();
    assert!(summary.complete, "{summary:?}");
    let tree = project.tree(summary.id);
    assert_eq!(paths(&tree), ["empty", "empty/inner", "link", "one", "run.sh", "two"]);
    assert!(matches!(tree.get(&path("run.sh")), Some(Entry::File { mode: 0o755, size: 10, .. })));
    assert_eq!(tree.get(&path("link")), Some(&Entry::Link { target: b"/nowhere/at all".to_vec() }));
    assert_eq!(tree.get(&path("one")), tree.get(&path("two")));
    assert_eq!(project.text(summary.id, "two").unwrap(), b"same");
    assert_eq!(project.store.usage().unwrap().contents, 2);
}

#[test]
fn names_may_be_any_bytes_and_differ_in_case_only() {
    let project = Project::new();
    for name in [b"caf\xe9".as_slice(), b"new\nline", b"a", b"A", b"a-b", b"a.b"] {
        fs::write(project.root().join(OsStr::from_bytes(name)), name).unwrap();
    }
    project.write("folder/x", "1");
    let tree = project.tree(project.take().id);
    assert_eq!(tree.len(), 8);
    for name in [b"caf\xe9".as_slice(), b"new\nline", b"A", b"a-b"] {
        assert!(tree.get(&path(name)).is_some(), "{}", path(name));
    }
}

#[test]
fn pipes_and_sockets_are_listed_and_never_opened() {
    let project = Project::new();
    let pipe = CString::new(project.root().join("pipe").as_os_str().as_bytes()).unwrap();
    // SAFETY: the name ends with a zero and lives through the call.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    let _socket = UnixListener::bind(project.root().join("socket")).unwrap();
    let summary = project.take();
    assert!(summary.complete);
    assert_eq!(summary.not_kept_count, 2);
    let tree = project.tree(summary.id);
    let kinds = [("pipe", SpecialKind::Pipe), ("socket", SpecialKind::Socket)];
    for (name, kind) in kinds {
        assert_eq!(tree.get(&path(name)), Some(&Entry::Special { kind }));
    }
}

#[test]
fn deep_and_wide_folders_are_kept() {
    let project = Project::new();
    project.write(&format!("{}leaf", "d/".repeat(900)), "deep");
    for number in 0..3000 {
        project.write(&format!("wide/{number}"), format!("{}", number % 7));
    }
    let summary = project.take();
    assert!(summary.complete);
    assert_eq!(summary.files, 900 + 1 + 1 + 3000);
    assert_eq!(project.text(summary.id, &format!("{}leaf", "d/".repeat(900))).unwrap(), b"deep");
    assert_eq!(project.store.usage().unwrap().contents, 8);
}

#[test]
fn an_unreadable_folder_is_listed_and_makes_the_checkpoint_incomplete() {
    // Nothing is unreadable for the administrator.
    // SAFETY: this call only returns a number.
    if unsafe { libc::geteuid() } == 0 {
        return;
    }
    let project = Project::new();
    project.write("closed/file", "x");
    fs::set_permissions(project.root().join("closed"), Permissions::from_mode(0o0)).unwrap();
    let summary = project.take();
    fs::set_permissions(project.root().join("closed"), Permissions::from_mode(0o700)).unwrap();
    assert!(!summary.complete);
    assert_eq!(summary.not_kept[0].why, NotKeptReason::Unreadable);
    assert!(project.tree(summary.id).is_unknown(&path("closed/file")));
}

#[test]
fn another_file_system_is_not_entered() {
    let project = Project::new();
    project.write("file", "x");
    let roots = Roots::new(["/proc"]).unwrap();
    let label = attache_checkpoint::Label::new("s", attache_checkpoint::Reason::Asked);
    // A root of the kernel's files is bounded by time and by what can be read.
    let budget = attache_checkpoint::Budget::lasting(std::time::Duration::from_millis(300));
    let summary = project.store.take(&roots, &label, &budget).unwrap();
    assert!(!summary.complete);
}

#[test]
fn folders_that_are_too_wide_are_refused_in_every_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    let home = fs::canonicalize(std::env::var_os("HOME").unwrap()).unwrap();
    symlink(&home, &link).unwrap();
    let refused = |path: &std::path::Path| Roots::new([path]).unwrap_err();
    assert!(matches!(refused("/".as_ref()), RootError::WholeSystem { .. }));
    assert!(matches!(refused("/tmp/..".as_ref()), RootError::WholeSystem { .. }));
    assert!(matches!(refused(&home), RootError::Home { .. }));
    assert!(matches!(refused(&link), RootError::Home { .. }));
    if home.parent().is_some_and(|above| above.parent().is_some()) {
        assert!(matches!(refused(home.parent().unwrap()), RootError::AboveHome { .. }));
    }
    assert!(matches!(refused(&folder.path().join("none")), RootError::NotFound { .. }));
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(refused(&folder.path().join("file")), RootError::NotAFolder { .. }));
    assert!(refused("/".as_ref()).to_string().contains("whole file system"));
}

#[test]
fn several_roots_are_sorted_and_inner_ones_belong_to_the_outer() {
    let project = Project::new();
    project.write("a/file", "1");
    project.write("b/inner/file", "2");
    let at = |name: &str| project.root().join(name);
    let roots = Roots::new([at("b"), at("b/inner"), at("a"), at("b")]).unwrap();
    assert_eq!(roots.paths().len(), 2);
    let label = attache_checkpoint::Label::new("s", attache_checkpoint::Reason::Asked);
    let summary = project.store.take(&roots, &label, &crate::project::long()).unwrap();
    let tree = project.tree(summary.id);
    assert!(tree.get(&TreePath::new(0, "file")).is_some());
    assert!(tree.get(&TreePath::new(1, "inner/file")).is_some());
    assert_eq!(summary.roots, roots.paths());
}

#[test]
fn the_store_is_never_part_of_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    let store = folder.path().join("state/store");
    let store = attache_checkpoint::Store::open(&store, Default::default()).unwrap();
    let roots = Roots::new([folder.path()]).unwrap();
    let label = attache_checkpoint::Label::new("s", attache_checkpoint::Reason::Asked);
    let summary = store.take(&roots, &label, &crate::project::long()).unwrap();
    assert_eq!(paths(&store.tree(summary.id).unwrap()), ["file", "state"]);
}
