//! A parser of server-sent events. It does no I/O.

use std::collections::VecDeque;

/// The maximum length of an event, in bytes. It is large because a whole answer may be one event.
pub(crate) const LONGEST: usize = 32 << 20;

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    /// The `event` field; empty if it is missing.
    pub name: Vec<u8>,
    /// The `data` lines, joined with line feeds.
    pub data: Vec<u8>,
}

/// The error for an event that is longer than 32 MiB.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

/// Splits a stream of bytes into events. The stream may arrive in pieces of any size.
///
/// Lines end with LF, CRLF or CR, and the space after a colon may be missing. The parser skips a
/// byte order mark, comments, `id` and `retry`. It treats lines as bytes, so a character may be
/// split between two pieces.
#[derive(Debug)]
pub struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// Whether the last byte was a CR. If LF follows, it belongs to the same line end.
    after_cr: bool,
    first_line: bool,
    longest: usize,
}

impl Default for SseParser {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            after_cr: false,
            first_line: true,
            longest: LONGEST,
        }
    }
}

impl SseParser {
    /// Takes the next bytes, and appends the complete events to `events`.
    ///
    /// # Errors
    /// Returns an error if an event is longer than 32 MiB. The parser must not be used after that.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        events: &mut VecDeque<SseEvent>,
    ) -> Result<(), TooLong> {
        if self.after_cr
            && let Some((first, rest)) = bytes.split_first()
        {
            self.after_cr = false;
            bytes = if *first == b'\n' { rest } else { bytes };
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.hold(line)?;
            self.end_line(events);
            bytes = match rest {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.hold(bytes)
    }

    /// Ends the stream, and returns the last event if no empty line follows it.
    pub(crate) fn end(mut self) -> Option<SseEvent> {
        let mut events = VecDeque::new();
        if !self.line.is_empty() {
            self.end_line(&mut events);
        }
        self.dispatch(&mut events);
        events.pop_front()
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.longest {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut VecDeque<SseEvent>) {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first_line) && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        if line.is_empty() {
            self.dispatch(events);
            return;
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.strip_prefix(b":").unwrap_or(value);
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line.as_slice(), [].as_slice()),
        };
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = value.to_vec(),
            _ => {}
        }
    }

    fn dispatch(&mut self, events: &mut VecDeque<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            events.push_back(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SseEvent, SseParser, TooLong};
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn parsed(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let (mut parser, mut events) = (SseParser::default(), VecDeque::new());
        for piece in pieces {
            parser.push(piece, &mut events).unwrap();
        }
        events.extend(parser.end());
        events.into()
    }

    fn event(name: &str, data: &str) -> SseEvent {
        SseEvent { name: name.into(), data: data.into() }
    }

    #[test]
    fn fields_follow_the_standard() {
        for (bytes, expected) in [
            ("data: a\n\n", vec![event("", "a")]),
            ("data:a\n\n", vec![event("", "a")]),
            ("data:  a\n\n", vec![event("", " a")]),
            ("data\n\n", vec![event("", "")]),
            ("data: a\ndata: b\n\n", vec![event("", "a\nb")]),
            ("event: e\ndata: a\n\ndata: b\n\n", vec![event("e", "a"), event("", "b")]),
            (": comment\n\nid: 1\nretry: 5\nother: x\ndata: a\n\n", vec![event("", "a")]),
            ("\u{feff}data: a\n\n", vec![event("", "a")]),
            ("event: ping\n\n", vec![]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", vec![event("", "a"), event("", "b")]),
            ("data: a\r\rdata: b\r\r", vec![event("", "a"), event("", "b")]),
            ("data: a\r\n\ndata: b\n\r\n", vec![event("", "a"), event("", "b")]),
            ("data: a\n", vec![event("", "a")]),
            ("data: a", vec![event("", "a")]),
            ("\n\n\n", vec![]),
        ] {
            assert_eq!(parsed(&[bytes.as_bytes()]), expected, "{bytes:?}");
        }
    }

    #[test]
    fn an_event_past_the_limit_ends_the_stream() {
        let mut parser = SseParser { longest: 10, ..SseParser::default() };
        let mut events = VecDeque::new();
        assert_eq!(
            parser.push(b"data: 1\n\ndata: 2\n\n", &mut events),
            Ok(()),
            "each event is short"
        );
        assert_eq!(parser.push(b"data: 1234567890", &mut events), Err(TooLong));
        let mut parser = SseParser { longest: 10, ..SseParser::default() };
        assert_eq!(
            parser.push(b"data:1\ndata:2\ndata:34567\n", &mut events),
            Err(TooLong),
            "an event of many lines"
        );
    }

    proptest! {
        #[test]
        fn splitting_the_bytes_does_not_change_the_events(
            lines in prop::collection::vec("(data|event|id)?(: ?)?[a-zäß€😀]{0,6}(\n|\r\n|\r)", 0..20),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let bytes = lines.concat().into_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(parsed(&pieces), parsed(&[&bytes]));
            prop_assert_eq!(parsed(&single), parsed(&[&bytes]));
        }

        #[test]
        fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            parsed(&[&bytes]);
        }

        #[test]
        fn written_events_are_read(texts in prop::collection::vec("[a-zäß€😀:]{1,20}", 0..10), end in "(\n|\r\n|\r)") {
            let bytes: String = texts.iter().map(|text| format!("data: {text}{end}{end}")).collect();
            let expected: Vec<_> = texts.iter().map(|text| event("", text)).collect();
            prop_assert_eq!(parsed(&[bytes.as_bytes()]), expected);
        }
    }
}
