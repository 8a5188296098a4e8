//! The macro that declares identifiers.

/// Declares an identifier: an opaque string that is cheap to clone and never parsed.
macro_rules! wire_id {
    ($($(#[$doc:meta])* pub struct $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// Returns the identifier's text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:?}", self.as_str())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl crate::Wire for $name {
            fn read(reader: &mut crate::Reader<'_>) -> Result<Self, crate::Fault> {
                reader.string().map(|text| Self((&*text).into()))
            }

            fn write(&self, writer: &mut crate::Writer<'_>) {
                writer.string(self.as_str());
            }

            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                crate::Shape::String
            }
        }
    )*};
}

pub(crate) use wire_id;
