//! The output of frames: each frame is one write, and a frame that changes nothing is none.

use super::modes;
use std::io::{self, Write};

/// Asks the terminal to show the frame at once; other terminals ignore it.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// Clears the terminal.
const CLEAR: &[u8] = b"\x1b[0m\x1b[2J";

/// Collects the bytes of a frame and writes them when the frame is complete.
#[derive(Debug, Default)]
pub(crate) struct FrameWriter {
    frame: Vec<u8>,
    /// The bytes of the last frame. Frames use absolute positions, so writing the same bytes again
    /// changes nothing.
    last: Vec<u8>,
}

impl FrameWriter {
    /// Returns a writer whose first frame clears the terminal.
    pub(crate) fn clearing() -> Self {
        Self { frame: CLEAR.to_vec(), last: Vec::new() }
    }

    fn complete(&mut self, mut to: impl Write) -> io::Result<()> {
        if self.frame.is_empty() || self.frame == self.last {
            self.frame.clear();
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(BEGIN.len() + self.frame.len() + END.len());
        bytes.extend_from_slice(BEGIN);
        bytes.extend_from_slice(&self.frame);
        bytes.extend_from_slice(END);
        std::mem::swap(&mut self.frame, &mut self.last);
        self.frame.clear();
        // A large frame would otherwise keep its memory.
        self.frame.shrink_to(64 << 10);
        to.write_all(&bytes)
    }
}

impl Write for FrameWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    /// Ends the frame.
    fn flush(&mut self) -> io::Result<()> {
        self.complete(modes::terminal()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_one_synchronized_write_and_a_repeated_frame_is_none() {
        let mut writer = FrameWriter::default();
        let mut shown = Vec::new();
        let mut frame = |writer: &mut FrameWriter, text: &str| {
            writer.write_all(text.as_bytes()).unwrap();
            shown.clear();
            writer.complete(&mut shown).unwrap();
            String::from_utf8(shown.clone()).unwrap()
        };
        assert_eq!(frame(&mut writer, "one"), "\x1b[?2026hone\x1b[?2026l");
        assert_eq!(frame(&mut writer, "one"), "");
        assert_eq!(frame(&mut writer, ""), "");
        let mut writer = FrameWriter::clearing();
        assert_eq!(frame(&mut writer, "one"), "\x1b[?2026h\x1b[0m\x1b[2Jone\x1b[?2026l");
    }
}
