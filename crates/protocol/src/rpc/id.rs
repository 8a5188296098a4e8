//! The id of a JSON-RPC request.

use crate::{Fault, FaultKind, Reader, ValueKind, Wire, Writer};
use std::fmt;
use std::sync::Arc;

/// The id of a request. Ids are compared with their JSON type: `1` is not `"1"`.
///
/// Numbers must be whole and fit into a signed 64-bit integer. `1.5`, `1.0` and larger numbers are
/// errors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// A whole number.
    Number(i64),
    /// A string.
    String(Arc<str>),
    /// `null`. It is never the id of a request. Errors about unreadable lines have this id.
    Null,
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Null => f.write_str("null"),
        }
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl Wire for RequestId {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.peek() {
            ValueKind::Number => i64::read(reader).map(Self::Number),
            ValueKind::String => reader.string().map(|text| Self::String((&*text).into())),
            ValueKind::Null if reader.null() => Ok(Self::Null),
            _ => Err(reader.fault(FaultKind::Expected("a whole number, a string or null"))),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Number(number) => writer.display(number),
            Self::String(text) => writer.string(text),
            Self::Null => writer.raw("null"),
        }
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        let shapes = vec![crate::Shape::Nullable(Box::new(i64::shape())), String::shape()];
        crate::Shape::OneOf { name: "RequestId", shapes }
    }
}
