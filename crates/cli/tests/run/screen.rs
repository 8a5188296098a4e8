//! The full screen: keys in, screen out.

mod composer;
mod endings;
mod flood;
mod reading;

use crate::chat::agents;
use crate::project::{MAIN, Project};
pub(crate) use crate::screen_program::{LEFT, Screen};
use crate::terminal::Terminal;
use std::fs::Permissions;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;
use std::time::Duration;

const RENAME: &str = "rename total to sum in main.rs\r";

impl Screen {
    /// Starts the program in a terminal with this many columns and rows, and waits until the
    /// session is open.
    pub(crate) fn open(project: &Project, arguments: &[&str], size: (u16, u16)) -> Self {
        let mut screen = Self::start(project, arguments, size);
        screen.until("Offline");
        screen
    }

    pub(crate) fn start(project: &Project, arguments: &[&str], size: (u16, u16)) -> Self {
        let mut command = project.attache(arguments);
        command
            .env("ATTACHE_STORE", project.path().join("sessions.db"))
            // The store is in the folder of the session, so each turn would seem to change it.
            .env("ATTACHE_CHECKPOINTS", "none")
            .env("XDG_DATA_HOME", project.path().join(".data"))
            .env("VISUAL", format!("exec {}", project.path().join("editor").display()))
            .env("NO_COLOR", "1");
        Self::run(command, size)
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the descriptor is open, and the pointer to the size is valid.
        let set = unsafe { libc::ioctl(self.terminal.as_raw_fd(), libc::TIOCSWINSZ, &size) };
        assert_eq!(set, 0);
        self.parser.screen_mut().set_size(rows, columns);
    }

    fn signal(&self, signal: i32) {
        // SAFETY: a system call on a child that was not waited for.
        assert_eq!(unsafe { libc::kill(self.child.id() as i32, signal) }, 0);
    }

    /// Waits until the program is stopped.
    fn waits_for_stop(&self) {
        let mut status = 0;
        // SAFETY: the pointer is valid, and the child was not waited for.
        unsafe { libc::waitpid(self.child.id() as i32, &mut status, libc::WUNTRACED) };
        assert!(libc::WIFSTOPPED(status), "{status}");
    }
}

#[test]
fn a_prompt_is_answered_and_the_end_names_the_command_that_continues() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.until("costs nothing");
    screen.press("help\r");
    let shown = screen.until("rename A to B");
    assert!(shown.contains("› help"), "{shown}");
    screen.press("\x04");
    let (code, after) = screen.end();
    assert_eq!(code, Some(0));
    assert!(after.contains("continue it with: attache --resume "), "{after}");
}

#[test]
fn a_question_shows_the_change_and_a_key_allows_it() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press(RENAME);
    let shown = screen.until("no, and say why");
    for text in ["asks for permission", "fn sum() {}", "yes", "always:"] {
        assert!(shown.contains(text), "the question lacks {text:?}:\n{shown}");
    }
    assert_eq!(project.main(), MAIN, "it was edited before the answer");
    screen.answer("y");
    screen.until("is now");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
    screen.press("/review\r");
    let shown = screen.until("Changes of this turn");
    assert!(shown.contains("+ fn sum() {}"), "{shown}");
    screen.press("q");
    screen.until_gone("Changes of this turn");
    screen.quits_with("\x04");
}

#[test]
fn a_key_refuses_and_the_reason_is_the_next_prompt() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press(RENAME);
    screen.until("no, and say why");
    screen.answer("w");
    screen.until("Why:");
    screen.press("help\r");
    screen.until("rename A to B");
    assert_eq!(project.main(), MAIN);
    screen.quits_with("\x04");
}

#[test]
fn esc_cancels_the_turn() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press(RENAME);
    screen.until("no, and say why");
    screen.answer("\x1b");
    screen.until_gone("no, and say why");
    screen.press("help\r");
    screen.until("rename A to B");
    assert_eq!(project.main(), MAIN);
    screen.quits_with("\x04");
}

#[test]
fn a_stored_session_is_found_in_the_picker_and_continues() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &["--", "help"], (100, 30));
    screen.until("rename A to B");
    screen.press("\x04");
    let (_, after) = screen.end();
    assert!(after.contains("attache --resume"), "{after}");
    let mut screen = Screen::open(&project, &["--resume"], (100, 30));
    screen.until("1 session");
    screen.press("\r");
    screen.until("rename A to B");
    screen.quits_with("\x04");
}

#[test]
fn options_are_set_in_one_panel() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("/settings\r");
    let shown = screen.until("Settings");
    assert!(shown.contains("Mode") && shown.contains("Model"), "{shown}");
    screen.press("\x1b");
    screen.until_gone("Settings");
    screen.quits_with("\x04");
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (120, 40));
    screen.resize(30, 8);
    screen.until("40x12");
    screen.resize(40, 12);
    screen.until("Offline");
    screen.press("help\r");
    screen.until("auto` or `plan");
    screen.quits_with("\x04");
}

#[test]
fn a_signal_ends_the_screen_and_gives_the_terminal_back() {
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        let project = Project::new();
        let screen = Screen::open(&project, &[], (80, 24));
        screen.signal(signal);
        assert_eq!(screen.end().0, Some(130));
    }
}

#[test]
fn text_for_a_question_that_goes_is_in_the_composer() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (100, 40));
    screen.press(RENAME);
    screen.until("always:");
    screen.answer("w");
    screen.until("Why:");
    screen.press("not in main");
    screen.until("Why: not in main");
    screen.press("\x1b");
    screen.until("your text for the question is in the composer");
    screen.until("› not in main");
    screen.quits_with("\x11");
}

#[test]
fn a_paste_beside_a_question_goes_into_the_composer() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (100, 40));
    screen.press(RENAME);
    screen.until("always:");
    screen.answer("\x1b[200~yes, pasted\x1b[201~");
    screen.until("› yes, pasted");
    screen.quits_with("\x11");
}

#[test]
fn ctrl_d_that_is_held_after_a_deletion_does_not_end_the_screen() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("ab\x01\x04\x04\x04\x04\x04");
    screen.press("help\r");
    screen.until("rename A to B");
    screen.quits_with("\x04");
}

#[test]
fn files_of_the_screen_that_are_not_text_are_named() {
    let project = Project::new();
    let folder = project.path().join(".config/attache");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("theme.toml"), b"\xff").unwrap();
    std::fs::write(folder.join("keymap.toml"), "#".repeat(2 << 20)).unwrap();
    let mut command = project.attache(&[]);
    command
        .env("ATTACHE_STORE", project.path().join("sessions.db"))
        .env("XDG_DATA_HOME", project.path().join(".data"))
        .env("XDG_CONFIG_HOME", project.path().join(".config"));
    let mut screen = Screen::run(command, (100, 24));
    screen.until("theme.toml has no effect");
    screen.until("keymap.toml has no effect");
    screen.quits_with("\x11");
}

/// Writes the editor of the person.
pub(crate) fn write_editor(project: &Project, script: &str) {
    let editor = project.path().join("editor");
    std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&editor, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_interrupt_in_the_editor_leaves_the_screen_running() {
    let project = Project::new();
    write_editor(&project, "trap 'exit 1' INT; echo editing; while :; do sleep 0.1; done");
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("\x07");
    screen.until("editing");
    screen.press("\x03");
    screen.until("the text is unchanged");
    thread::sleep(Duration::from_millis(300));
    screen.press("help\r");
    screen.until("rename A to B");
    screen.quits_with("\x04");
}

#[test]
fn an_editor_that_stops_continues() {
    let project = Project::new();
    write_editor(&project, "kill -TSTP 0; echo 'written later' >\"$1\"");
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("\x07");
    screen.until("written later");
    screen.quits_with("\x11");
}

#[test]
fn a_killed_agent_is_restarted_and_the_session_continues() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &["--", "help"], (80, 24));
    screen.until("rename A to B");
    let agents = agents(project.path());
    assert_eq!(agents.len(), 1, "{agents:?}");
    // SAFETY: the process is a child of the program that this test started.
    unsafe { libc::kill(agents[0], libc::SIGKILL) };
    screen.until("restarted");
    screen.press("where is `total` used\r");
    screen.until("main.rs:2");
    screen.quits_with("\x04");
}

#[test]
fn help_shows_the_keys_and_commands() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("?");
    let shown = screen.until("Keys and commands");
    assert!(shown.contains("Send the prompt"), "{shown}");
    screen.press("\x1b");
    screen.until_gone("Keys and commands");
    screen.quits_with("\x04");
}

#[test]
fn a_shell_command_shows_its_output() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (80, 24));
    screen.press("!echo $((40 + 2)) lines\r");
    screen.until("42 lines");
    screen.quits_with("\x04");
}

#[test]
fn plain_lines_replace_the_screen_where_the_person_wants_them() {
    for (arguments, environment) in
        [(vec!["--plain"], ("X", "")), (vec![], ("ATTACHE_PLAIN", "1")), (vec![], ("TERM", "dumb"))]
    {
        let project = Project::new();
        let mut terminal = Terminal::start(&project, &arguments, &[environment]);
        terminal.wait_for("› ");
        assert!(!terminal.seen().contains("\x1b[?1049h"), "{}", terminal.seen());
        terminal.press("/quit\r");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn a_misspelled_command_is_not_sent_as_a_prompt() {
    let ended = Project::new().run(&["docter"]);
    ended.failed(2, &["did you mean `attache doctor`", "attache -- docter"]);
}
