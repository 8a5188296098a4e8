//! The decode marks of ACP's schema: the meaning of absent, null and malformed values for one field
//! of an object.
//!
//! | mark | absent | null | malformed | in the specification |
//! |---|---|---|---|---|
//! | `must` | fatal | fatal | fatal | `!` X |
//! | `must_items` | fatal | empty | empty; bad items dropped | `!` L K |
//! | `must_list` | fatal | fatal | fatal; bad items dropped | `!` K |
//! | `must_null` | fatal | empty | fatal | `!` N |
//! | `strict` | default | default | fatal | `?` X |
//! | `null` | empty | empty | fatal | `?` N |
//! | `lenient` | default | default | default | `?` L |
//! | `items` | default | default | default; bad items dropped | `?` L K |
//! | `patch` | keep | clear | keep | `?3` L |
//! | `patch_items` | keep | clear | keep; bad items dropped | `?3` L K |
//! | `patch_strict` | keep | clear | fatal | `?3` X |
//! | `stated` | default | default | default | `?` L, but written also at its default |
//! | `given` | default | fatal | fatal | as the schema of `properties` of a form; written also at its default |
//! | `flat` | – | – | fatal | a tagged union whose members stand among the object's own |
//! | `flat_lenient` | empty | empty | empty | the same, optional |
//!
//! A field at its default is not written, except with `stated` and `given`.

#![allow(non_camel_case_types, reason = "marks read as words in the tables of fields")]

use crate::{Fault, FaultKind, Members, ObjectWriter, Patch, Reader, ValueKind, Wire};

/// How one field of an object is read and written.
pub trait Mark<T> {
    /// Whether the key must be present.
    const REQUIRED: bool = false;

    /// Whether the field's members are members of the object itself.
    const FLAT: bool = false;

    /// Reads values that are not under the field's own key, before the members are walked.
    fn before(_reader: &mut Reader<'_>) -> Result<Option<T>, Fault> {
        Ok(None)
    }

    /// Reads the value under the field's key.
    fn member(field: &mut Option<T>, reader: &mut Reader<'_>) -> Result<(), Fault>;

    /// The value of a field whose key is absent. `None` if that is fatal.
    fn absent() -> Option<T>;

    /// Writes the member, unless it is at its default.
    fn write(value: &T, key: &str, siblings: &[&str], object: &mut ObjectWriter<'_>);

    /// Returns the JSON that the value under the field's key accepts.
    #[cfg(feature = "schema")]
    const SHAPE: fn() -> crate::Shape;
}

/// A list that can skip its bad items: `Vec`, or `Option<Vec>` if absent differs from empty.
pub trait Items: Default + PartialEq + Wire {
    /// The type of the items.
    type Item: Wire;

    /// Returns a list of the valid items.
    fn of(items: Vec<Self::Item>) -> Self;
}

impl<T: Wire + PartialEq> Items for Vec<T> {
    type Item = T;
    fn of(items: Vec<T>) -> Self {
        items
    }
}

impl<T: Wire + PartialEq> Items for Option<Vec<T>> {
    type Item = T;
    fn of(items: Vec<T>) -> Self {
        Some(items)
    }
}

/// Reads the next value, or returns the default and records the fault.
fn lenient_value<T: Wire>(reader: &mut Reader<'_>, otherwise: T) -> Result<T, Fault> {
    let mark = reader.checkpoint();
    match T::read(reader) {
        Ok(value) => Ok(value),
        Err(fault) => reader.drop_value(mark, fault).map(|()| otherwise),
    }
}

/// Reads the valid items of the next value. Returns `None` and records the fault if it is not an
/// array.
fn good_items<T: Wire>(reader: &mut Reader<'_>) -> Result<Option<Vec<T>>, Fault> {
    let mark = reader.checkpoint();
    if reader.peek() != ValueKind::Array {
        let fault = reader.fault(FaultKind::Expected("an array"));
        return reader.drop_value(mark, fault).map(|()| None);
    }
    let mut items = Vec::new();
    reader.array(|reader| {
        let mark = reader.checkpoint();
        match T::read(reader) {
            Ok(item) => items.push(item),
            Err(fault) => reader.drop_value(mark, fault)?,
        }
        Ok(())
    })?;
    Ok(Some(items))
}

macro_rules! marks {
    ($($(#[$doc:meta])* $mark:ident, $required:literal, [$($bound:tt)*] $ty:ty,
        absent: $absent:expr,
        read($reader:ident): $read:expr,
        omit($value:ident): $omit:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $mark {}

        impl<$($bound)*> Mark<$ty> for $mark {
            const REQUIRED: bool = $required;
            fn member(field: &mut Option<$ty>, $reader: &mut Reader<'_>) -> Result<(), Fault> {
                *field = Some($read);
                Ok(())
            }
            fn absent() -> Option<$ty> {
                $absent
            }
            fn write($value: &$ty, key: &str, _siblings: &[&str], object: &mut ObjectWriter<'_>) {
                if !$omit {
                    object.member(key, $value);
                }
            }
            #[cfg(feature = "schema")]
            const SHAPE: fn() -> crate::Shape = <$ty as Wire>::shape;
        }
    )*};
}

marks! {
    /// Required; anything malformed is fatal.
    must, true, [T: Wire] T, absent: None, read(reader): T::read(reader)?, omit(_value): false;
    /// Required list. Bad items are dropped, and anything but an array is read as the empty list.
    must_items, true, [T: Items] T, absent: None,
        read(reader): if reader.null() {
            T::of(Vec::new())
        } else {
            T::of(good_items(reader)?.unwrap_or_default())
        },
        omit(_value): false;
    /// Required list. Bad items are dropped, and anything but an array is fatal.
    must_list, true, [T: Items] T, absent: None,
        read(reader): match reader.peek() {
            ValueKind::Array => T::of(good_items(reader)?.unwrap_or_default()),
            _ => return Err(reader.fault(FaultKind::Expected("an array"))),
        },
        omit(_value): false;
    /// Required; null is read as the empty value.
    must_null, true, [T: Wire + Default] T, absent: None,
        read(reader): if reader.null() { T::default() } else { T::read(reader)? },
        omit(_value): false;
    /// Optional; a malformed value is fatal.
    strict, false, [T: Wire + Default + PartialEq] T, absent: Some(T::default()),
        read(reader): if reader.null() { T::default() } else { T::read(reader)? },
        omit(value): *value == T::default();
    /// Optional; null is read as the empty value, and a malformed value is fatal.
    null, false, [T: Wire + Default + PartialEq] T, absent: Some(T::default()),
        read(reader): if reader.null() { T::default() } else { T::read(reader)? },
        omit(value): *value == T::default();
    /// Optional; a malformed value is read as the default.
    lenient, false, [T: Wire + Default + PartialEq] T, absent: Some(T::default()),
        read(reader): if reader.null() {
            T::default()
        } else {
            lenient_value(reader, T::default())?
        },
        omit(value): *value == T::default();
    /// Like `lenient`, but always written.
    stated, false, [T: Wire + Default] T, absent: Some(T::default()),
        read(reader): if reader.null() {
            T::default()
        } else {
            lenient_value(reader, T::default())?
        },
        omit(_value): false;
    /// Optional; only an absent key is read as the default. Always written.
    given, false, [T: Wire + Default] T, absent: Some(T::default()),
        read(reader): T::read(reader)?,
        omit(_value): false;
    /// Optional list; bad items are dropped, and anything but an array is read as the default.
    items, false, [T: Items] T, absent: Some(T::default()),
        read(reader): if reader.null() {
            T::default()
        } else {
            good_items(reader)?.map_or_else(T::default, T::of)
        },
        omit(value): *value == T::default();
}

/// How a three-state field reads a value that is present and not null. `None` means
/// [`Patch::Keep`].
trait PatchValue<T> {
    fn value(reader: &mut Reader<'_>) -> Result<Option<T>, Fault>;
}

macro_rules! patches {
    ($($(#[$doc:meta])* $mark:ident, $item:ident => $ty:ty, $reader:ident: $read:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $mark {}

        impl<$item: Wire> PatchValue<$ty> for $mark {
            fn value($reader: &mut Reader<'_>) -> Result<Option<$ty>, Fault> {
                $read
            }
        }

        impl<$item: Wire> Mark<Patch<$ty>> for $mark {
            fn member(
                field: &mut Option<Patch<$ty>>,
                reader: &mut Reader<'_>,
            ) -> Result<(), Fault> {
                *field = Some(match reader.null() {
                    true => Patch::Clear,
                    false => Self::value(reader)?.map_or(Patch::Keep, Patch::Set),
                });
                Ok(())
            }
            fn absent() -> Option<Patch<$ty>> {
                Some(Patch::Keep)
            }
            fn write(
                value: &Patch<$ty>,
                key: &str,
                _siblings: &[&str],
                object: &mut ObjectWriter<'_>,
            ) {
                match value {
                    Patch::Keep => {}
                    Patch::Clear => object.key(key).raw("null"),
                    Patch::Set(value) => object.member(key, value),
                }
            }
            #[cfg(feature = "schema")]
            const SHAPE: fn() -> crate::Shape = <Option<$ty> as Wire>::shape;
        }
    )*};
}

patches! {
    /// Three states; a malformed value means [`Patch::Keep`].
    patch, T => T, reader: lenient_value(reader, None::<T>);
    /// Three states. Bad items are dropped, and anything but an array means [`Patch::Keep`].
    patch_items, T => Vec<T>, reader: good_items(reader);
    /// Three states; a malformed value is fatal.
    patch_strict, T => T, reader: T::read(reader).map(Some);
}

/// A tagged union whose members are among those of the enclosing object. The field's key is the
/// union's tag.
#[derive(Debug)]
pub enum flat {}

impl<T: Members> Mark<T> for flat {
    const REQUIRED: bool = true;
    const FLAT: bool = true;

    fn before(reader: &mut Reader<'_>) -> Result<Option<T>, Fault> {
        let mark = reader.checkpoint();
        let value = T::read(reader)?;
        reader.rewind_keeping_report(mark);
        Ok(Some(value))
    }

    fn member(_field: &mut Option<T>, reader: &mut Reader<'_>) -> Result<(), Fault> {
        reader.skip().map(drop)
    }

    fn absent() -> Option<T> {
        None
    }

    fn write(value: &T, _key: &str, siblings: &[&str], object: &mut ObjectWriter<'_>) {
        value.write_members(object, siblings);
    }

    #[cfg(feature = "schema")]
    const SHAPE: fn() -> crate::Shape = T::shape;
}

/// Like [`flat`], but the field is empty if the tag is absent or not a string.
#[derive(Debug)]
pub enum flat_lenient {}

impl<T: Members> Mark<Option<T>> for flat_lenient {
    const FLAT: bool = true;

    fn before(reader: &mut Reader<'_>) -> Result<Option<Option<T>>, Fault> {
        let mark = reader.checkpoint();
        match T::read(reader) {
            Ok(value) => {
                reader.rewind_keeping_report(mark);
                Ok(Some(Some(value)))
            }
            Err(_) => {
                reader.rewind(mark);
                Ok(Some(None))
            }
        }
    }

    fn member(field: &mut Option<Option<T>>, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let mark = reader.checkpoint();
        if reader.peek() == ValueKind::Null || !matches!(field, Some(None)) {
            return reader.skip().map(drop);
        }
        let fault = reader.fault(FaultKind::Expected("a string"));
        reader.drop_value(mark, fault)
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }

    fn write(value: &Option<T>, _key: &str, siblings: &[&str], object: &mut ObjectWriter<'_>) {
        if let Some(value) = value {
            value.write_members(object, siblings);
        }
    }

    #[cfg(feature = "schema")]
    const SHAPE: fn() -> crate::Shape = T::shape;
}
