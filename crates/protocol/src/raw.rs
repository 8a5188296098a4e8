//! JSON kept as the text it arrived in.

use crate::{Fault, Reader, Wire, Writer};
use std::sync::Arc;

/// One JSON value as text: `_meta`, raw tool input and output, error data, unknown variants.
///
/// The text is always one valid JSON value without surrounding white space. Cloning shares it. Two values are equal when their
/// texts are; use [`Raw::parse`] to compare by value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Raw(Arc<str>);

impl Raw {
    /// The value's text.
    pub fn get(&self) -> &str {
        &self.0
    }

    /// Checks that `text` is one JSON value and keeps it.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        let checked: &serde_json::value::RawValue = serde_json::from_str(text)?;
        Ok(Self(checked.get().into()))
    }

    /// The JSON of any serialisable value; fails only if its `Serialize` fails.
    pub fn of(value: &(impl serde::Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    /// Decodes the value into any deserialisable type, for instance `serde_json::Value`.
    pub fn parse<'t, T: serde::Deserialize<'t>>(&'t self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }

    /// For text that a [`Reader`] has already found to be one value.
    pub(crate) fn checked(text: &str) -> Self {
        Self(text.into())
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
