//! The JSON-RPC envelope of a line.
//!
//! [`Message::read`] decides the kind of a line. Params and results stay text, borrowed from the
//! line, until their type is known.

use crate::{
    DecodeError, Error, Reader, RequestId, UnknownValues, ValueKind, Wire, WriteValue, Writer,
};
use std::borrow::Cow;
use std::fmt;

/// The content of one line.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'l> {
    /// A request. It must get exactly one reply.
    Call {
        /// The caller's id. The reply repeats it with its JSON type.
        id: RequestId,
        /// The method's wire name.
        method: Cow<'l, str>,
        /// The text of `params`. `None` if the key is absent.
        params: Option<&'l str>,
    },
    /// A message without a reply.
    Notification {
        /// The method's wire name.
        method: Cow<'l, str>,
        /// The text of `params`. `None` if the key is absent.
        params: Option<&'l str>,
    },
    /// The reply to a call of this side.
    Reply {
        /// The id of that call.
        id: RequestId,
        /// The text of `result`, which may be `null`, or the error. If a reply has both, the error
        /// is ignored.
        outcome: Result<&'l str, Error>,
    },
}

/// Why a line is not a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAMessage {
    /// Not UTF-8 or not JSON. It is answered with `-32700` and the id null.
    NotJson(String),
    /// JSON, but not a request, notification or reply. It is answered with `-32600` and the id
    /// null.
    Invalid(String),
    /// An invalid reply, with its id if that is readable. It is never answered.
    BrokenReply(Option<RequestId>, String),
}

impl NotAMessage {
    /// Returns the error to answer with, or `None` for an invalid reply.
    pub fn error(&self) -> Option<Error> {
        match self {
            Self::NotJson(_) => Some(Error::parse_error()),
            Self::Invalid(why) => Some(Error::invalid_request(format!("Invalid request: {why}"))),
            Self::BrokenReply(..) => None,
        }
    }
}

impl fmt::Display for NotAMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "the line is not JSON: {why}"),
            Self::Invalid(why) => write!(f, "the line is JSON but not a JSON-RPC message: {why}"),
            Self::BrokenReply(Some(id), why) => {
                write!(f, "the reply to call {id} is broken: {why}")
            }
            Self::BrokenReply(None, why) => write!(f, "a reply is broken: {why}"),
        }
    }
}

impl std::error::Error for NotAMessage {}

/// The members of an envelope.
#[derive(Default)]
struct Members<'l> {
    version: Option<bool>,
    id: Option<Result<RequestId, DecodeError>>,
    method: Option<Option<Cow<'l, str>>>,
    params: Option<&'l str>,
    result: Option<&'l str>,
    error: Option<Result<Error, DecodeError>>,
}

impl<'l> Message<'l> {
    /// Reads one line without its line end. The caller skips blank lines.
    pub fn read(line: &'l [u8]) -> Result<Self, NotAMessage> {
        let text =
            std::str::from_utf8(line).map_err(|error| NotAMessage::NotJson(error.to_string()))?;
        let mut reader = Reader::new(text, UnknownValues::Keep);
        if reader.peek() != ValueKind::Object {
            return Err(not_an_object(&mut reader));
        }
        let mut members = Members::default();
        let walked = reader.object(|key, reader| {
            match key {
                "jsonrpc" => members.version = Some(reader.skip()? == "\"2.0\""),
                "id" => {
                    let value = reader.skip()?;
                    members.id = Some(crate::decode(value).map_err(|error| error.under("id")));
                }
                "method" if reader.peek() == ValueKind::String => {
                    members.method = Some(Some(reader.string()?))
                }
                "method" => {
                    reader.skip()?;
                    members.method = Some(None);
                }
                "params" => members.params = Some(reader.skip()?),
                "result" => members.result = Some(reader.skip()?),
                "error" => {
                    let value = reader.skip()?;
                    members.error =
                        Some(crate::decode(value).map_err(|error| error.under("error")));
                }
                _ => drop(reader.skip()?),
            }
            Ok(())
        });
        walked
            .and_then(|()| reader.end())
            .map_err(|fault| NotAMessage::NotJson(DecodeError::new(text, fault).to_string()))?;
        members.decide()
    }
}

fn not_an_object(reader: &mut Reader<'_>) -> NotAMessage {
    let batch = reader.peek() == ValueKind::Array;
    match reader.skip().and_then(|_| reader.end()) {
        Ok(()) if batch => NotAMessage::Invalid("JSON-RPC batches are not supported".to_owned()),
        Ok(()) => NotAMessage::Invalid("a message is a JSON object".to_owned()),
        Err(_) => NotAMessage::NotJson("not valid JSON".to_owned()),
    }
}

impl<'l> Members<'l> {
    fn decide(self) -> Result<Message<'l>, NotAMessage> {
        let invalid = |why: &str| Err(NotAMessage::Invalid(why.to_owned()));
        match self.method {
            None if self.id.is_some() || self.result.is_some() || self.error.is_some() => {
                self.reply()
            }
            None => invalid("neither \"method\" nor \"id\""),
            Some(None) => invalid("\"method\" must be a string"),
            Some(Some(_)) if self.version != Some(true) => invalid("\"jsonrpc\" must be \"2.0\""),
            Some(Some(method)) => match self.id {
                None => Ok(Message::Notification { method, params: self.params }),
                Some(Ok(id)) => Ok(Message::Call { id, method, params: self.params }),
                Some(Err(error)) => invalid(&error.to_string()),
            },
        }
    }

    fn reply(self) -> Result<Message<'l>, NotAMessage> {
        let id = match self.id {
            Some(Ok(id)) => id,
            Some(Err(error)) => return Err(NotAMessage::BrokenReply(None, error.to_string())),
            None => return Err(NotAMessage::BrokenReply(None, "it has no id".to_owned())),
        };
        let broken = |why: String| Err(NotAMessage::BrokenReply(Some(id.clone()), why));
        match (self.result, self.error) {
            _ if self.version != Some(true) => broken("\"jsonrpc\" must be \"2.0\"".to_owned()),
            (Some(result), _) => Ok(Message::Reply { id, outcome: Ok(result) }),
            (None, Some(Ok(error))) => Ok(Message::Reply { id, outcome: Err(error) }),
            (None, Some(Err(error))) => broken(error.to_string()),
            (None, None) => broken("it has neither \"result\" nor \"error\"".to_owned()),
        }
    }
}

/// Appends the line of a call, with its line end.
pub fn write_call(out: &mut Vec<u8>, id: &RequestId, method: &str, params: &dyn WriteValue) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(&mut Writer::new(out));
    out.extend_from_slice(b",\"method\":");
    Writer::new(out).string(method);
    out.extend_from_slice(b",\"params\":");
    params.write_value(&mut Writer::new(out));
    out.extend_from_slice(b"}\n");
}

/// Appends the line of a notification, with its line end.
pub fn write_notification(out: &mut Vec<u8>, method: &str, params: &impl Wire) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
    Writer::new(out).string(method);
    out.extend_from_slice(b",\"params\":");
    params.write(&mut Writer::new(out));
    out.extend_from_slice(b"}\n");
}

/// Appends the line of a reply, with its line end.
pub fn write_reply(out: &mut Vec<u8>, id: &RequestId, outcome: Result<&dyn WriteValue, &Error>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(&mut Writer::new(out));
    match outcome {
        Ok(result) => {
            out.extend_from_slice(b",\"result\":");
            result.write_value(&mut Writer::new(out));
        }
        Err(error) => {
            out.extend_from_slice(b",\"error\":");
            error.write(&mut Writer::new(out));
        }
    }
    out.extend_from_slice(b"}\n");
}
