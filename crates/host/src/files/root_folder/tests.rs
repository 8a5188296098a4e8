//! Tests of entries beneath a folder.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{EntryKind, Replace, RootFolder};

fn new_entry<'a>() -> Replace<'a> {
    Replace { draft: OsStr::new(".draft"), expected: None }
}

/// A folder with `root/deep/file` and `outside/file`.
fn folders() -> (tempfile::TempDir, RootFolder) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    for parent in ["root/deep", "outside"] {
        fs::create_dir_all(base.join(parent)).unwrap();
        fs::write(base.join(parent).join("file"), parent).unwrap();
    }
    let root = RootFolder::open(&base.join("root")).unwrap();
    (folder, root)
}

#[test]
fn a_link_on_the_way_is_never_followed() {
    let (folder, root) = folders();
    symlink("../outside", root.path().join("way")).unwrap();
    let file = Path::new("way/file");
    assert_eq!(root.entry(file).unwrap(), None);
    assert!(root.read(file, 100).is_err());
    assert!(root.put_file(Path::new("way/new"), b"x", 0o644, new_entry()).is_err());
    assert!(root.put_file(Path::new("way/a/new"), b"x", 0o644, new_entry()).is_err());
    assert!(root.make_folder(Path::new("way/new"), 0o755).is_err());
    assert!(root.names(Path::new("way"), 10).is_err());
    assert_eq!(fs::read_dir(folder.path().join("outside")).unwrap().count(), 1);
    for path in ["../outside/file", "/etc/passwd", "", "deep/../deep/file"] {
        assert!(root.read(Path::new(path), 100).is_err(), "{path}");
    }
}

#[test]
fn a_link_at_the_end_is_the_link_itself() {
    let (folder, root) = folders();
    let way = Path::new("deep/way");
    root.put_link(way, OsStr::new("../../outside/file"), new_entry()).unwrap();
    let found = root.entry(way).unwrap().unwrap();
    assert_eq!(found.kind, EntryKind::Link);
    assert_eq!(root.read_link(way).unwrap(), "../../outside/file");
    assert!(root.read(way, 100).is_err());
    assert!(root.set_mode(way, 0o777, &found).is_err());
    let replace = Replace { expected: Some(&found), ..new_entry() };
    root.put_file(way, b"own", 0o4755, replace).unwrap();
    let mode = fs::metadata(root.path().join(way)).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755, "the bit for another user is never set");
    assert_eq!(fs::read(folder.path().join("outside/file")).unwrap(), b"outside");
}

#[test]
fn an_entry_that_changed_is_neither_replaced_nor_removed() {
    let (_folder, root) = folders();
    let file = Path::new("deep/file");
    let (content, found) = root.read(file, 100).unwrap();
    assert_eq!(content, b"root/deep");
    fs::write(root.path().join(file), "other").unwrap();
    let replace = Replace { expected: Some(&found), ..new_entry() };
    assert!(root.put_file(file, b"new", 0o644, replace).is_err());
    assert!(root.put_file(file, b"new", 0o644, new_entry()).is_err());
    assert!(root.remove(file, &found).is_err());
    assert!(root.set_mode(file, 0o600, &found).is_err());
    assert_eq!(fs::read(root.path().join(file)).unwrap(), b"other");
    assert_eq!(root.names(Path::new("deep"), 10).unwrap(), ["file"], "no draft is left");
    let found = root.entry(file).unwrap().unwrap();
    root.remove(file, &found).unwrap();
    assert_eq!(root.entry(file).unwrap(), None);
    root.remove_folder(Path::new("deep")).unwrap();
}

#[test]
fn permissions_of_a_file_with_other_links_are_not_set() {
    let (folder, root) = folders();
    let (outside, linked) = (folder.path().join("outside/file"), Path::new("linked"));
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o600)).unwrap();
    fs::hard_link(&outside, root.path().join(linked)).unwrap();
    let found = root.entry(linked).unwrap().unwrap();
    assert!(root.set_mode(linked, 0o777, &found).is_err());
    assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o600);
    let deep = Path::new("deep");
    let found = root.entry(deep).unwrap().unwrap();
    root.set_mode(deep, 0o700, &found).unwrap();
    assert_eq!(root.entry(deep).unwrap().unwrap().mode, 0o700);
}

#[test]
fn a_limit_and_a_used_name_are_errors() {
    let (_folder, root) = folders();
    let error = root.read(Path::new("deep/file"), 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    let error = root.make_folder(Path::new("deep"), 0o755).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(root.remove_folder(Path::new("deep")).is_err(), "it is not empty");
    root.make_folder(Path::new("a/b"), 0o700).unwrap();
    assert_eq!(root.entry(Path::new("a/b")).unwrap().unwrap().mode, 0o700);
}

#[test]
fn locked_files_are_recognized() {
    let (_folder, root) = folders();
    let file = Path::new("deep/file");
    assert!(!root.is_locked(file));
    let locked = fs::File::open(root.path().join(file)).unwrap();
    locked.lock().unwrap();
    assert!(root.is_locked(file));
    drop(locked);
    assert!(!root.is_locked(file));
}
