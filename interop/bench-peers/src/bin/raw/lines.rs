//! Splits a byte stream into lines, without copying them.

use std::io::{ErrorKind, Read, Result};

/// A buffer that grows to the longest line.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, buffer: vec![0; 256 * 1024], start: 0, end: 0 }
    }

    /// Returns the next line without its end. The end of the stream is an error.
    pub(crate) fn next(&mut self) -> Result<&[u8]> {
        let mut searched = self.start;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + length;
                self.start = line.end + 1;
                return Ok(&self.buffer[line]);
            }
            if self.start > 0 {
                self.buffer.copy_within(self.start..self.end, 0);
                self.end -= self.start;
                self.start = 0;
            }
            searched = self.end;
            if self.end == self.buffer.len() {
                self.buffer.resize(self.end * 2, 0);
            }
            match self.source.read(&mut self.buffer[self.end..])? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                read => self.end += read,
            }
        }
    }
}
