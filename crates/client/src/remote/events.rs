//! Server-sent events, each with one message.

/// The name of the field with the message, and the line end.
const OVERHEAD: usize = 16;

/// Splits a stream of server-sent events into messages. It holds at most one message within the
/// limit and one line.
pub(crate) struct Events {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// Whether the last byte was a carriage return, so that a line feed belongs to it.
    after_return: bool,
}

/// A message is longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl Events {
    pub(crate) fn new(limit: usize) -> Self {
        let (line, data) = (Vec::new(), Vec::new());
        Self { limit, line, data, has_data: false, after_return: false }
    }

    /// Takes received bytes, and returns the messages that are complete.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Vec<u8>>, TooLong> {
        let mut messages = Vec::new();
        if std::mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.extend_line(line)?;
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
            messages.extend(self.end_line()?);
        }
        self.extend_line(bytes)?;
        Ok(messages)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > self.limit.saturating_add(OVERHEAD) {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends a line, and returns the message if the line ended it.
    fn end_line(&mut self) -> Result<Option<Vec<u8>>, TooLong> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let message = std::mem::take(&mut self.data);
            return Ok(std::mem::take(&mut self.has_data).then_some(message));
        }
        let Some(value) = line.strip_prefix(b"data:") else { return Ok(None) };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if self.data.len() + value.len() > self.limit {
            return Err(TooLong);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{Events, TooLong};

    fn fed(text: &str, size: usize) -> Vec<String> {
        let mut events = Events::new(100);
        let chunks = text.as_bytes().chunks(size);
        let messages = chunks.flat_map(|chunk| events.feed(chunk).unwrap());
        messages.map(|message| String::from_utf8(message).unwrap()).collect()
    }

    #[test]
    fn events_are_the_same_however_they_are_cut() {
        let text = ":\n\ndata: {}\n\nid: 1\r\ndata:{\"a\":\r\ndata: 1}\r\n\r\nevent: x\n\ndata: x\r\rdata: cut";
        for size in 1..text.len() {
            assert_eq!(fed(text, size), ["{}", "{\"a\":\n1}", "x"], "{size}");
        }
    }

    #[test]
    fn a_message_over_the_limit_is_refused_in_one_line_or_many() {
        let mut events = Events::new(10);
        assert_eq!(events.feed(&[b'x'; 27]), Err(TooLong));
        let mut events = Events::new(10);
        assert_eq!(events.feed(b"data: 123456\ndata: 123456\n"), Err(TooLong));
        let mut events = Events::new(10);
        assert_eq!(events.feed(b"data: 1234567890\n\n").unwrap(), [b"1234567890".to_vec()]);
    }
}
