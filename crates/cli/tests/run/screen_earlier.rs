//! A long stored session in the full screen.

use crate::project::Project;
use crate::screen::Screen;
use crate::screen_agent::{open, quit};
use std::fs;
use std::thread;
use std::time::Duration;

/// Ctrl-Home and Ctrl-End.
const TOP: &str = "\x1b[1;5H";
const BOTTOM: &str = "\x1b[1;5F";

/// A session of more text than a checkpoint has, and its id.
fn long_session(project: &Project) -> String {
    let mut screen = open(project, &["--", "the very first prompt"], (80, 24));
    screen.until("asked <the very first prompt>");
    screen.press("many\r");
    screen.until("that was all");
    quit(screen)
}

/// Resumes a long session with an agent that loads nothing until the file `slow` is removed.
fn resumed_slowly(project: &Project) -> Screen {
    let id = long_session(project);
    fs::write(project.path().join("slow"), "").unwrap();
    let agent = crate::screen_agent::install(project);
    Screen::start(project, &["--agent", &agent, "--resume", &id], (80, 24))
}

#[test]
fn a_stored_session_is_readable_while_its_agent_loads_it() {
    let project = Project::new();
    let mut screen = resumed_slowly(&project);
    screen.until("that was all");
    screen.until("opening the session with");
    screen.press("later\r");
    screen.until("1 later");
    fs::remove_file(project.path().join("slow")).unwrap();
    screen.until("asked <later>");
    screen.quits_with("\x04");
}

#[test]
fn esc_stops_a_slow_opening_and_the_conversation_stays_readable() {
    let project = Project::new();
    let mut screen = resumed_slowly(&project);
    screen.until("opening the session with");
    screen.press("\x1b");
    screen.until("stopped the opening");
    assert!(screen.text().contains("that was all"), "{}", screen.text());
    screen.quits_with("\x11");
}

#[test]
fn esc_stops_the_start_of_an_agent_that_never_answers() {
    let project = Project::new();
    let arguments = ["--agent", "sleep 600"];
    let mut screen = Screen::start(&project, &arguments, (80, 24));
    screen.until("esc stops it");
    screen.press("a prompt\r");
    screen.until("sent when the session is open");
    screen.press("\x1b");
    screen.until("You stopped the opening");
    screen.until("› a prompt");
    screen.quits_with("\x11");
}

#[test]
fn scrolling_to_the_top_reads_earlier_messages_and_keeps_the_place() {
    let project = Project::new();
    let id = long_session(&project);
    let mut screen = open(&project, &["--resume", &id], (80, 24));
    screen.until("that was all");
    screen.press(TOP);
    screen.until("asked <the very first prompt>");
    screen.press(BOTTOM);
    screen.until("that was all");
    // Page by page, every message comes once and in order.
    let numbers = |shown: &str| -> Vec<usize> {
        let words = shown.split("message ").skip(1);
        words.filter_map(|rest| rest.split('.').next()?.parse().ok()).collect()
    };
    let mut least = 300;
    for _ in 0..40 {
        screen.press("\x1b[5~");
        thread::sleep(Duration::from_millis(40));
    }
    for _ in 0..400 {
        let shown = screen.text();
        let now = numbers(&shown);
        assert!(now.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{shown}");
        least = now.first().copied().unwrap_or(least).min(least);
        if least < 200 {
            break;
        }
        screen.press("\x1b[5~");
        screen.until_that("another page", |next| next != shown);
    }
    assert!(least < 200, "{}", screen.text());
    screen.quits_with("\x11");
}

#[test]
fn a_search_finds_what_is_not_in_memory() {
    let project = Project::new();
    let id = long_session(&project);
    let mut screen = open(&project, &["--resume", &id], (80, 24));
    screen.until("that was all");
    screen.press("\x1b/");
    screen.until("Search");
    screen.press("very first\r");
    screen.until("match ");
    let shown = screen.until("asked <the very first prompt>");
    assert!(shown.contains("of 2"), "{shown}");
    screen.press("n");
    screen.until("› the very first prompt");
    screen.quits_with("\x11");
}
