//! Judges messages in their order.

use super::frame::Frame;
use super::judged_line::{BrokenRule, JudgedLine};
use attache_check::{Finding, Observer};
use attache_protocol::method::Side;

/// The number of messages from `initialize` on that a new observer reads again.
const BEGINNING: usize = 3;

/// Judges the messages of one reader in their order. After missing messages, it does not judge
/// rules that depend on them.
#[derive(Default)]
pub(crate) struct JudgedLines {
    observer: Option<Observer>,
    connection: u64,
    /// The number of the last message.
    last: u64,
    /// The messages that begin the connection, which decide its version.
    beginning: Vec<(usize, Side, String)>,
}

impl JudgedLines {
    /// Returns the next message with the rules that it breaks.
    pub(crate) fn line(&mut self, frame: &Frame) -> JudgedLine {
        let mut line = JudgedLine::new(frame);
        // What is judged has no secrets, and so a finding repeats none.
        line.broken = self.findings(frame, &line.text).into_iter().map(BrokenRule::of).collect();
        line
    }

    fn findings(&mut self, frame: &Frame, text: &str) -> Vec<Finding> {
        let follows = frame.number == self.last + 1;
        self.last = frame.number;
        if frame.connection < self.connection {
            // The last messages of a connection that was replaced. They leave no gap in the new
            // one.
            return Vec::new();
        }
        if frame.is_cut() {
            // Later messages may depend on the part that is missing.
            self.observer = None;
            return Vec::new();
        }
        if Observer::begins_with(frame.from, &frame.bytes) {
            (self.observer, self.beginning) = (Some(Observer::default()), Vec::new());
        } else if frame.connection > self.connection {
            (self.observer, self.beginning) = (None, Vec::new());
        } else if !follows {
            self.observer = None;
        }
        self.connection = frame.connection;
        let beginning = &self.beginning;
        let observer = self.observer.get_or_insert_with(|| partial(beginning));
        let number = usize::try_from(frame.number).unwrap_or(usize::MAX);
        let findings = observer.line(number, frame.from, text.as_bytes());
        if self.beginning.len() < BEGINNING {
            self.beginning.push((number, frame.from, text.to_owned()));
        }
        findings
    }
}

/// Returns an observer that knows only the beginning of a connection.
fn partial(beginning: &[(usize, Side, String)]) -> Observer {
    let mut observer = Observer::of_rest();
    for (number, from, text) in beginning {
        observer.line(*number, *from, text.as_bytes());
    }
    observer
}
