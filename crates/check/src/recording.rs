//! Recorded conversations in common formats.

mod document;
mod line;
mod message;
mod recorded;

use attache_protocol::RequestId;
use attache_protocol::envelope::Message;
use attache_protocol::method::{Initialize, Method, Side};
use line::Lines;
use std::io::BufRead;
use std::vec;

pub use line::trace;
pub use recorded::{Recorded, RecordingError, TraceError};

/// Reads a recording. Detects which of these formats it has:
///
/// - JSON lines as `attache trace` and `attache run --trace` write them, see [`trace`];
/// - JSON lines of the official conductor (`.jsons`). If the conductor ran a chain of proxies, only
///   the agent's connection is read, without its MCP messages;
/// - the JSON of `acp-devtools export`;
/// - the JSON that Zed copies from its ACP logs. The agent's stderr is left out.
///
/// The conductor and Zed do not record the envelope: it is reconstructed and cannot be judged. JSON
/// lines are read one by one. A file with one JSON value is read as a whole. Reading stops after an
/// error.
///
/// An `initialize` with the same id as the previous one begins another connection, because a
/// restarted client counts its ids from the beginning.
///
/// ```
/// use attache_check::Recording;
///
/// let copied = br#"[{"_direction":"outgoing","_type":"request","id":0,"method":"initialize","params":{"protocolVersion":1}}]"#;
/// let recorded = Recording::new(&copied[..]).next().unwrap()?;
/// assert_eq!(recorded.text, r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#);
/// assert_eq!(recorded.path.as_deref(), Some("[0]"));
/// # Ok::<(), attache_check::RecordingError>(())
/// ```
#[derive(Debug)]
pub struct Recording<R> {
    file: Option<R>,
    /// The number of the last line.
    number: usize,
    lines: Lines,
    /// The remaining entries of a file with one JSON value.
    entries: vec::IntoIter<Recorded>,
    /// The id of the last `initialize`.
    initialize: Option<RequestId>,
}

impl<R: BufRead> Recording<R> {
    /// Creates a reader of this file.
    pub fn new(file: R) -> Self {
        let (lines, entries) = (Lines::default(), Vec::new().into_iter());
        Self { file: Some(file), number: 0, lines, entries, initialize: None }
    }

    fn read(&mut self) -> Result<Option<Recorded>, RecordingError> {
        while let Some(file) = &mut self.file {
            let mut line = Vec::new();
            if file.read_until(b'\n', &mut line).map_err(RecordingError::Unreadable)? == 0 {
                self.file = None;
                break;
            }
            self.number += 1;
            if self.lines.is_empty() && document::begins_with(&line) {
                file.read_to_end(&mut line).map_err(RecordingError::Unreadable)?;
                self.file = None;
                let entries = document::read(&String::from_utf8_lossy(&line), self.number)?;
                self.entries = entries.into_iter();
                break;
            }
            if let Some(recorded) = self
                .lines
                .read(self.number, String::from_utf8_lossy(&line).trim_end_matches('\n'))?
            {
                return Ok(Some(recorded));
            }
        }
        Ok(self.entries.next())
    }

    fn begins_another(&mut self, recorded: &Recorded) -> bool {
        if recorded.from != Side::Client || !recorded.text.contains(Initialize::ROW.name) {
            return false;
        }
        match Message::read(recorded.text.as_bytes()) {
            Ok(Message::Call { id, method, .. }) if method == Initialize::ROW.name => {
                self.initialize.replace(id.clone()) == Some(id)
            }
            _ => false,
        }
    }
}

impl<R: BufRead> Iterator for Recording<R> {
    type Item = Result<Recorded, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read().transpose()?;
        Some(match read {
            Ok(mut recorded) => {
                recorded.begins_another = self.begins_another(&recorded);
                Ok(recorded)
            }
            Err(error) => {
                self.file = None;
                self.entries = Vec::new().into_iter();
                Err(error)
            }
        })
    }
}
