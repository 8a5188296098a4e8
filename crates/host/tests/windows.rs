//! Process trees and files on Windows.
//!
//! They ran under Wine, without the one about links, and never on Windows. `docs/releases.md` says
//! how to run them.
#![cfg(windows)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use attache_host::{
    Bounded, Child, EntryKind, Launch, Reason, Replace, RootFolder, Roots, Sandbox, StartError,
    StopPatience, lock_folder_of, read_plain_text,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The longest time that anything here may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts the command processor of the system with these arguments.
fn cmd(arguments: &[&str]) -> Launch {
    Launch::new("cmd").args(["/d", "/c"]).args(arguments.iter().copied())
}

async fn said(child: &mut Child) -> String {
    let mut text = String::new();
    child.take_stdout().unwrap().read_to_string(&mut text).await.unwrap();
    text
}

/// Returns when a file no longer grows, or fails.
async fn stops_growing(file: &Path) {
    let (deadline, mut before) = (Instant::now() + PATIENCE, u64::MAX);
    loop {
        tokio::time::sleep(Duration::from_secs(3)).await;
        let now = fs::metadata(file).unwrap().len();
        if now == before {
            return;
        }
        assert!(Instant::now() < deadline, "it still grows");
        before = now;
    }
}

#[tokio::test]
async fn a_program_has_its_arguments_environment_folder_and_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        cmd(&["echo", "%A%", "&", "cd"]).env("A", "value").cwd(folder.path()).start().unwrap();
    let text = said(&mut child).await;
    assert!(text.contains("value"), "{text}");
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    assert!(text.contains(name), "{text}");
    assert!(child.wait().await.success());
}

#[tokio::test]
async fn input_reaches_the_program_and_its_end_stops_it() {
    let mut child = Launch::new("sort").start().unwrap_or_else(|_| cmd(&["more"]).start().unwrap());
    let (mut input, mut output) = (child.take_stdin().unwrap(), child.take_stdout().unwrap());
    input.write_all(b"hello\r\n").await.unwrap();
    drop(input);
    let mut text = String::new();
    output.read_to_string(&mut text).await.unwrap();
    let exit = child.stop(StopPatience { after_stdin: PATIENCE, ..Default::default() }).await;
    assert!(text.contains("hello") && exit.success(), "{text} {exit}");
}

#[tokio::test]
async fn an_exit_code_and_the_last_lines_are_reported() {
    let child = cmd(&["echo wrong>&2", "&", "exit", "7"]).start().unwrap();
    let exit = child.wait().await;
    assert_eq!((exit.code, exit.signal), (Some(7), None));
    assert!(child.stderr_tail().contains("wrong"), "{}", child.stderr_tail());
}

#[tokio::test]
async fn both_outputs_of_a_command_are_one_stream() {
    let mut command = cmd(&["echo out", "&", "echo err>&2"]).run().unwrap();
    let mut output = Bounded::new(1000);
    while let Some(chunk) = command.chunk().await {
        output.push(chunk);
    }
    assert!(command.wait().await.success());
    assert!(output.text().contains("out") && output.text().contains("err"), "{}", output.text());
}

#[tokio::test]
async fn descendants_end_with_the_program_and_with_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ticks");
    fs::write(
        folder.path().join("tick.cmd"),
        "@echo off\r\n:again\r\necho x>>ticks\r\ngoto again\r\n",
    )
    .unwrap();
    for ends_by_itself in [true, false] {
        let _old = fs::remove_file(&file);
        let rest = if ends_by_itself { "pause" } else { "tick.cmd" };
        let line = format!("start /b cmd /d /c tick.cmd & {rest}");
        let mut child = cmd(&[&line]).cwd(folder.path()).start().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while fs::metadata(&file).map_or(0, |found| found.len()) == 0 {
            assert!(Instant::now() < deadline, "the descendant never ran");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        match ends_by_itself {
            true => drop(child.take_stdin()),
            false => child.kill(),
        }
        let _exit = child.wait().await;
        stops_growing(&file).await;
    }
}

#[tokio::test]
async fn a_deadline_ends_a_command() {
    let mut command = cmd(&["for /l %i in (0,0,1) do @rem"]).run().unwrap();
    command.deadline(Duration::from_millis(300));
    let exit = command.wait().await;
    assert!(command.timed_out() && !exit.success(), "{exit}");
}

#[tokio::test]
async fn what_cannot_be_started_is_explained() {
    let error = Launch::new("attache-no-such-program").start().unwrap_err();
    assert!(matches!(error, StartError::NotFound { searched: Some(_), .. }), "{error:?}");
    let error = cmd(&["cd"]).cwd(r"C:\attache-no-such-folder").start().unwrap_err();
    assert!(matches!(error, StartError::NoFolder { .. }), "{error:?}");
    let error = cmd(&["cd"]).run_in_terminal(24, 80).unwrap_err();
    assert!(error.to_string().contains("not supported on Windows"), "{error}");
    let error = Sandbox::find().await.unwrap_err();
    assert!(error.to_string().contains("not for this system"), "{error}");
}

/// A folder with `project/deep/file` and `outside/file`.
fn folders() -> (tempfile::TempDir, Roots) {
    let folder = tempfile::tempdir().unwrap();
    for parent in ["project/deep", "outside"] {
        fs::create_dir_all(folder.path().join(parent)).unwrap();
        fs::write(folder.path().join(parent).join("file"), parent).unwrap();
    }
    let none: [&Path; 0] = [];
    let roots = Roots::new(folder.path().join("project"), none).unwrap();
    (folder, roots)
}

#[test]
fn files_inside_the_roots_are_read_written_moved_and_removed() {
    let (_folder, roots) = folders();
    assert_eq!(roots.read_text("deep/file", None, None).unwrap(), "project/deep");
    assert_eq!(roots.read_text(r"DEEP\FILE", None, None).unwrap(), "project/deep");
    let found = roots.resolve(r"DEEP\FILE").unwrap();
    assert_eq!(found.relative(), Path::new(r"deep\file"), "the case that the folders contain");
    roots.write("deep/file", "new").unwrap();
    roots.write("other/new", "created").unwrap();
    assert_eq!(roots.read_text("deep/file", None, None).unwrap(), "new");
    roots.move_file("other/new", "deep/moved").unwrap();
    assert_eq!(roots.read_text("deep/moved", None, None).unwrap(), "created");
    assert!(matches!(
        roots.move_file("deep/moved", "deep/file").unwrap_err().reason(),
        Reason::Exists
    ));
    roots.remove_file("deep/moved").unwrap();
    roots.remove_folder("other").unwrap();
    assert!(roots.remove_folder("deep").is_err(), "it is not empty");
    assert_eq!(fs::read_dir(roots.cwd().join("deep")).unwrap().count(), 1, "no draft is left");
}

#[test]
fn nothing_outside_of_the_roots_is_used_whatever_its_spelling() {
    let (folder, roots) = folders();
    let outside = folder.path().join("outside").join("file");
    for path in ["../outside/file", r"..\outside\file", outside.to_str().unwrap()] {
        let error = roots.read_text(path, None, None).unwrap_err();
        assert!(matches!(error.reason(), Reason::Outside { .. }), "{path}: {error:?}");
    }
    for path in [
        "NUL",
        "deep/con.txt",
        "deep/file:stream",
        "deep/file::$DATA",
        "deep/file.",
        "deep/new ",
        "C:file",
        r"\\.\pipe\x",
        r"\\?\GLOBALROOT\Device\Null",
    ] {
        assert!(roots.read_text(path, None, None).is_err(), "{path}");
        assert!(roots.write(path, "x").is_err(), "{path}");
    }
    assert_eq!(fs::read_to_string(outside).unwrap(), "outside");
    assert_eq!(fs::read_dir(roots.cwd().join("deep")).unwrap().count(), 1);
}

#[test]
fn a_link_is_never_followed_to_the_outside() {
    let (folder, roots) = folders();
    let (target, link) = (folder.path().join("outside"), roots.cwd().join("link"));
    // Without a privilege, links to folders cannot be created, but junctions can.
    let _refused = std::os::windows::fs::symlink_dir(&target, &link);
    if link.symlink_metadata().is_err() {
        let made = std::process::Command::new("cmd")
            .args(["/d", "/c", "mklink", "/j"])
            .args([&link, &target])
            .status();
        assert!(made.unwrap().success() && link.symlink_metadata().is_ok(), "no links here");
    }
    let error = roots.read_text("link/file", None, None).unwrap_err();
    assert!(matches!(error.reason(), Reason::Outside { .. }), "{error:?}");
    let root = RootFolder::open(roots.cwd()).unwrap();
    let entry = root.entry(Path::new("link")).unwrap().unwrap();
    assert_eq!(entry.kind, EntryKind::Link);
    assert!(root.read(Path::new("link/file"), 100).is_err());
    assert_eq!(root.entry(Path::new("link/file")).unwrap(), None);
}

#[test]
fn entries_beneath_a_folder_are_exact_and_changes_are_noticed() {
    let (_folder, roots) = folders();
    let root = RootFolder::open(roots.cwd()).unwrap();
    let file = Path::new("deep/file");
    let (content, found) = root.read(file, 100).unwrap();
    assert_eq!((content.as_slice(), found.kind), (&b"project/deep"[..], EntryKind::File));
    assert!(root.has_exact_name(file).unwrap());
    assert!(!root.has_exact_name(Path::new("deep/FILE")).unwrap());
    let replace = Replace { draft: OsStr::new(".draft"), expected: Some(&found) };
    root.put_file(file, b"new", 0o644, replace).unwrap();
    assert!(root.put_file(file, b"newer", 0o644, replace).is_err(), "it changed");
    assert!(root.remove(file, &found).is_err(), "it changed");
    assert_eq!(root.names(Path::new("deep"), 10).unwrap(), ["file"]);
    let found = root.entry(file).unwrap().unwrap();
    root.remove(file, &found).unwrap();
    root.make_folder(Path::new("a/b"), 0o755).unwrap();
    assert_eq!(root.names(Path::new(""), 10).unwrap().len(), 2);
    root.remove_folder(Path::new("a/b")).unwrap();
}

#[test]
fn devices_are_no_files_and_a_folder_is_locked_once() {
    let folder = tempfile::tempdir().unwrap();
    assert!(read_plain_text(Path::new("NUL"), 100).is_err());
    let file = folder.path().join("settings");
    fs::write(&file, "a = 1").unwrap();
    assert_eq!(read_plain_text(&file, 100).unwrap(), "a = 1");
    let held = lock_folder_of(&file).unwrap();
    assert!(lock_folder_of(&file).is_err());
    drop(held);
    lock_folder_of(&file).unwrap();
}
