//! Moves and removes files inside the roots.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use attache_host::Roots;
use tempfile::TempDir;

fn project() -> (TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    let none: [&Path; 0] = [];
    let roots = Roots::new(folder.path(), none).unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for file in ["a", "b", "folder/c"] {
        fs::write(folder.path().join(file), file).unwrap();
    }
    symlink("a", folder.path().join("link")).unwrap();
    symlink("none", folder.path().join("dangling")).unwrap();
    symlink("folder", folder.path().join("way")).unwrap();
    (folder, roots)
}

fn reason<T: std::fmt::Debug>(result: Result<T, attache_host::FileError>) -> String {
    format!("{:?}", result.unwrap_err().reason())
}

#[test]
fn a_file_is_moved_with_its_permissions_and_folders_are_made() {
    let (folder, roots) = project();
    fs::set_permissions(folder.path().join("a"), Permissions::from_mode(0o751)).unwrap();
    roots.move_file("a", "new/below/a").unwrap();
    let moved = folder.path().join("new/below/a");
    assert_eq!(fs::read_to_string(&moved).unwrap(), "a");
    assert_eq!(moved.metadata().unwrap().permissions().mode() & 0o777, 0o751);
    assert!(!folder.path().join("a").exists());
    roots.move_file("way/c", "c").unwrap();
    assert!(!folder.path().join("folder/c").exists(), "a link on the way is followed");
}

#[test]
fn a_move_replaces_nothing_and_moves_files_only() {
    let (folder, roots) = project();
    for (from, to, expected) in [
        ("a", "b", "Exists"),
        ("a", "a", "Exists"),
        ("a", "folder", "Exists"),
        ("a", "folder/", "Folder"),
        ("a", "new/", "Folder"),
        ("a", ".", "Folder"),
        ("a", "link", "Link"),
        ("a", "dangling", "Link"),
        ("link", "new", "Link"),
        ("dangling", "new", "Link"),
        ("folder", "new", "Folder"),
        ("none", "new", "NotFound"),
        ("a", "b/below", "NotAFolder"),
        (".", "new", "Folder"),
    ] {
        assert_eq!(reason(roots.move_file(from, to)), expected, "{from} to {to}");
    }
    assert!(reason(roots.move_file("a", "../new")).starts_with("Outside"));
    assert!(reason(roots.move_file("/etc/passwd", "new")).starts_with("Outside"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
    assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "b");
}

#[test]
fn only_files_and_empty_folders_are_removed_and_never_a_root() {
    let (folder, roots) = project();
    assert_eq!(reason(roots.remove_file("folder")), "Folder");
    assert_eq!(reason(roots.remove_file("link")), "Link");
    assert_eq!(reason(roots.remove_file("none")), "NotFound");
    assert_eq!(reason(roots.remove_folder("folder")), "NotEmpty");
    assert_eq!(reason(roots.remove_folder("way")), "Link");
    assert_eq!(reason(roots.remove_folder("a")), "NotAFolder");
    assert_eq!(reason(roots.remove_folder(".")), "Folder");
    roots.remove_file("way/c").unwrap();
    roots.remove_folder("folder").unwrap();
    assert!(!folder.path().join("folder").exists() && folder.path().join("a").exists());
    roots.make_folder("folder/below").unwrap();
    roots.make_folder("folder/below").unwrap();
    assert!(folder.path().join("folder/below").is_dir());
    assert_eq!(reason(roots.make_folder("a")), "NotAFolder");
}

#[test]
fn a_name_that_is_too_long_is_reported() {
    let (_folder, roots) = project();
    let long = "x".repeat(256);
    for error in [
        roots.write(&long, "").unwrap_err(),
        roots.move_file("a", format!("new/{long}")).unwrap_err(),
    ] {
        assert!(error.to_string().contains("is too long: give a shorter one"), "{error}");
    }
    roots.move_file("a", "y".repeat(255)).unwrap();
}

/// A resolved path never leads to a link that was created later.
#[test]
fn a_resolved_path_is_not_followed_through_a_new_link() {
    let (folder, roots) = project();
    let resolved = |path: &str| roots.resolve(path).unwrap();
    let (there, new, free) = (resolved("folder/c"), resolved("folder/new"), resolved("other/c"));
    assert_eq!(there.read(9).unwrap(), b"folder/c");
    roots.check_unchanged(&there).unwrap();
    fs::rename(folder.path().join("folder"), folder.path().join("aside")).unwrap();
    fs::create_dir(folder.path().join("beside")).unwrap();
    fs::write(folder.path().join("beside/c"), "beside").unwrap();
    symlink("beside", folder.path().join("folder")).unwrap();
    for done in [
        reason(roots.check_unchanged(&there)),
        reason(there.open_read()),
        reason(there.read(9)),
        reason(there.write("x")),
        reason(there.remove_file()),
        reason(there.remove_folder()),
        reason(there.move_to(&free)),
        reason(new.write("x")),
        reason(new.make_folder()),
        reason(resolved("a").move_to(&new)),
    ] {
        assert_eq!(done, "Changed");
    }
    let left: Vec<_> = fs::read_dir(folder.path().join("beside")).unwrap().flatten().collect();
    assert_eq!((left.len(), fs::read_to_string(left[0].path()).unwrap()), (1, "beside".to_owned()));
    assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "a");
}
