//! Values that this version does not know.

use crate::{Fault, ObjectWriter, Raw, Reader, UnknownValues, Wire, Writer};

/// A variant of a tagged union that this version does not know. It is never treated as a known
/// variant, and is written back unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct UnknownVariant {
    /// The tag's value.
    pub tag: Box<str>,
    /// The whole object with its tag.
    pub raw: Raw,
}

impl UnknownVariant {
    pub(crate) fn read(tag: impl AsRef<str>, reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self { tag: tag.as_ref().into(), raw: Raw::read(reader)? })
    }

    /// Writes the kept members except those that the enclosing object writes.
    pub(crate) fn write_members(&self, object: &mut ObjectWriter<'_>, except: &[&str], tag: &str) {
        let mut reader = Reader::new(self.raw.get(), UnknownValues::Keep);
        let written = reader.object(|key, reader| {
            let value = reader.skip()?;
            if key == tag || !except.contains(&key) {
                object.key(key).raw(value);
            }
            Ok(())
        });
        // `raw` was an object when it was read, so the walk cannot fail.
        let _ = written;
    }
}

/// The object under `_meta`, as text. Its values can be any JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta(Raw);

impl Meta {
    /// Returns `raw` as metadata if it is an object.
    pub fn new(raw: Raw) -> Option<Self> {
        raw.is_object().then_some(Self(raw))
    }

    /// Returns the object's text.
    pub fn raw(&self) -> &Raw {
        &self.0
    }

    /// Decodes the value of one key. Returns `None` if it is absent or of another type.
    pub fn get<T: serde::de::DeserializeOwned>(&self, key: &str) -> Option<T> {
        let members: std::collections::HashMap<String, &serde_json::value::RawValue> =
            self.0.parse().ok()?;
        serde_json::from_str(members.get(key)?.get()).ok()
    }
}

impl Wire for Meta {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        match reader.peek() {
            crate::ValueKind::Object => Raw::read(reader).map(Self),
            _ => Err(reader.fault(crate::FaultKind::Expected("an object"))),
        }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(writer);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Map(Box::new(crate::Shape::Any))
    }
}
