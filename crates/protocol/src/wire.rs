//! Types on the wire: their traits, and the macros that declare them.

pub(crate) mod declare;
pub(crate) mod decode;
pub(crate) mod either;
pub mod mark;
pub(crate) mod patch;
pub(crate) mod raw;
pub(crate) mod secret;
#[cfg(feature = "schema")]
pub(crate) mod shape;
pub(crate) mod unknown;

use crate::json::fault::Fault;
use crate::json::reader::Reader;
use crate::json::writer::{ObjectWriter, Writer};

/// A type that can be read from JSON and written as JSON.
pub trait Wire: Sized {
    /// Reads one value. After a fault, the reader's position is unspecified: return to a checkpoint
    /// before continuing.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault>;

    /// Writes one JSON value.
    fn write(&self, writer: &mut Writer<'_>);

    /// Returns the JSON that this type accepts.
    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape;
}

/// A value that can be written as JSON, as a trait object: code that only writes a value is then
/// compiled once for all types.
pub trait WriteValue {
    /// Writes one JSON value.
    fn write_value(&self, writer: &mut Writer<'_>);
}

impl<T: Wire> WriteValue for T {
    fn write_value(&self, writer: &mut Writer<'_>) {
        self.write(writer);
    }
}

/// A type whose members can be among those of an enclosing object: structs and tagged unions.
pub trait Members: Wire {
    /// Writes the members. A value that keeps raw JSON leaves out the members named in `except`,
    /// which the enclosing object writes.
    fn write_members(&self, object: &mut ObjectWriter<'_>, except: &[&str]);
}

/// Writes the members of a variant behind the tag of its union, without those that the union and
/// the objects around it write.
pub(crate) fn write_variant<T: Members>(
    value: &T,
    object: &mut ObjectWriter<'_>,
    tag: &str,
    except: &[&str],
) {
    match except {
        [] => value.write_members(object, &[tag]),
        outer => {
            let mut keys = vec![tag];
            keys.extend(outer);
            value.write_members(object, &keys);
        }
    }
}

/// Returns the JSON text of a value.
pub fn encode(value: &impl Wire) -> String {
    let mut out = Vec::new();
    value.write(&mut Writer::new(&mut out));
    // Every writer appends only whole UTF-8 strings.
    String::from_utf8(out).unwrap_or_default()
}

impl Writer<'_> {
    /// Appends an array of `items`.
    pub fn array<'i, T: Wire + 'i>(&mut self, items: impl IntoIterator<Item = &'i T>) {
        self.raw("[");
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            item.write(self);
        }
        self.raw("]");
    }
}

impl ObjectWriter<'_> {
    /// Appends one member. Keys are constants of this crate and need no escapes.
    pub fn member(&mut self, key: &str, value: &impl Wire) {
        value.write(&mut self.key(key));
    }
}

macro_rules! scalar {
    ($($ty:ty, $expected:literal, $shape:expr;)*) => {$(
        impl Wire for $ty {
            fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
                reader.scalar($expected)
            }
            fn write(&self, writer: &mut Writer<'_>) {
                writer.display(self);
            }
            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                $shape
            }
        }
    )*};
}

scalar! {
    bool, "true or false", crate::Shape::Bool;
    u16, "a whole number from 0 to 65535", crate::Shape::Integer { format: "uint16" };
    u32, "a whole number from 0 to 4294967295", crate::Shape::Integer { format: "uint32" };
    u64, "a whole number from 0", crate::Shape::Integer { format: "uint64" };
    i32, "a whole number of 32 bits", crate::Shape::Integer { format: "int32" };
    i64, "a whole number of 64 bits", crate::Shape::Integer { format: "int64" };
}

impl Wire for f64 {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.scalar("a number")
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.serde(self); // infinities and NaN have no JSON and become null
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Number
    }
}

impl Wire for String {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        reader.string().map(std::borrow::Cow::into_owned)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.string(self);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::String
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut items = Vec::new();
        reader.array(|reader| {
            items.push(T::read(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.array(self);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::array(T::shape)
    }
}

/// `null` is `None`. The field's mark decides what an absent key means.
impl<T: Wire> Wire for Option<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        if reader.null() { Ok(None) } else { T::read(reader).map(Some) }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        match self {
            Some(value) => value.write(writer),
            None => writer.raw("null"),
        }
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::nullable(T::shape)
    }
}

/// An object with arbitrary keys, in the order of arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map<T>(pub Vec<(String, T)>);

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Map<T> {
    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<T: Wire> Wire for Map<T> {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let mut members = Vec::new();
        reader.object(|key, reader| {
            members.push((key.to_owned(), T::read(reader)?));
            Ok(())
        })?;
        Ok(Self(members))
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| self.0.iter().for_each(|(key, value)| object.member(key, value)));
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::Map(Box::new(T::shape()))
    }
}
