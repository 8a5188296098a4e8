//! The macro that declares unions without a tag.

/// Declares a union of objects that are distinguished by a required key. The first variant that
/// decodes wins.
///
/// `$expected` is what the error expects if an object has none of the keys, such as "an object with
/// \"text\" or \"blob\"".
macro_rules! wire_either {
    ($(#[$doc:meta])* pub enum $name:ident, $expected:literal {
        $($(#[$vdoc:meta])* $variant:ident($ty:ty) with $key:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$vdoc])* $variant($ty),)*
        }

        $(impl From<$ty> for $name {
            fn from(value: $ty) -> Self {
                Self::$variant(value)
            }
        })*

        impl crate::Wire for $name {
            fn read(reader: &mut crate::Reader<'_>) -> Result<Self, crate::Fault> {
                let mark = reader.checkpoint();
                let mut nearest = None;
                $(match <$ty as crate::Wire>::read(reader) {
                    Ok(value) => return Ok(Self::$variant(value)),
                    Err(fault) => {
                        reader.rewind(mark);
                        if fault.kind != crate::FaultKind::Missing($key) {
                            nearest.get_or_insert(fault);
                        }
                    }
                })*
                Err(nearest.unwrap_or_else(|| reader.fault(crate::FaultKind::Expected($expected))))
            }

            fn write(&self, writer: &mut crate::Writer<'_>) {
                writer.object(|object| crate::Members::write_members(self, object, &[]));
            }

            #[cfg(feature = "schema")]
            fn shape() -> crate::Shape {
                crate::Shape::OneOf {
                    name: stringify!($name),
                    shapes: vec![$(<$ty as crate::Wire>::shape()),*],
                }
            }
        }

        impl crate::Members for $name {
            fn write_members(&self, object: &mut crate::ObjectWriter<'_>, except: &[&str]) {
                match self {
                    $(Self::$variant(value) => {
                        crate::Members::write_members(value, object, except);
                    })*
                }
            }
        }
    };
}

pub(crate) use wire_either;
