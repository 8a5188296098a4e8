//! The macro that declares sets of strings.

/// Declares a set of strings.
///
/// `closed` sets refuse other strings under [`crate::UnknownValues::Refuse`]; `open` sets never do.
/// A string outside the set is kept as `Unknown`.
macro_rules! wire_string {
    ($(#[$doc:meta])* pub enum $name:ident $kind:ident {
        $($(#[$vdoc:meta])* $variant:ident = $text:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
            /// A value that this version does not know, as it arrived.
            Unknown(Box<str>),
        }

        impl $name {
            /// Every value that this version knows.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the string on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Unknown(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    other => Self::Unknown(other.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl crate::Wire for $name {
            fn read(reader: &mut crate::Reader<'_>) -> Result<Self, crate::Fault> {
                let mark = reader.checkpoint();
                let value = Self::from(&*reader.string()?);
                if wire_string!(@closed $kind)
                    && matches!(value, Self::Unknown(_))
                    && reader.unknown() == crate::UnknownValues::Refuse
                {
                    reader.rewind(mark);
                    return Err(reader.fault(crate::FaultKind::NotOneOf(stringify!($name))));
                }
                Ok(value)
            }

            fn write(&self, writer: &mut crate::Writer<'_>) {
                writer.string(self.as_str());
            }

            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                crate::Shape::Strings {
                    name: stringify!($name),
                    known: &[$($text),*],
                    open: !crate::wire::declare::wire_string!(@closed $kind),
                }
            }
        }
    };
    (@closed closed) => { true };
    (@closed open) => { false };
}

pub(crate) use wire_string;
