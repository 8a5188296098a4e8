//! The agent's log of input that it could not use.

use attache_connection::Unhandled;
use attache_protocol::{DecodeError, RequestId};
use std::io::Write as _;
use std::sync::Arc;

/// The maximum number of lines, so that a client that sends only invalid input does not fill a disk
/// or a pipe that nobody reads.
const MAX_LINES: usize = 20;

/// The maximum length of a line, in characters.
const MAX_LENGTH: usize = 300;

/// Receives each line of the log.
type Line = Arc<dyn Fn(&str) + Send + Sync>;

/// Logs one line for each message that could not be used, without its values.
#[derive(Clone)]
pub(crate) struct UnusedInputLog {
    line: Line,
    logged: usize,
}

impl Default for UnusedInputLog {
    fn default() -> Self {
        Self::to(|line| {
            // A closed stderr must not end the agent.
            let _ = writeln!(std::io::stderr(), "{line}");
        })
    }
}

impl UnusedInputLog {
    pub(crate) fn to(line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { line: Arc::new(line), logged: 0 }
    }

    /// Logs a message, or a part of one, that was not used.
    pub(crate) fn unhandled(&mut self, unhandled: &Unhandled<'_>) {
        match unhandled {
            Unhandled::Frame(line, _) => self.say(&format!(
                "ignored a line of {} bytes: it is not a message of the protocol",
                line.len()
            )),
            Unhandled::UnknownReply(id) => {
                self.say(&format!("ignored a reply to {}: there is no such call", named(id)))
            }
            Unhandled::LateReply(id) => self.say(&format!(
                "the reply to {} came after the agent cancelled the call",
                named(id)
            )),
            Unhandled::Notification(method, error) => {
                self.say(&format!("ignored the notification {method}: {}", reason(error)))
            }
            Unhandled::Dropped(method, values) => {
                for error in *values {
                    if self.logged > MAX_LINES {
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
        if self.logged > MAX_LINES + 1 {
            return;
        }
        if self.logged > MAX_LINES {
            (self.line)("attache: more messages could not be used; they are not logged");
            return;
        }
        let text: String = text.chars().take(MAX_LENGTH).flat_map(char::escape_debug).collect();
        (self.line)(&format!("attache: {text}"));
    }
}

/// Returns a name for a call of this agent. The agent's own ids are numbers. An id of another kind
/// is text from the client, so it is not shown.
fn named(id: &RequestId) -> String {
    match id {
        RequestId::Number(id) => format!("the call {id}"),
        _ => "a call with another id".to_owned(),
    }
}

/// Returns where a value is wrong and how, without the value, which may be a secret.
fn reason(error: &DecodeError) -> String {
    let why = error.message.split(": ").next().unwrap_or_default();
    format!("{}: {why}", error.path)
}
