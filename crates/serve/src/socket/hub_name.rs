//! The name of a hub.

use std::fmt;
use std::str::FromStr;

/// The maximum length of a name, in bytes. The path of a socket must be short.
const LONGEST: usize = 32;

/// The name of a hub: letters and digits of ASCII, `-` and `_`, at most 32 of them. The first is a
/// letter or a digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubName(String);

impl HubName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for HubName {
    /// Returns the name of the hub of a person who named none: `default`.
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl FromStr for HubName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
        match begins && name.len() <= LONGEST && name.bytes().all(is_plain) {
            true => Ok(Self(name.to_owned())),
            false => Err(format!(
                "a name has at most {LONGEST} letters, digits, `-` and `_`, and begins with a \
                 letter or a digit"
            )),
        }
    }
}

impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::HubName;

    #[test]
    fn a_name_cannot_leave_its_folder() {
        for name in ["default", "a", "Work-2", "x_y", &"n".repeat(32)] {
            assert_eq!(name.parse::<HubName>().unwrap().as_str(), name);
        }
        for name in ["", ".", "..", "a/b", "../x", "-x", "_x", "a.sock", "ä", "a b", "a\0"] {
            assert!(name.parse::<HubName>().is_err(), "{name:?}");
        }
        assert!("n".repeat(33).parse::<HubName>().is_err());
    }
}
