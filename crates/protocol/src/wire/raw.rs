//! JSON that is kept as text.

use crate::{Fault, Reader, Wire, Writer};
use std::sync::Arc;

/// One JSON value as text: `_meta`, raw tool input and output, error data, unknown variants.
///
/// The text is always one valid JSON value, without white space around it and without line breaks,
/// because a message is one line. Line breaks between the parts of a value become spaces. Clones
/// share the text. Two values are equal if their texts are; use [`Raw::parse`] to compare by value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Arc<str>);

impl Raw {
    /// Returns the value's text.
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Checks that `text` is one JSON value and keeps it.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        let checked: &serde_json::value::RawValue = serde_json::from_str(text)?;
        Ok(Self::checked(checked.get()))
    }

    /// Returns a serializable value as JSON. Fails only if its `Serialize` fails.
    pub fn of(value: &(impl serde::Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(|text| Self::checked(&text))
    }

    /// Decodes the value into a deserializable type, such as `serde_json::Value`.
    pub fn parse<'t, T: serde::Deserialize<'t>>(&'t self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Returns whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }

    /// Keeps text that is already known to be one JSON value.
    pub(crate) fn checked(text: &str) -> Self {
        // A JSON string never contains a raw line break, so every line break is between parts of
        // the value.
        match text.contains(['\n', '\r']) {
            false => Self(text.into()),
            true => Self(text.replace(['\n', '\r'], " ").into()),
        }
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string().into())
    }
}

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.get())
    }
}

impl Wire for Raw {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.skip().map(Self::checked)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.raw(self.get());
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Any
    }
}

#[cfg(test)]
mod tests {
    use super::Raw;
    use crate::{decode, encode};

    /// RPC-02.
    #[test]
    fn a_value_that_was_given_in_several_lines_is_written_in_one() {
        let pretty = "{\r\n  \"a\": [\n 1,\n\"x\\ny\"]\n}";
        let one_line = r#"{    "a": [  1, "x\ny"] }"#;
        assert_eq!(Raw::from_text(pretty).unwrap().get(), one_line);
        assert_eq!(encode(&decode::<Raw>(pretty).unwrap()), one_line);
        let within: Box<serde_json::value::RawValue> = serde_json::from_str(pretty).unwrap();
        assert_eq!(Raw::of(&within).unwrap().get(), one_line);
    }
}
