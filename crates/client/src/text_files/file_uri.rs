//! Files as the protocol names them in links and errors.

use std::path::Path;

/// Returns the path as a `file:` URI (RFC 8089). All characters except `/` and the unreserved ones
/// of RFC 3986 are escaped.
pub fn file_uri(path: &Path) -> String {
    use std::fmt::Write;
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte))
            }
            // Writing to a string cannot fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::file_uri;
    use std::path::Path;

    #[test]
    fn a_path_becomes_a_uri() {
        assert_eq!(file_uri(Path::new("/a b/ü#%.rs")), "file:///a%20b/%C3%BC%23%25.rs");
    }
}
