//! The macros that declare wire types. One declaration generates the type, its decoding by the
//! marks of [`crate::mark`], its encoding and, with the feature `schema`, its shape.

mod id;
mod string;

/// Declares an object.
///
/// Each field has a mark, a type and a key: `must path: String = "path",`. Unless the declaration
/// says `plain struct`, the object also has `meta: Option<Raw>` for `_meta`, where anything but an
/// object counts as absent. A second key, `= "key" formerly "draft_key"`, is the spelling in old
/// drafts, which is read unless unknown values are refused, but never written. `new` takes the
/// required fields in order. All others get their defaults.
macro_rules! wire_struct {
    ($(#[$doc:meta])* pub plain struct $name:ident { $($fields:tt)* }) => {
        wire_struct! { @sort [$(#[$doc])*] $name {} {} $($fields)* }
    };
    ($(#[$doc:meta])* pub struct $name:ident { $($fields:tt)* }) => {
        wire_struct! { @sort [$(#[$doc])*] $name {} {} $($fields)*
            /// Extension data.
            lenient meta: Option<crate::Meta> = "_meta",
        }
    };

    // Separates the required fields from those with defaults, for `new`.
    (
        @sort $docs:tt $name:ident {$($all:tt)*} {$($required:tt)*}
        $(#[$doc:meta])* must $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] must $field: $ty = $key $(formerly $draft)?,}
            {$($required)* $field: $ty,}
            $($rest)*
        }
    };
    (
        @sort $docs:tt $name:ident {$($all:tt)*} {$($required:tt)*}
        $(#[$doc:meta])* must_items $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] must_items $field: $ty = $key $(formerly $draft)?,}
            {$($required)* $field: $ty,}
            $($rest)*
        }
    };
    (
        @sort $docs:tt $name:ident {$($all:tt)*} {$($required:tt)*}
        $(#[$doc:meta])* must_list $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] must_list $field: $ty = $key $(formerly $draft)?,}
            {$($required)* $field: $ty,}
            $($rest)*
        }
    };
    (
        @sort $docs:tt $name:ident {$($all:tt)*} {$($required:tt)*}
        $(#[$doc:meta])* must_null $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] must_null $field: $ty = $key $(formerly $draft)?,}
            {$($required)* $field: $ty,}
            $($rest)*
        }
    };
    (
        @sort $docs:tt $name:ident {$($all:tt)*} {$($required:tt)*}
        $(#[$doc:meta])* flat $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] flat $field: $ty = $key $(formerly $draft)?,}
            {$($required)* $field: $ty,}
            $($rest)*
        }
    };
    (
        @sort $docs:tt $name:ident {$($all:tt)*} $required:tt
        $(#[$doc:meta])* $mark:ident $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,
        $($rest:tt)*
    ) => {
        wire_struct! {
            @sort $docs $name
            {$($all)* [$(#[$doc])*] $mark $field: $ty = $key $(formerly $draft)?,}
            $required
            $($rest)*
        }
    };

    (@sort [$(#[$doc:meta])*] $name:ident
        {$([$(#[$fdoc:meta])*] $mark:ident $field:ident: $ty:ty
            = $key:literal $(formerly $draft:literal)?,)*}
        {$($required:ident: $rty:ty,)*}
    ) => {
        $(#[$doc])*
        #[derive(Debug, PartialEq)]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $ty,)*
        }

        // Derived, the function would be inlined, and each crate would have a copy of it.
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }
        }

        impl $name {
            /// Returns a value with these required fields and all others at their defaults.
            #[allow(clippy::new_without_default, clippy::too_many_arguments, reason = "one shape for every declared object")]
            pub fn new($($required: impl Into<$rty>),*) -> Self {
                wire_struct! { @new $($required)*; $([$mark $field $ty])* }
            }
        }

        impl crate::Wire for $name {
            fn read(reader: &mut crate::Reader<'_>) -> Result<Self, crate::Fault> {
                use crate::mark;
                // A flat union reads the object in a pass of its own, which reports unknown
                // members.
                const FLAT: bool = false $(|| <mark::$mark as mark::Mark<$ty>>::FLAT)*;
                let start = reader.place();
                if FLAT {
                    reader.taken(start, &[$($key),*]);
                }
                $(let mut $field: Option<$ty> = <mark::$mark as mark::Mark<$ty>>::before(reader)?;)*
                reader.object(|key, reader| match key {
                    $($key => <mark::$mark as mark::Mark<$ty>>::member(&mut $field, reader),
                    $($draft if reader.unknown() == crate::UnknownValues::Keep => {
                        <mark::$mark as mark::Mark<$ty>>::member(&mut $field, reader)
                    })?)*
                    _ if FLAT => reader.skip().map(drop),
                    key => reader.unknown_member(start, key),
                })?;
                $(let $field = match $field {
                    Some(value) => value,
                    None => match <mark::$mark as mark::Mark<$ty>>::absent() {
                        Some(value) => value,
                        None => {
                            let kind = crate::FaultKind::Missing($key);
                            return Err(crate::Fault { at: start, kind });
                        }
                    },
                };)*
                Ok(Self { $($field),* })
            }

            fn write(&self, writer: &mut crate::Writer<'_>) {
                writer.object(|object| crate::Members::write_members(self, object, &[]));
            }

            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                use crate::mark;
                crate::Shape::object(stringify!($name), |_object| {
                    $(_object.member(
                        $key,
                        stringify!($mark),
                        <mark::$mark as mark::Mark<$ty>>::REQUIRED,
                        <mark::$mark as mark::Mark<$ty>>::SHAPE,
                    );)*
                })
            }
        }

        impl crate::Members for $name {
            fn write_members(&self, object: &mut crate::ObjectWriter<'_>, except: &[&str]) {
                const KEYS: &[&str] = &[$($key),*];
                $(<crate::mark::$mark as crate::mark::Mark<$ty>>::write(
                    &self.$field,
                    $key,
                    &wire_struct!(@siblings $mark KEYS except),
                    object,
                );)*
                let _ = (object, KEYS, except);
            }
        }
    };

    // The keys that a flat union must not write again.
    (@siblings flat $keys:ident $except:ident) => { [$keys, $except].concat() };
    (@siblings flat_lenient $keys:ident $except:ident) => { [$keys, $except].concat() };
    (@siblings $mark:ident $keys:ident $except:ident) => { [] };

    // The body of `new`: required fields by name, the rest at their defaults.
    (@new $($required:ident)*; $([$mark:ident $field:ident $ty:ty])*) => {
        Self { $($field: wire_struct!(@value $mark $field)),* }
    };
    (@value must $field:ident) => { $field.into() };
    (@value must_items $field:ident) => { $field.into() };
    (@value must_list $field:ident) => { $field.into() };
    (@value must_null $field:ident) => { $field.into() };
    (@value flat $field:ident) => { $field.into() };
    (@value $mark:ident $field:ident) => { Default::default() };
}

/// Declares a union of objects with the string member `$tag`, at any place in the object.
///
/// `closed` and `open` are as for [`wire_string`]. A malformed known variant is an error, never
/// `Unknown`. A variant without a type has no members except the tag. `formerly` gives a retired
/// tag, which is read only under [`crate::UnknownValues::Keep`] and never written. A type that
/// several variants contain is marked `shared` and has no conversion.
macro_rules! wire_union {
    ($(#[$doc:meta])* pub enum $name:ident by $tag:literal $kind:ident { $($variants:tt)* }) => {
        wire_union! { @declare $(#[$doc])* $name $tag $kind { $($variants)* } }
        wire_union! { @from $name $($variants)* }
    };

    (@declare $(#[$doc:meta])* $name:ident $tag:literal $kind:ident {
        $($(#[$vdoc:meta])* $variant:ident $(($ty:ty))?
            = $text:literal $(formerly $old:literal)? $(shared)?,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, PartialEq)]
        pub enum $name {
            $($(#[$vdoc])* $variant $(($ty))?,)*
            /// A variant that this version does not know, as it arrived.
            Unknown(crate::UnknownVariant),
        }

        // As for structs.
        impl Clone for $name {
            fn clone(&self) -> Self {
                match self {
                    $(Self::$variant $((wire_union!(@value value $ty)))? => {
                        Self::$variant $((<$ty>::clone(value)))?
                    })*
                    Self::Unknown(unknown) => Self::Unknown(unknown.clone()),
                }
            }
        }

        impl $name {
            /// The tags of all variants that this version knows.
            pub const TAGS: &'static [&'static str] = &[$($text),*];

            /// Returns the tag on the wire.
            pub fn tag(&self) -> &str {
                match self {
                    $(Self::$variant { .. } => $text,)*
                    Self::Unknown(unknown) => &unknown.tag,
                }
            }
        }

        impl crate::Wire for $name {
            fn read(reader: &mut crate::Reader<'_>) -> Result<Self, crate::Fault> {
                let Some(tag) = reader.tag($tag)? else {
                    return Err(reader.fault(crate::FaultKind::Missing($tag)));
                };
                let start = reader.place();
                reader.taken(start, &[$tag]);
                let tag = match &*tag {
                    $($($old if reader.unknown() == crate::UnknownValues::Keep => $text,)?)*
                    tag => tag,
                };
                match tag {
                    $($text => wire_union!(@read reader $variant $($ty)?),)*
                    _ if crate::wire::declare::wire_string!(@closed $kind)
                        && reader.unknown() == crate::UnknownValues::Refuse =>
                    {
                        Err(reader.fault(crate::FaultKind::NotOneOf(stringify!($name))))
                    }
                    _ => crate::UnknownVariant::read(tag, reader).map(Self::Unknown),
                }
            }

            fn write(&self, writer: &mut crate::Writer<'_>) {
                writer.object(|object| crate::Members::write_members(self, object, &[]));
            }

            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                let open = !crate::wire::declare::wire_string!(@closed $kind);
                crate::Shape::union(stringify!($name), $tag, open, |union| {
                    $(union.variant($text, wire_union!(@shape $variant $($ty)?));)*
                })
            }
        }

        impl crate::Members for $name {
            fn write_members(&self, object: &mut crate::ObjectWriter<'_>, except: &[&str]) {
                match self {
                    $(Self::$variant $((wire_union!(@value value $ty)))? => {
                        object.key($tag).string($text);
                        $(crate::wire::write_variant::<$ty>(value, object, $tag, except);)?
                    })*
                    Self::Unknown(unknown) => unknown.write_members(object, except, $tag),
                }
            }
        }
    };

    (@read $reader:ident $variant:ident) => {{
        let start = $reader.place();
        $reader.object(|key, reader| reader.unknown_member(start, key)).map(|()| Self::$variant)
    }};
    (@read $reader:ident $variant:ident $ty:ty) => {
        <$ty as crate::Wire>::read($reader).map(Self::$variant)
    };
    (@shape $variant:ident) => { crate::Shape::no_members };
    (@shape $variant:ident $ty:ty) => { <$ty as crate::Wire>::shape };
    (@value $value:ident $ty:ty) => { $value };

    // Conversions from each type that only one variant contains.
    (@from $name:ident) => {};
    (@from $name:ident $(#[$vdoc:meta])* $variant:ident = $text:literal, $($rest:tt)*) => {
        wire_union! { @from $name $($rest)* }
    };
    (
        @from $name:ident $(#[$vdoc:meta])* $variant:ident($ty:ty) = $text:literal shared,
        $($rest:tt)*
    ) => {
        wire_union! { @from $name $($rest)* }
    };
    (
        @from $name:ident $(#[$vdoc:meta])* $variant:ident($ty:ty)
            = $text:literal $(formerly $old:literal)?,
        $($rest:tt)*
    ) => {
        impl From<$ty> for $name {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        }
        wire_union! { @from $name $($rest)* }
    };
}

pub(crate) use id::wire_id;
pub(crate) use string::wire_string;
pub(crate) use {wire_struct, wire_union};
