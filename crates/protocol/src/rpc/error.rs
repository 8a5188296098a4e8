//! The error object of a JSON-RPC response.

use crate::common::ProtocolVersion;
use crate::wire::declare::wire_struct;
use crate::{Fault, Map, Raw, Reader, Wire, Writer, decode, encode};
use std::fmt;

wire_struct! {
    /// Why a request failed, as reported to the other side. An error has no `_meta`.
    pub plain struct Error {
        /// The kind of failure. Unknown codes are kept.
        must code: ErrorCode = "code",
        /// One short sentence.
        must message: String = "message",
        /// More about the failure: any JSON value. Null means absent.
        lenient data: Option<Raw> = "data",
    }
}

impl Error {
    /// The line is not JSON. The reply has the id null.
    pub fn parse_error() -> Self {
        Self::new(ErrorCode::PARSE_ERROR, "Parse error")
    }

    /// The JSON is not a valid request, for the given reason.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// This side does not serve the method `name`, or did not advertise it.
    pub fn method_not_found(name: &str) -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, format!("the method {name} is not supported"))
    }

    /// The parameters cannot be decoded or accepted, for the given reason.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// This side failed, for the given reason.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INTERNAL_ERROR, message)
    }

    /// The request was cancelled before it ended.
    pub fn request_cancelled() -> Self {
        Self::new(ErrorCode::REQUEST_CANCELLED, "the request was cancelled")
    }

    /// No version at or below the requested one is supported. `data` contains `requested` and
    /// `supported`. Version 2 defines this error.
    pub fn unsupported_protocol_version(
        requested: ProtocolVersion,
        supported: &[ProtocolVersion],
    ) -> Self {
        let numbers: Vec<u16> = supported.iter().map(|version| version.0).collect();
        let named: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let data = object([("requested", encode(&requested.0)), ("supported", encode(&numbers))]);
        let message = format!(
            "version {requested} of ACP is not supported: use version {}",
            named.join(" or ")
        );
        Self { data: Some(data), ..Self::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, message) }
    }

    /// The user must log in first. `message` says how.
    pub fn auth_required(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::AUTH_REQUIRED, message)
    }

    /// There is no session with this id. `data` contains it as `sessionId`.
    pub fn resource_not_found_session(session_id: &str) -> Self {
        Self {
            data: Some(object([("sessionId", encode(&session_id.to_owned()))])),
            ..Self::new(ErrorCode::RESOURCE_NOT_FOUND, "there is no such session")
        }
    }

    /// There is no file at this URI. `data` contains it as `uri`.
    pub fn resource_not_found_file(uri: &str) -> Self {
        Self {
            data: Some(object([("uri", encode(&uri.to_owned()))])),
            ..Self::new(ErrorCode::RESOURCE_NOT_FOUND, "there is no such file")
        }
    }
}

impl Error {
    /// Returns the cause that peers add to a message like "Internal error": `data` if it is text,
    /// or else its text under `details` or `message`. The cause is one line of at most 300
    /// characters. Returns `None` if the message already says it.
    pub fn cause(&self) -> Option<String> {
        let data = self.data.as_ref()?.get();
        let cause: String = match decode(data) {
            Ok(text) => text,
            Err(_) => {
                let members: Map<Raw> = decode(data).ok()?;
                let text = |key: &&str| decode(members.get(key)?.get()).ok();
                ["details", "message"].iter().find_map(text)?
            }
        };
        let line = cause.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = line.chars().take(300).collect();
        (!short.is_empty() && short != self.message).then_some(if short.len() < line.len() {
            short + "…"
        } else {
            short
        })
    }
}

/// Returns an object with these members, whose values are JSON text.
fn object<const N: usize>(members: [(&str, String); N]) -> Raw {
    let members = members.into_iter();
    let members = members.map(|(key, value)| (key.to_owned(), Raw::checked(&value)));
    Raw::checked(&encode(&Map(members.collect())))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause() {
            Some(cause) => write!(f, "{}: {cause} ({})", self.message, self.code),
            None => write!(f, "{} ({})", self.message, self.code),
        }
    }
}

impl std::error::Error for Error {}

/// The kind of a failure: any 32-bit number. The constants are those that ACP defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub i32);

impl ErrorCode {
    /// The line is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method is unknown or not supported.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters cannot be decoded or accepted.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The handler failed.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// The request was cancelled.
    pub const REQUEST_CANCELLED: Self = Self(-32800);
    /// The user must log in first.
    pub const AUTH_REQUIRED: Self = Self(-32000);
    /// There is no such session or file.
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// The agent speaks no version up to the one that the client asked for; version 2 only.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl From<i32> for ErrorCode {
    fn from(code: i32) -> Self {
        Self(code)
    }
}

impl Wire for ErrorCode {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        i32::read(reader).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(writer);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        i32::shape()
    }
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::Raw;

    #[test]
    fn an_error_shows_the_cause_its_sender_put_into_data() {
        let with = |data| {
            Error { data: Raw::from_text(data).ok(), ..Error::new(-32603, "Internal error") }
                .to_string()
        };
        assert_eq!(with(r#""no such\nmodel""#), "Internal error: no such model (-32603)");
        assert_eq!(with(r#"{"details":"quota"}"#), "Internal error: quota (-32603)");
        assert_eq!(with(r#"{"code":7}"#), "Internal error (-32603)");
        assert_eq!(with(r#""Internal error""#), "Internal error (-32603)");
    }
}
