//! The composer and the settings of the screen in a real terminal.

use super::{RENAME, Screen};
use crate::project::Project;
use crate::script::Script;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Returns the command with folders of its own for configuration and data.
fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = project.attache(arguments);
    command
        .env("ATTACHE_STORE", project.path().join("sessions.db"))
        .env("XDG_DATA_HOME", project.path().join(".data"))
        .env("XDG_CONFIG_HOME", project.path().join(".config"))
        .env("NO_COLOR", "1");
    command
}

fn open(project: &Project, arguments: &[&str]) -> Screen {
    let mut screen = Screen::run(command(project, arguments), (100, 30));
    screen.until("? help");
    screen
}

#[test]
fn ctrl_c_never_loses_typed_text() {
    let project = Project::new();
    let mut screen = open(&project, &[]);
    screen.until("Offline");
    screen.press("first thought");
    screen.until("› first thought");
    screen.press("\x03");
    screen.until_gone("› first thought");
    // A pasted text stays one.
    let paste = "@secret\n".repeat(12);
    screen.press(&format!("see \x1b[200~{paste}\x1b[201~"));
    screen.until("› see [pasted 12 lines]");
    screen.press("\x03");
    screen.until_gone("[pasted 12 lines]");
    screen.press("\x03");
    screen.until("press Ctrl-C again");
    screen.press("\x03");
    assert_eq!(screen.end().0, Some(0));
    let mut screen = open(&project, &[]);
    screen.until("Offline");
    screen.press("\x1b[A");
    screen.until("› see [pasted 12 lines]");
    screen.press("\x1b[A");
    screen.until("› first thought");
    // Text that is there at the end is a draft or in the history.
    screen.press("\x15\x15unsent");
    screen.until("› unsent");
    screen.signal(libc::SIGINT);
    assert_eq!(screen.end().0, Some(130));
}

#[test]
fn settings_that_are_chosen_on_the_screen_are_kept() {
    let project = Project::new();
    let mut screen = open(&project, &[]);
    screen.press("/vim on\r");
    screen.until("Vim keys: on");
    screen.press("/theme light\r");
    screen.until("Theme: light");
    screen.press("/mouse maybe\r");
    screen.until("choose one of on, off");
    screen.press("/settings\r");
    screen.until("Notifications");
    // The last setting is that of the reasoning.
    screen.press("\x1b[A\x1b[C");
    screen.until_that("the value", |shown| {
        shown.lines().any(|line| line.contains("Reasoning") && line.contains("shown"))
    });
    screen.press("\x1b");
    screen.until_gone("Notifications");
    screen.quits_with("\x04");
    let get = |key: &str| {
        let output = command(&project, &["config", "get", key]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(get("screen.vim"), "on\n");
    assert_eq!(get("screen.theme"), "light\n");
    assert_eq!(get("screen.thoughts"), "shown\n");
    assert_eq!(get("screen.mouse"), "");
    let mut screen = open(&project, &[]);
    screen.until("INSERT");
    screen.press("abc\x1b");
    screen.until("NORMAL");
    screen.quits_with("\x11");
}

#[test]
fn log_lines_do_not_disturb_the_screen() {
    let project = Project::new();
    let run = |prompts: usize| {
        let mut command = command(&project, &[]);
        command.env("ATTACHE_LOG", "trace").env("TMPDIR", project.path());
        let mut screen = Screen::run(command, (100, 30));
        screen.until("Offline");
        for _ in 0..prompts {
            screen.press("help\r");
            screen.until("rename A to B");
            screen.press("/new\r");
            let shown = screen.until_gone("rename A to B");
            assert!(!shown.contains("attache_"), "{shown}");
        }
        screen.press("\x04");
        screen.end().1
    };
    let after = run(0);
    assert!(after.contains("sent call connection=1 method=\"initialize\""), "{after}");
    // Many lines stay in a file.
    let after = run(5);
    let (_, file) = after.split_once("log lines of this run are in ").expect(&after);
    let log = fs::read_to_string(file.lines().next().unwrap().trim()).unwrap();
    assert!(log.contains("sent call connection=1 method=\"initialize\""), "{log}");
}

#[test]
fn an_image_comes_from_the_clipboard_of_the_terminal() {
    let project = Project::new();
    let agent = Script::default().install(&project);
    let mut command = command(&project, &["--agent", &agent]);
    command.env("TERM", "xterm-kitty");
    let mut screen = Screen::run(command, (100, 30));
    screen.until("? help");
    screen.press("see \x16");
    screen.until("waiting for the clipboard");
    let types = STANDARD.encode("image/png image/jpeg");
    let request = format!("\x1b]5522;type=read:id=1;{types}\x1b\\");
    while !String::from_utf8_lossy(&screen.bytes).contains(&request) {
        assert!(screen.reads());
    }
    let kind = STANDARD.encode("image/png");
    let image = STANDARD.encode([b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 2000]].concat());
    screen.press("\x1b]5522;type=read:status=OK\x1b\\");
    screen.press(&format!("\x1b]5522;type=read:status=DATA:mime={kind};{image}\x1b\\"));
    screen.press("\x1b]5522;type=read:status=DONE\x1b\\");
    screen.until("PNG, 2 kB]");
    assert_eq!(fs::read_dir(project.path().join(".data/attache/images")).unwrap().count(), 1);
    // The agent takes no images, so the prompt stays.
    screen.press("\r");
    let shown = screen.until("takes no images");
    assert!(shown.contains("PNG, 2 kB]"), "{shown}");
    screen.quits_with("\x11");
}

#[test]
fn a_late_reply_of_the_clipboard_answers_no_question() {
    let project = Project::new();
    let mut command = command(&project, &[]);
    command.env("TERM", "xterm-kitty");
    let mut screen = Screen::run(command, (100, 30));
    screen.until("Offline");
    // Both keys stop the waiting, in the protocol that the screen asked the terminal for.
    for key in ["\x1b[27u", "\x1b[99;5u"] {
        screen.press("\x16");
        screen.until("waiting for the clipboard");
        screen.press(key);
        screen.until("stopped waiting for the clipboard");
        screen.press("\x1b[27u");
        screen.until_gone("stopped waiting for the clipboard");
    }
    screen.press(RENAME);
    screen.until("no, and say why");
    // The question takes keys a moment after it was drawn.
    thread::sleep(Duration::from_secs(1));
    let image = STANDARD.encode([b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 2000]].concat());
    for part in ["OK;", "DATA:mime=aW1hZ2UvcG5n;yn1234", &format!("DATA;{image}"), "DONE"] {
        screen.press(&format!("\x1b]5522;type=read:status={part}\x1b\\"));
    }
    // A paste shows that everything before it was read.
    screen.press("\x1b[200~after the reply\x1b[201~");
    let shown = screen.until("after the reply");
    assert!(shown.contains("no, and say why"), "{shown}");
    screen.quits_with("\x11");
}

#[test]
fn a_program_notifies_while_the_terminal_is_not_focused() {
    let project = Project::new();
    let program = project.path().join("notify");
    let shown = project.path().join("notified");
    fs::write(&program, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >>'{}'\n", shown.display()))
        .unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let set = format!("{} 'one argument'", program.display());
    let set = command(&project, &["config", "set", "screen.notifier", &set]).status();
    assert!(set.unwrap().success());
    let mut screen = open(&project, &[]);
    screen.until("Offline");
    // The terminal reports that it lost the focus.
    screen.press("\x1b[O");
    screen.press(RENAME);
    screen.until("no, and say why");
    let notified = || fs::read_to_string(&shown).unwrap_or_default();
    while !notified().contains("waits for permission: ") {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(notified().starts_with("one argument\n"), "{}", notified());
    screen.quits_with("\x11");
}
