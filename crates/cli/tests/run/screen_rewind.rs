//! Rewind and review in the full screen: the person goes back to before a prompt, undoes that, and
//! decides about changes one by one.

use crate::project::{Ended, MAIN, Project};
use crate::screen::Screen;
use crate::screen_program::wait_until;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A project whose sessions and checkpoints are stored in another folder.
struct Stored {
    project: Project,
    data: TempDir,
}

impl Stored {
    fn new() -> Self {
        Self { project: Project::new(), data: tempfile::tempdir().unwrap() }
    }

    fn open(&self) -> Screen {
        let mut command = self.project.attache(&[]);
        command
            .env("ATTACHE_STORE", self.data.path().join("sessions.db"))
            // On a busy machine, a checkpoint may take longer than a prompt usually waits.
            .env("ATTACHE_CHECKPOINTS_WAIT", "30000")
            .env("XDG_DATA_HOME", self.data.path().join("data"))
            .env("HOME", self.data.path())
            .env("NO_COLOR", "1");
        let mut screen = Screen::run(command, (100, 40));
        screen.until("Offline");
        screen
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.path().join(name)
    }

    fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Waits until this many checkpoints are taken.
    #[track_caller]
    fn until_taken(&self, count: usize) {
        wait_until("the checkpoints are taken", || {
            let mut command = self.project.attache(&["checkpoints", "--json"]);
            command.env("ATTACHE_STORE", self.data.path().join("sessions.db"));
            let listed = Ended::from(command.env("HOME", self.data.path()).output().unwrap());
            listed.stdout.lines().count() >= count
        });
    }
}

#[test]
fn going_back_reverts_tools_and_commands_and_is_undone() {
    let it = Stored::new();
    let mut screen = it.open();
    screen.sends("rename total to sum in main.rs");
    screen.sends("run printf new >made.txt; rm README.md");
    assert!(it.project.main().contains("sum"), "the tool changed the file");
    assert!(it.exists("made.txt") && !it.exists("README.md"), "the command changed files");
    // The timeline has no counts of a turn whose checkpoint is still being taken.
    it.until_taken(5);

    let shown = screen.opens_timeline();
    for text in ["rename total to sum", "run printf new", "1 file", "2 files"] {
        assert!(shown.contains(text), "the timeline lacks {text:?}:\n{shown}");
    }
    screen.press("\x1b[B\r");
    let shown = screen.until("Restore 3 files");
    for text in ["restore  main.rs", "create   README.md", "remove   made.txt"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    assert!(it.exists("made.txt"), "a preview changes nothing");
    screen.answer("\r");
    screen.until("restored 3 files");
    assert_eq!(it.project.main(), MAIN);
    assert!(it.exists("README.md") && !it.exists("made.txt"));

    screen.opens_timeline();
    screen.until("the last restore");
    screen.press("\r");
    screen.until("Undo the restore: 3 files");
    screen.answer("\r");
    wait_until("the restore is undone", || {
        it.exists("made.txt") && !it.exists("README.md") && it.project.main().contains("sum")
    });
    assert_eq!(fs::read_to_string(it.path("made.txt")).unwrap(), "new");

    screen.press("/undo\r");
    screen.until("Undo the restore: 3 files");
    screen.answer("\r");
    wait_until("the undoing is undone", || {
        !it.exists("made.txt") && it.exists("README.md") && it.project.main() == MAIN
    });
    screen.quits_with("\x11");
}

#[test]
fn a_review_rejects_and_accepts_what_a_command_changed() {
    let it = Stored::new();
    let mut screen = it.open();
    screen.sends("rename total to sum in main.rs");
    screen.sends("run printf new >made.txt; rm README.md");

    screen.press("/review\r");
    let shown = screen.until("Changes of this turn");
    for text in ["README.md (deleted)", "made.txt (new)", "2 open", "- # Tally", "+ new"] {
        assert!(shown.contains(text), "the review lacks {text:?}:\n{shown}");
    }
    assert!(!shown.contains("▾ main.rs"), "another turn changed it:\n{shown}");
    screen.press("x");
    let shown = screen.until("Reject: change 1 file back");
    for text in ["create   README.md", "+ # Tally"] {
        assert!(shown.contains(text), "the preview lacks {text:?}:\n{shown}");
    }
    assert!(!it.exists("README.md"), "a preview changes nothing");
    screen.answer("\r");
    screen.until("✗ rejected");
    assert!(it.exists("README.md") && it.exists("made.txt"));
    screen.press("na");
    let shown = screen.until("✓ accepted");
    assert!(shown.contains("1 accepted, 1 rejected"), "{shown}");
    screen.press("t");
    let shown = screen.until("Changes of the session");
    assert!(shown.contains("1 open, 1 accepted, 1 rejected"), "{shown}");
    screen.press("q");
    screen.until("Tell the agent with the next prompt");
    screen.press("\r");
    screen.until("the next prompt tells the agent");
    screen.press("/review\r");
    screen.until("1 accepted, 1 rejected");
    screen.press("q");
    screen.until_gone("Changes of this turn");
    screen.quits_with("\x11");
}
