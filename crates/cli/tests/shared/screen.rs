//! The full screen of the program, as a person sees and uses it.

use crate::pseudo_terminal;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// The sequences that give the terminal back.
pub(crate) const LEFT: &str = "\x1b[?1049l";

/// The sequences around a frame.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// The program in a terminal of its own, as a person sees it.
pub(crate) struct Screen {
    pub(crate) child: Child,
    pub(crate) terminal: File,
    pub(crate) parser: vt100::Parser,
    pub(crate) bytes: Vec<u8>,
}

impl Screen {
    /// Starts a program in a terminal with this many columns and rows.
    pub(crate) fn run(command: Command, size: (u16, u16)) -> Self {
        let (child, terminal) = pseudo_terminal::open(command, size, None);
        let parser = vt100::Parser::new(size.1, size.0, 0);
        Self { child, terminal, parser, bytes: Vec::new() }
    }

    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads until the screen shows `text`.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        self.until_that(text, |shown| shown.contains(text))
    }

    /// Reads until the screen no longer shows `text`.
    #[track_caller]
    pub(crate) fn until_gone(&mut self, text: &str) -> String {
        self.until_that(text, |shown| !shown.contains(text))
    }

    #[track_caller]
    pub(crate) fn until_that(&mut self, what: &str, is_it: impl Fn(&str) -> bool) -> String {
        loop {
            let shown = self.text();
            if self.is_whole() && is_it(&shown) {
                return shown;
            }
            assert!(self.reads(), "{what:?} never came:\n{shown}");
        }
    }

    /// Returns whether no frame is half drawn.
    fn is_whole(&self) -> bool {
        let mut marks = self.bytes.windows(BEGIN.len()).rev();
        marks.find(|it| *it == BEGIN || *it == END).is_none_or(|last| last == END)
    }

    /// Reads what the terminal gets next. Returns false at its end.
    pub(crate) fn reads(&mut self) -> bool {
        let mut piece = [0; 16384];
        // Linux reports an error if the other end of the terminal is closed.
        let Ok(length @ 1..) = self.terminal.read(&mut piece) else { return false };
        self.bytes.extend_from_slice(&piece[..length]);
        self.parser.process(&piece[..length]);
        true
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Answers a question. A key that comes within a quarter of a second is text, because the
    /// person was typing.
    pub(crate) fn answer(&mut self, key: &str) {
        thread::sleep(Duration::from_millis(400));
        self.press(key);
    }

    /// Sends a prompt whose tool call needs permission, allows it, and waits for the end of the
    /// turn.
    #[track_caller]
    pub(crate) fn sends(&mut self, prompt: &str) {
        self.press(&format!("{prompt}\r"));
        self.until("no, and say why");
        self.answer("y");
        self.until_gone("no, and say why");
        self.until_gone(" s ──");
    }

    /// Presses Esc twice in the empty composer. Returns the prompts to which one can go back.
    #[track_caller]
    pub(crate) fn opens_timeline(&mut self) -> String {
        self.press("\x1b");
        self.until("press Esc again to go back");
        self.press("\x1b");
        self.until("Go back to before")
    }

    /// Presses this key, which ends the screen without an error.
    pub(crate) fn quits_with(mut self, key: &str) {
        self.press(key);
        assert_eq!(self.end().0, Some(0));
    }

    /// Waits for the end. Returns the exit code and what the terminal got after the screen.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        let (code, after, _) = self.ends();
        (code, after)
    }

    /// Like [`Screen::end`], with all that the terminal got.
    pub(crate) fn ends(mut self) -> (Option<i32>, String, Vec<u8>) {
        let mut asked_twice = false;
        while self.reads() {
            // The first key came before the turn had ended.
            if !asked_twice && self.text().contains("Ctrl-D again to quit") {
                asked_twice = true;
                self.press("\x04");
            }
        }
        let code = self.child.wait().unwrap().code();
        let all = String::from_utf8_lossy(&self.bytes).into_owned();
        let after = all.rsplit_once(LEFT).map(|(_, after)| after.to_owned());
        let after = after.unwrap_or_else(|| panic!("the terminal was not given back: {all:?}"));
        (code, after, self.bytes)
    }
}

/// Waits until something is so that the screen does not show.
#[track_caller]
pub(crate) fn wait_until(what: &str, is_it: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_it() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}
