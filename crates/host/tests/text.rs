//! Reads and writes text inside the roots.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use attache_host::{READ_LIMIT, Reason, Roots};
use tempfile::TempDir;

fn project() -> (TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    let none: [&Path; 0] = [];
    let roots = Roots::new(folder.path(), none).unwrap();
    (folder, roots)
}

#[test]
fn lines_are_counted_from_one_and_past_the_end_the_text_is_empty() {
    let (_folder, roots) = project();
    roots.write("f", "1\n2\r\n3\n\n5").unwrap();
    let part = |line, limit| roots.read_text("f", line, limit).unwrap();
    for (line, limit, expected) in [
        (None, None, "1\n2\r\n3\n\n5"),
        (Some(1), None, "1\n2\r\n3\n\n5"),
        (Some(0), Some(1), "1\n"),
        (Some(2), Some(2), "2\r\n3\n"),
        (None, Some(1), "1\n"),
        (Some(4), Some(1), "\n"),
        (Some(5), Some(9), "5"),
        (Some(6), None, ""),
        (Some(u32::MAX), Some(u32::MAX), ""),
        (Some(2), Some(0), ""),
        (None, Some(0), ""),
    ] {
        assert_eq!(part(line, limit), expected, "FS-03, FS-04: line {line:?}, limit {limit:?}");
    }
}

#[test]
fn content_is_exact_both_ways() {
    let (folder, roots) = project();
    for content in ["", "\u{FEFF}bom\r\n", "no end", "é🎉\n\n\n", "a\rb\n"] {
        roots.write("f", content).unwrap();
        assert_eq!(fs::read(folder.path().join("f")).unwrap(), content.as_bytes());
        assert_eq!(roots.read_text("f", None, None).unwrap(), content, "FS-12");
    }
}

#[test]
fn files_that_cannot_be_read_are_errors_with_the_reason() {
    let (folder, roots) = project();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("binary"), b"ELF\0\x01").unwrap();
    fs::write(path("latin"), b"one\ntwo\ncaf\xE9\n").unwrap();
    fs::create_dir(path("folder")).unwrap();
    let fifo = std::ffi::CString::new(path("fifo").to_str().unwrap()).unwrap();
    // SAFETY: the path is a NUL-terminated string.
    assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
    fs::File::create(path("huge")).unwrap().set_len(READ_LIMIT + 1).unwrap();
    let reason =
        |name: &str| format!("{:?}", roots.read_text(name, None, Some(1)).unwrap_err().reason());
    assert_eq!(reason("binary"), "Binary");
    assert_eq!(reason("latin"), "NotUtf8 { line: 3 }");
    assert_eq!(reason("folder"), "Folder");
    assert_eq!(reason("."), "Folder");
    assert_eq!(reason("fifo"), "NotAFile");
    assert_eq!(reason("none"), "NotFound");
    assert_eq!(reason("none/below"), "NotFound");
    assert_eq!(
        reason("huge"),
        format!("TooLarge {{ size: {}, limit: {READ_LIMIT} }}", READ_LIMIT + 1)
    );
}

#[test]
fn a_file_of_exactly_the_limit_is_read() {
    let (folder, roots) = project();
    fs::write(folder.path().join("big"), vec![b'x'; READ_LIMIT as usize]).unwrap();
    assert_eq!(roots.read_text("big", None, None).unwrap().len() as u64, READ_LIMIT);
}

#[test]
fn a_write_makes_file_and_folders() {
    let (folder, roots) = project();
    roots.write("a/b/c.txt", "new").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("a/b/c.txt")).unwrap(), "new", "FS-06, FS-07");
    let umask = fs::metadata(folder.path().join("a/b/c.txt")).unwrap().mode() & 0o777;
    fs::write(folder.path().join("plain"), "").unwrap();
    assert_eq!(
        umask,
        fs::metadata(folder.path().join("plain")).unwrap().mode() & 0o777,
        "like any new file"
    );
}

#[test]
fn a_write_replaces_all_and_keeps_permissions() {
    let (folder, roots) = project();
    let path = folder.path().join("run");
    fs::write(&path, "a much longer old content").unwrap();
    for mode in [0o755, 0o600, 0o640] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        roots.write("run", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
    }
}

#[test]
fn a_partial_write_is_never_visible() {
    let (folder, roots) = project();
    let path = folder.path().join("f");
    let (old, new) = ("o".repeat(100_000), "n".repeat(100_000));
    roots.write("f", &old).unwrap();
    let mut open = fs::File::open(&path).unwrap();
    roots.write("f", &new).unwrap();
    let mut seen = String::new();
    std::io::Read::read_to_string(&mut open, &mut seen).unwrap();
    assert!(seen == old, "a program that had the file open keeps the whole old content");
    assert!(fs::read_to_string(&path).unwrap() == new);
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["f"], "nothing else is left");
}

#[test]
fn a_write_to_something_that_is_not_a_file_is_refused_and_changes_nothing() {
    let (folder, roots) = project();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::File::create(folder.path().join("file")).unwrap().write_all(b"old").unwrap();
    for (path, expected) in [
        ("folder", "Folder"),
        ("folder/", "Folder"),
        ("new/", "Folder"),
        (".", "Folder"),
        ("file/below", "NotAFolder"),
    ] {
        let error = roots.write(path, "x").unwrap_err();
        assert_eq!(format!("{:?}", error.reason()), expected, "{path}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_file_grown_beyond_its_stated_size_is_still_read() {
    let none: [&Path; 0] = [];
    let roots = Roots::new("/proc", none).unwrap();
    assert!(roots.read_text("version", None, None).unwrap().contains("Linux"));
}

#[test]
fn an_error_says_what_to_do() {
    let (_folder, roots) = project();
    let error = roots.read_text("none.txt", None, None).unwrap_err();
    assert_eq!(error.to_string(), "none.txt does not exist: check the path");
    assert!(matches!(error.reason(), Reason::NotFound));
}
