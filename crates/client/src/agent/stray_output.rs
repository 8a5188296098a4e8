//! Lines on an agent's stdout that are not messages.

use std::sync::{Mutex, PoisonError};

/// The number of stray lines that are kept.
const LINES: usize = 20;

/// How many bytes at the start of each line are kept.
const LENGTH: usize = 400;

/// The first stray lines of an agent: banners, log lines, and error messages from programs that do
/// not speak ACP. The client does not answer them, and shows them to the person if the agent does
/// not start.
#[derive(Debug, Default)]
pub(crate) struct StrayOutput(Mutex<Vec<String>>);

impl StrayOutput {
    /// Keeps a stray line, if there is room.
    pub(crate) fn keep(&self, line: &[u8]) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tracing::debug!(bytes = line.len(), "the agent wrote a line that is not a message");
        if lines.len() < LINES {
            let start = line.get(..LENGTH).unwrap_or(line);
            lines.push(String::from_utf8_lossy(start).trim().to_owned());
        }
    }

    /// The first lines, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{LENGTH, LINES, StrayOutput};

    #[test]
    fn the_first_lines_are_kept_and_memory_stays_bounded() {
        let stray_output = StrayOutput::default();
        stray_output.keep(b" Welcome \xff\r");
        for _ in 0..10_000 {
            stray_output.keep(&vec![b'x'; 1 << 16]);
        }
        let lines = stray_output.lines();
        assert_eq!(lines.first().map(String::as_str), Some("Welcome \u{fffd}"));
        assert_eq!(lines.len(), LINES);
        assert!(lines.iter().all(|line| line.len() <= LENGTH));
    }
}
