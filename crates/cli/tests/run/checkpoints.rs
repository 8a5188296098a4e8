//! `attache checkpoints`: what an agent changed, by its tools or by commands, is brought back.

use crate::project::{Ended, MAIN, Project};
use crate::terminal::Terminal;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A project whose sessions are stored in another folder.
struct Stored {
    project: Project,
    data: TempDir,
}

impl Stored {
    fn new() -> Self {
        Self { project: Project::new(), data: tempfile::tempdir().unwrap() }
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().unwrap().into()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.attache(arguments);
        command.env("ATTACHE_STORE", self.data.path().join("sessions.db"));
        // On a busy machine, a checkpoint may take longer than a prompt usually waits.
        command.env("ATTACHE_CHECKPOINTS_WAIT", "30000");
        command.env_remove("XDG_CONFIG_HOME");
        command.env("HOME", self.data.path());
        command
    }

    /// Runs two prompts in one session: an edit by the tool, and changes by a command.
    fn two_turns(&self) {
        let prompts =
            "rename total to sum in main.rs\n---\nrun printf new >made.txt; rm README.md\n";
        let file = self.data.path().join("prompts.md");
        fs::write(&file, prompts).unwrap();
        let ended = self.run(&["run", "--yes", "--file", file.to_str().unwrap()]);
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        assert!(self.project.main().contains("sum"), "{ended:#?}");
        assert!(self.project.path().join("made.txt").exists(), "{ended:#?}");
        assert!(!self.project.path().join("README.md").exists(), "{ended:#?}");
    }

    fn list(&self) -> Vec<Value> {
        let listed = self.run(&["checkpoints", "--json"]);
        assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""), "{listed:#?}");
        listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn id(&self, reason: &str, turn: Option<u64>) -> String {
        let listed = self.list();
        let found = listed.iter().find(|it| it["reason"] == reason && it["turn"].as_u64() == turn);
        found.unwrap_or_else(|| panic!("{listed:#?}"))["id"].as_str().unwrap().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[test]
fn a_restore_reverts_tools_and_commands_and_can_be_undone() {
    let it = Stored::new();
    it.two_turns();
    let listed = it.list();
    let taken: Vec<(&str, Option<u64>)> = listed
        .iter()
        .map(|each| (each["reason"].as_str().unwrap(), each["turn"].as_u64()))
        .collect();
    let expected = [
        ("after-turn", Some(2)),
        ("before-prompt", Some(2)),
        ("after-turn", Some(1)),
        ("before-prompt", Some(1)),
        ("session-start", None),
    ];
    assert_eq!(taken, expected);
    assert!(listed.iter().all(|each| each["complete"] == true), "{listed:#?}");
    assert_eq!(listed[0]["title"], "");
    assert_eq!(listed[3]["title"], "rename total to sum in main.rs");
    let shown = it.run(&["checkpoints", "show", "last"]);
    assert!(shown.stdout.contains("made.txt") && shown.stdout.contains("README.md"), "{shown:#?}");

    let start = it.id("session-start", None);
    it.run(&["checkpoints", "restore", &start]).failed(2, &["--yes", "--dry-run"]);
    let preview = it.run(&["checkpoints", "restore", &start, "--dry-run"]);
    for line in ["restore  main.rs", "create   README.md", "remove   made.txt"] {
        assert!(preview.stdout.contains(line), "{line}: {preview:#?}");
    }
    assert!(exists(&it.path("made.txt")), "a preview changes nothing");
    let restored = it.run(&["checkpoints", "restore", &start, "--yes"]);
    assert_eq!(restored.code, Some(0), "{restored:#?}");
    assert_eq!(it.project.main(), MAIN);
    assert!(exists(&it.path("README.md")) && !exists(&it.path("made.txt")));

    let undone = it.run(&["checkpoints", "undo", "--yes"]);
    assert_eq!(undone.code, Some(0), "{undone:#?}");
    assert!(it.project.main().contains("sum"));
    assert!(!exists(&it.path("README.md")) && exists(&it.path("made.txt")));
}

#[test]
fn one_turn_or_one_file_is_restored_and_what_the_person_changed_stays() {
    let it = Stored::new();
    it.two_turns();
    fs::write(it.path("mine.txt"), "mine").unwrap();
    let before_second = it.id("before-prompt", Some(2));
    let diff = it.run(&["checkpoints", "diff", &before_second, "made.txt"]);
    assert!(diff.stdout.contains("+new") && !diff.stdout.contains("README"), "{diff:#?}");
    assert_eq!(it.list().len(), 5, "the comparison took a checkpoint that is not listed");
    let one = it.run(&["checkpoints", "restore", &before_second, "README.md", "--yes"]);
    assert_eq!(one.code, Some(0), "{one:#?}");
    assert!(exists(&it.path("README.md")) && exists(&it.path("made.txt")));
    let rest = it.run(&["checkpoints", "restore", &before_second, "--yes"]);
    assert_eq!(rest.code, Some(0), "{rest:#?}");
    assert!(!exists(&it.path("made.txt")) && it.project.main().contains("sum"));
    assert_eq!(fs::read_to_string(it.path("mine.txt")).unwrap(), "mine");
}

#[test]
fn checkpoints_are_deleted_with_their_session_and_none_are_taken_without_a_store() {
    let it = Stored::new();
    it.two_turns();
    let doctor = it.run(&["doctor"]);
    assert!(doctor.stdout.contains("5 checkpoints"), "{doctor:#?}");
    let deleted = it.run(&["sessions", "delete", "last", "--yes"]);
    assert_eq!(deleted.code, Some(0), "{deleted:#?}");
    assert_eq!(it.list(), Vec::<Value>::new());

    let ended = it.project.run(&["checkpoints"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stderr.contains("no checkpoints are taken"), "{ended:#?}");
    it.project.run(&["checkpoints", "show", "last"]).failed(2, &["no checkpoints are taken"]);
}

#[test]
fn undo_in_a_prompt_uses_the_checkpoints() {
    let it = Stored::new();
    let prompts = "run printf new >made.txt\n---\n/undo\n";
    let file = it.data.path().join("prompts.md");
    fs::write(&file, prompts).unwrap();
    let ended = it.run(&["run", "--yes", "--file", file.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(ended.stdout.contains("1 file reverted"), "{ended:#?}");
    assert!(!exists(&it.path("made.txt")), "what a command made is reverted too");
}

#[test]
fn checkpoints_of_an_earlier_version_are_set_aside_with_a_message() {
    let it = Stored::new();
    assert_eq!(it.run(&["run", "hello"]).code, Some(0));
    let file = it.data.path().join("checkpoints/checkpoints.db");
    let mut bytes = fs::read(&file).unwrap();
    // The version of the tables is at this place of the header.
    bytes[60..64].copy_from_slice(&1_u32.to_be_bytes());
    fs::write(&file, bytes).unwrap();
    let listed = it.run(&["checkpoints"]);
    assert!(listed.stderr.contains("of an earlier version"), "{listed:#?}");
    assert!(listed.stderr.contains("damaged-"), "{listed:#?}");
    let again = it.run(&["checkpoints"]);
    assert!(!again.stderr.contains("of an earlier version"), "{again:#?}");
}

/// The program's own files may be in the folder of the session.
#[test]
fn files_of_the_program_itself_do_not_count_as_changes() {
    let it = Stored::new();
    fs::create_dir(it.path("data")).unwrap();
    let command = |arguments: &[&str]| {
        let mut command = it.command(arguments);
        command.env("XDG_DATA_HOME", it.path("data"));
        command.env("ATTACHE_STORE", it.path("sessions.db"));
        command.env("ATTACHE_LOG", "debug").env("ATTACHE_LOG_FILE", it.path("attache.log"));
        Ended::from(command.output().unwrap())
    };
    let prompt = "run printf new >made.txt";
    let ended = command(&["run", "--yes", "--trace", "trace.jsonl", prompt]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    for name in ["data/attache", "sessions.db", "attache.log", "trace.jsonl"] {
        assert!(exists(&it.path(name)), "{name}: {ended:#?}");
    }
    let listed = command(&["checkpoints", "--json"]).stdout;
    let newest: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    assert_eq!((&newest["reason"], &newest["changed"]), (&"after-turn".into(), &1.into()));
    let oldest: Value = serde_json::from_str(listed.lines().last().unwrap()).unwrap();
    let start = oldest["id"].as_str().unwrap();
    let preview = command(&["checkpoints", "restore", start, "--dry-run"]);
    let files = ["made.txt", "data", "sessions.db", "attache.log"];
    let named = files.map(|name| preview.stdout.contains(name));
    assert_eq!(named, [true, false, false, false], "{preview:#?}");
}

/// A protected file is restored only after a question about it, and the files are listed again
/// before the last question.
#[test]
fn an_allowed_protected_file_is_listed_before_the_last_question() {
    let it = Stored::new();
    let prompt = "run printf new >made.txt; sleep 2";
    std::thread::scope(|scope| {
        let running = scope.spawn(|| it.run(&["run", "--yes", prompt]));
        while !exists(&it.path("made.txt")) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        fs::create_dir(it.path("sub")).unwrap();
        fs::write(it.path("sub/AGENTS.md"), "new").unwrap();
        let ended = running.join().unwrap();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
    });
    let before = it.id("before-prompt", Some(1));
    let mut terminal = Terminal::of(it.command(&["checkpoints", "restore", &before]), 80, None);
    terminal.wait_for("These stay as they are:");
    terminal.wait_for("sub/AGENTS.md is protected; restore it too?");
    terminal.press("y");
    terminal.wait_for("3 bytes, protected");
    terminal.wait_for("restore these files?");
    assert!(exists(&it.path("sub/AGENTS.md")), "it was removed before the answer");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!exists(&it.path("sub/AGENTS.md")) && !exists(&it.path("made.txt")), "{shown}");
}

#[test]
fn a_conversation_lists_an_allowed_protected_file_before_the_last_question() {
    let it = Stored::new();
    let mut terminal = Terminal::of(it.command(&["chat"]), 80, None);
    terminal.wait_for("ask › ");
    terminal.press("run printf new >made.txt; sleep 2\r");
    terminal.wait_for("allow? [y/a/");
    terminal.press("y");
    while !exists(&it.path("made.txt")) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    fs::create_dir(it.path("sub")).unwrap();
    fs::write(it.path("sub/AGENTS.md"), "new").unwrap();
    terminal.wait_for("% › ");
    while !it.list().iter().any(|it| it["reason"] == "after-turn") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    terminal.press("/rewind 1\r");
    terminal.wait_for("sub/AGENTS.md is protected; restore it too?");
    terminal.press("y");
    terminal.wait_for("3 bytes, protected");
    terminal.wait_for("restore these files?");
    terminal.press("y");
    terminal.wait_for("restored 3 files");
    terminal.wait_for("› ");
    assert!(!exists(&it.path("sub/AGENTS.md")) && !exists(&it.path("made.txt")));
    terminal.press("\u{4}");
    assert_eq!(terminal.end().0, Some(0));
}
