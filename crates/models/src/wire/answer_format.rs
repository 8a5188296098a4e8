//! The format of an answer. Most servers send a stream of events; some send one JSON value although
//! the request asks for a stream.

use crate::sse::{LONGEST, SseEvent, SseParser};
use crate::wire::adapter::StreamError;
use serde_json::Value;
use std::collections::VecDeque;

/// The format, which is recognized by the first byte, not by the headers.
#[derive(Debug, Default)]
pub(crate) enum AnswerFormat {
    /// Only white space has arrived.
    #[default]
    Unknown,
    /// A stream of events.
    Stream(SseParser),
    /// One JSON value, or a list of values that take the place of events.
    Whole(Vec<u8>),
}

impl AnswerFormat {
    /// Takes the next bytes, and appends the complete events to `events`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an answer from a model.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        events: &mut VecDeque<SseEvent>,
    ) -> Result<(), StreamError> {
        if let Self::Unknown = self {
            *self = match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return Ok(()),
                Some(b'{' | b'[') => Self::Whole(Vec::new()),
                Some(b'<') => {
                    return Err(StreamError::Malformed(
                        "the server sent HTML instead of an API response".to_owned(),
                    ));
                }
                Some(_) => Self::Stream(SseParser::default()),
            };
        }
        let too_long =
            || StreamError::Malformed("it contains an event of more than 32 MiB".to_owned());
        match self {
            Self::Unknown => {}
            Self::Stream(parser) => parser.push(bytes, events).map_err(|_| too_long())?,
            Self::Whole(whole) if whole.len() + bytes.len() > LONGEST => return Err(too_long()),
            Self::Whole(whole) => whole.extend_from_slice(bytes),
        }
        Ok(())
    }

    /// Ends the answer, and appends the remaining events to `events`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an answer from a model.
    pub(crate) fn end(&mut self, events: &mut VecDeque<SseEvent>) -> Result<(), StreamError> {
        match std::mem::replace(self, Self::Unknown) {
            Self::Unknown => {}
            Self::Stream(parser) => events.extend(parser.end()),
            Self::Whole(whole) => {
                let value = serde_json::from_slice(&whole);
                let value = value.map_err(|error: serde_json::Error| match error.is_eof() {
                    true => StreamError::Cut,
                    false => StreamError::Malformed(format!("its JSON is broken ({error})")),
                })?;
                let values = if let Value::Array(values) = value { values } else { vec![value] };
                let event = |value: Value| SseEvent {
                    name: Vec::new(),
                    data: value.to_string().into_bytes(),
                };
                events.extend(values.into_iter().map(event));
            }
        }
        Ok(())
    }
}
