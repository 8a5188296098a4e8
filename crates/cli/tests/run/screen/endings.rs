//! Each way to end the screen leaves the terminal as the screen found it.

use super::{Screen, agents};
use crate::project::Project;
use crate::pseudo_terminal;
use crate::script::Script;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::process::Command;

const SIZE: (u16, u16) = (80, 24);

/// What the agent of these tests says about its session.
const INFO: &str = r#"{"sessionUpdate":"session_info_update","title":"Tidy up"}"#;
const COST: &str = r#"{"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.25,"currency":"USD"}}"#;
const TEXT: &str =
    r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All is tidy."}}"#;

/// The settings of a terminal: flags, and the characters for control.
type Settings = ([libc::tcflag_t; 4], [libc::cc_t; libc::NCCS]);

fn settings(terminal: &File) -> Settings {
    // SAFETY: zeros are valid values of this struct, and the pointer to it is valid.
    let read = unsafe {
        let mut read: libc::termios = std::mem::zeroed();
        assert_eq!(libc::tcgetattr(terminal.as_raw_fd(), &mut read), 0);
        read
    };
    ([read.c_iflag, read.c_oflag, read.c_cflag, read.c_lflag], read.c_cc)
}

/// The settings of a new terminal.
fn first_settings() -> Settings {
    let (mut child, terminal) = pseudo_terminal::open(Command::new("true"), SIZE, None);
    child.wait().unwrap();
    settings(&terminal)
}

/// Returns the modes that these bytes leave on, apart from the visible cursor.
fn modes(bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut on = BTreeSet::from(["?25".to_owned()]);
    let mut pushed = 0;
    for sequence in text.split("\x1b[").skip(1) {
        let Some(end) = sequence.find(|letter: char| letter.is_ascii_alphabetic()) else {
            continue;
        };
        let (parameters, letter) = (&sequence[..end], &sequence[end..=end]);
        match letter {
            "h" => drop(on.insert(parameters.to_owned())),
            "l" => drop(on.remove(parameters)),
            "u" if parameters.starts_with('>') => pushed += 1,
            "u" if parameters.starts_with('<') => pushed -= 1,
            _ => {}
        }
    }
    assert!(on.remove("?25"), "the cursor is hidden");
    assert_eq!(pushed, 0, "the protocol of the keyboard is not as before");
    on
}

impl Screen {
    /// Opens a session with an agent that says its title and cost, and takes one turn.
    fn tidy(project: &Project) -> Self {
        let prompt = format!(
            "update '{INFO}'; update '{COST}'; update '{TEXT}'; reply '{{\"stopReason\":\"end_turn\"}}'"
        );
        let agent = Script { prompt: &prompt, ..Script::default() }.install(project);
        let mut screen = Self::start(project, &["--agent", &agent, "--", "tidy up"], SIZE);
        screen.until_that("the answer", |shown| {
            shown.contains("All is tidy.") && shown.contains("0.25 USD")
        });
        screen
    }

    /// Waits for the end. Asserts that the terminal is as before, and returns the exit code and the
    /// last lines.
    fn leaves(self) -> (Option<i32>, String) {
        let terminal = self.terminal.try_clone().unwrap();
        let (code, after, bytes) = self.ends();
        assert_eq!(modes(&bytes), BTreeSet::new());
        assert_eq!(settings(&terminal), first_settings());
        (code, after)
    }
}

/// The last lines name the session and the command that continues it.
fn names_the_session(after: &str) {
    for text in ["Tidy up", "0.25 USD", "continue it with: attache --agent ", " --resume s"] {
        assert!(after.contains(text), "the last lines lack {text:?}: {after}");
    }
}

#[test]
fn every_key_that_quits_leaves_the_terminal_as_it_was() {
    for keys in ["\x04", "\x11", "\x03\x03", "/quit\r"] {
        let project = Project::new();
        let mut screen = Screen::tidy(&project);
        screen.press(keys);
        let (code, after) = screen.leaves();
        assert_eq!(code, Some(0), "{keys:?}");
        names_the_session(&after);
    }
}

#[test]
fn every_signal_that_ends_leaves_the_terminal_as_it_was() {
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT] {
        let project = Project::new();
        let screen = Screen::tidy(&project);
        screen.signal(signal);
        let (code, after) = screen.leaves();
        assert_eq!(code, Some(130), "{signal}");
        names_the_session(&after);
    }
}

#[test]
fn a_stop_leaves_the_terminal_as_it_was_and_the_screen_continues() {
    for key in [false, true] {
        let project = Project::new();
        let mut screen = Screen::tidy(&project);
        if key {
            screen.press("\x1a");
        } else {
            screen.signal(libc::SIGTSTP);
        }
        screen.waits_for_stop();
        let left = "\x1b[?1049l".as_bytes();
        while !screen.bytes.windows(left.len()).any(|bytes| bytes == left) {
            assert!(screen.reads());
        }
        assert_eq!(modes(&screen.bytes), BTreeSet::new());
        assert_eq!(settings(&screen.terminal), first_settings());
        screen.bytes.clear();
        screen.signal(libc::SIGCONT);
        screen.until_that("the screen again", |shown| shown.contains("All is tidy."));
        screen.press("\x04");
        let (code, after) = screen.leaves();
        assert_eq!(code, Some(0));
        names_the_session(&after);
    }
}

#[test]
fn the_end_after_the_death_of_the_agent_leaves_the_terminal_as_it_was() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &["--", "help"], SIZE);
    screen.until("rename A to B");
    let agents = agents(project.path());
    assert_eq!(agents.len(), 1, "{agents:?}");
    // SAFETY: the process is a child of the program that this test started.
    unsafe { libc::kill(agents[0], libc::SIGKILL) };
    screen.signal(libc::SIGTERM);
    let (code, after) = screen.leaves();
    assert_eq!(code, Some(130));
    assert!(after.contains("continue it with: attache --resume "), "{after}");
}

#[test]
fn the_screen_ends_when_its_terminal_is_closed() {
    let project = Project::new();
    let Screen { mut child, terminal, .. } = Screen::tidy(&project);
    drop(terminal);
    // The signal and the error of the terminal come in any order. A program that hangs has no code,
    // because an alarm kills it.
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(1 | 130)), "{code:?}");
}
