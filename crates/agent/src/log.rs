//! The agent's log of what it could not use.

use attache_connection::Unhandled;
use attache_protocol::{DecodeError, RequestId};
use std::io::Write as _;

/// How many lines are logged: a client that sends nothing but rubbish must not fill a disk, or a
/// pipe that nobody reads.
const LINES: usize = 20;

/// How long a line may be, in characters.
const LENGTH: usize = 300;

/// Takes a line of the log.
type Line = Box<dyn Fn(&str) + Send + Sync>;

/// Says in one line each what arrived and had no use, without any value of it.
pub(crate) struct Log {
    line: Line,
    logged: usize,
}

impl Default for Log {
    fn default() -> Self {
        Self::to(|line| {
            // A stderr that is closed is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{line}");
        })
    }
}

impl Log {
    pub(crate) fn to(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { line: Box::new(line), logged: 0 }
    }

    /// Logs a message, or a part of one, that was not used.
    pub(crate) fn misfit(&mut self, misfit: &Unhandled<'_>) {
        match misfit {
            Unhandled::Line(line, _) => self.say(&format!(
                "ignored a line of {} bytes: it is not a message of the protocol",
                line.len()
            )),
            Unhandled::UnknownReply(id) => {
                self.say(&format!("ignored a reply to {}: no such call is open", named(id)))
            }
            Unhandled::LateReply(id) => {
                self.say(&format!("the reply to {} came after the agent gave it up", named(id)))
            }
            Unhandled::Notification(method, error) => {
                self.say(&format!("ignored the notification {method}: {}", reason(error)))
            }
            Unhandled::Dropped(method, values) => {
                for error in *values {
                    if self.logged > LINES {
                        return;
                    }
                    self.say(&format!("{method}: ignored a value: {}", reason(error)));
                }
            }
            Unhandled::HandlerPanicked(line) => {
                self.say(&format!("the agent's code panicked at a line of {} bytes", line.len()))
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.logged += 1;
        if self.logged > LINES + 1 {
            return;
        }
        if self.logged > LINES {
            (self.line)("attache: more messages could not be used; the log does not show them");
            return;
        }
        let text: String = text.chars().take(LENGTH).flat_map(char::escape_debug).collect();
        (self.line)(&format!("attache: {text}"));
    }
}

/// A call of ours by its id. Ours are numbers; another id is text of the client.
fn named(id: &RequestId) -> String {
    match id {
        RequestId::Number(id) => format!("the call {id}"),
        _ => "a call of another id".to_owned(),
    }
}

/// Where a value is wrong and how, without the value: it may be a secret.
fn reason(error: &DecodeError) -> String {
    let why = error.message.split(": ").next().unwrap_or_default();
    format!("{}: {why}", error.path)
}
