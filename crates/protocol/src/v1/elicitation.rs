//! `elicitation/create` and `elicitation/complete`: the agent asks the user for input.

use crate::wire::declare::{wire_struct, wire_union};
use crate::{Fault, FaultKind, Map, Reader, ValueKind, Wire, Writer};

wire_struct! {
    /// The answer to an elicitation.
    pub struct CreateElicitationResponse {
        /// The user's action. Its members are written directly into the response.
        flat action: ElicitationAction = "action",
    }
}

wire_union! {
    /// The user's action. Unknown actions are kept, and never treated as one of the known ones.
    pub enum ElicitationAction by "action" open {
        /// The user gave the input, or agreed to open the page. This does not mean that they did
        /// anything there.
        Accept(ElicitationAcceptAction) = "accept",
        /// The user declined.
        Decline = "decline",
        /// The user dismissed the question.
        Cancel = "cancel",
    }
}

wire_struct! {
    /// The input.
    pub plain struct ElicitationAcceptAction {
        /// The form's values by field. Both sides check them against the form. A malformed value is
        /// an error.
        strict content: Option<Map<ElicitationContentValue>> = "content",
    }
}

/// The value of one field of a form.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitationContentValue {
    /// A text, or the chosen value.
    String(String),
    /// A whole number that was written without a fraction.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// Several chosen values.
    StringArray(Vec<String>),
}

impl Wire for ElicitationContentValue {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.peek() {
            ValueKind::String => String::read(reader).map(Self::String),
            ValueKind::Bool => bool::read(reader).map(Self::Boolean),
            ValueKind::Array => Vec::read(reader).map(Self::StringArray),
            ValueKind::Number => {
                let mark = reader.checkpoint();
                i64::read(reader).map(Self::Integer).or_else(|_| {
                    reader.rewind(mark);
                    f64::read(reader).map(Self::Number)
                })
            }
            _ => Err(reader.fault(FaultKind::Expected(
                "a string, a number, a boolean or an array of strings",
            ))),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Self::String(value) => value.write(writer),
            Self::Integer(value) => value.write(writer),
            Self::Number(value) => value.write(writer),
            Self::Boolean(value) => value.write(writer),
            Self::StringArray(value) => value.write(writer),
        }
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::OneOf {
            name: "ElicitationContentValue",
            shapes: vec![
                String::shape(),
                i64::shape(),
                f64::shape(),
                bool::shape(),
                <Vec<String>>::shape(),
            ],
        }
    }
}
