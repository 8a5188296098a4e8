//! Strings that must not be printed.

use crate::{Fault, Reader, Wire, Writer};
use std::fmt;

/// A value that may be a key or a password, such as the value of an environment variable or a
/// header. It is sent unchanged and never logged: `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// Returns the value.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self(value.to_owned())
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

impl Wire for Secret {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        String::read(reader).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.string(&self.0);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        crate::Shape::String
    }
}

#[cfg(test)]
mod tests {
    use crate::v1::EnvVariable;

    #[test]
    fn a_printed_message_hides_its_secrets_and_the_wire_does_not() {
        let variable = EnvVariable::new("API_KEY", "sk-123");
        assert_eq!(
            format!("{variable:?}"),
            r#"EnvVariable { name: "API_KEY", value: <hidden>, meta: None }"#
        );
        assert_eq!(crate::encode(&variable), r#"{"name":"API_KEY","value":"sk-123"}"#);
    }
}
