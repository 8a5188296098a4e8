//! A queue of frames in one buffer.

use std::ops::Range;

/// An emptied queue keeps this many bytes of its buffer.
const KEPT_BYTES: usize = 512 * 1024;

/// An emptied queue keeps room for the ends of this many frames.
const KEPT_ENDS: usize = 8 * 1024;

/// Frames on their way to the peer, in order.
///
/// All frames share one buffer, so a frame costs no allocation. A line feed follows each frame in
/// the buffer. A transport of lines can therefore send many frames with one write and without a
/// copy ([`Frames::lines`]). Other transports take frame by frame ([`Frames::first`]) and never see
/// the line feeds.
#[derive(Default)]
pub struct Frames {
    /// The frames, each with a line feed after it. Bytes after the last end belong to no frame.
    bytes: Vec<u8>,
    /// For each frame, the index after its line feed.
    ends: Vec<usize>,
    /// The index in `ends` of the first frame that is not sent completely, or a lower one.
    first: usize,
    /// How many bytes are sent.
    sent: usize,
    /// Whether a frame may contain a line feed.
    has_line_feeds: bool,
}

impl Frames {
    /// Returns an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the text of one message. White space around it is left out. An empty text is not a
    /// frame and is ignored.
    pub fn push(&mut self, frame: &[u8]) {
        let frame = frame.trim_ascii();
        self.has_line_feeds |= memchr::memchr(b'\n', frame).is_some();
        self.encode(|out| out.extend_from_slice(frame));
    }

    /// Adds the frame that `message` appends to the buffer. The frame contains no line feed, except
    /// that it may end with one. If `message` panics or appends nothing, no frame is added.
    pub(crate) fn encode(&mut self, message: impl FnOnce(&mut Vec<u8>)) {
        let start = self.end();
        self.bytes.truncate(start);
        message(&mut self.bytes);
        if self.bytes.len() == start {
            return;
        }
        if self.bytes.last() != Some(&b'\n') {
            self.bytes.push(b'\n');
        }
        self.ends.push(self.bytes.len());
    }

    /// Adds a copy of a frame of another queue.
    pub(super) fn push_unchanged(&mut self, frame: &[u8]) {
        self.bytes.truncate(self.end());
        self.bytes.extend_from_slice(frame);
        self.bytes.push(b'\n');
        self.ends.push(self.bytes.len());
        self.has_line_feeds = true;
    }

    /// Returns whether everything is sent.
    pub fn is_empty(&self) -> bool {
        self.queued() == 0
    }

    /// Returns the number of bytes that are not sent. Each frame counts one byte more than its
    /// length.
    #[inline]
    pub fn queued(&self) -> usize {
        self.end() - self.sent
    }

    /// Returns the first frame that is not sent, or the rest of it if a part was sent.
    pub fn first(&mut self) -> Option<&[u8]> {
        let range = self.first_range()?;
        self.bytes.get(range)
    }

    /// Marks the frame that [`Frames::first`] returns as sent.
    pub fn pop(&mut self) {
        if let Some(range) = self.first_range() {
            self.sent = range.end + 1;
            self.first += 1;
        }
    }

    /// Returns the first frame that is not sent and marks it as sent.
    pub(super) fn take(&mut self) -> Option<&[u8]> {
        let range = self.first_range()?;
        self.pop();
        self.bytes.get(range)
    }

    /// Returns everything that is not sent as lines: each frame with a line feed after it. A line
    /// feed inside a frame becomes a space, because JSON allows it only as white space.
    pub fn lines(&mut self) -> &[u8] {
        if std::mem::take(&mut self.has_line_feeds) {
            self.replace_line_feeds();
        }
        self.bytes.get(self.sent..self.end()).unwrap_or_default()
    }

    /// Marks the first `count` bytes of [`Frames::lines`] as sent.
    pub fn advance(&mut self, count: usize) {
        self.sent = self.sent.saturating_add(count).min(self.end());
    }

    /// Returns the number of frames that were added since the queue was cleared.
    #[inline]
    pub(crate) fn added(&self) -> usize {
        self.ends.len()
    }

    /// Returns the frame that was added last.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        self.frame(self.ends.len().checked_sub(1)?).and_then(|range| self.bytes.get(range))
    }

    /// Empties the queue for new frames and frees the memory of an unusually long one.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.ends.clear();
        self.ends.shrink_to(KEPT_ENDS);
        (self.first, self.sent, self.has_line_feeds) = (0, 0, false);
    }

    #[inline]
    fn end(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The range of a frame, without its line feed.
    fn frame(&self, index: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        Some(start.unwrap_or(0)..end - 1)
    }

    /// The range of the first frame that is not sent completely.
    fn first_range(&mut self) -> Option<Range<usize>> {
        // `advance` counts bytes, so frames before `first` may have been sent since.
        while self.ends.get(self.first).is_some_and(|end| *end <= self.sent) {
            self.first += 1;
        }
        let range = self.frame(self.first)?;
        // If only the line feed is not sent, the rest of the frame is empty.
        Some(range.start.max(self.sent).min(range.end)..range.end)
    }

    fn replace_line_feeds(&mut self) {
        for index in self.first..self.ends.len() {
            let Some(range) = self.frame(index) else { return };
            let frame = self.bytes.get_mut(range).unwrap_or_default();
            frame.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
    }
}

impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames").field("queued", &self.queued()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    fn pushed(frames: &[&str]) -> Frames {
        let mut queue = Frames::new();
        frames.iter().for_each(|frame| queue.push(frame.as_bytes()));
        queue
    }

    #[test]
    fn frames_are_the_same_one_by_one_and_as_lines() {
        let texts = ["{\n\"a\": 1\n}", " {}\r\n", "", "x"];
        let mut frames = pushed(&texts);
        assert_eq!(frames.first(), Some(texts[0].as_bytes()), "a frame is not changed");
        assert_eq!(frames.lines(), b"{ \"a\": 1 }\n{}\nx\n");
        frames.advance(4);
        assert_eq!(frames.first(), Some(b"\": 1 }".as_slice()));
        frames.pop();
        assert_eq!(frames.first(), Some(b"{}".as_slice()));
        assert_eq!(frames.queued(), 5);
        frames.advance(2);
        assert_eq!(frames.first(), Some(b"".as_slice()), "only the line feed is left");
        frames.advance(100);
        assert_eq!(frames.first(), None);
        assert_eq!(frames.lines(), b"");
        assert!(frames.is_empty());
    }

    #[test]
    fn a_panic_while_a_message_is_encoded_leaves_no_part_of_it() {
        let mut frames = pushed(&["one"]);
        let panics = std::panic::AssertUnwindSafe(|| {
            frames.encode(|out| {
                out.extend_from_slice(b"half");
                panic!("while encoding")
            })
        });
        std::panic::catch_unwind(panics).unwrap_err();
        assert_eq!(frames.lines(), b"one\n");
        frames.push(b"two");
        assert_eq!(frames.lines(), b"one\ntwo\n");
    }
}
