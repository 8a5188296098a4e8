//! The text of a file and its encoding.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How many bytes are examined to tell text from binary data.
const EXAMINED: usize = 8 * 1024;

/// The text of a file, with its line endings unchanged. A byte order mark is its first character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) text: String,
    pub(crate) encoding: Encoding,
}

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// UTF-16 with a byte order mark. UTF-16 without a mark is not recognized.
    Utf16Le,
    Utf16Be,
    /// Text that is not UTF-8 and has no byte order mark. Each byte is decoded as one character, so
    /// that edits leave the rest of a file intact, whatever its single-byte encoding is.
    Windows1252,
}

impl Encoding {
    /// The display name of the encoding.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 (little-endian)",
            Self::Utf16Be => "UTF-16 (big-endian)",
            Self::Windows1252 => "Windows-1252",
        }
    }
}

impl Document {
    /// Creates a document in UTF-8.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), encoding: Encoding::Utf8 }
    }

    /// Decodes bytes, or returns `None` if they are not text.
    pub(crate) fn of(bytes: Vec<u8>) -> Option<Self> {
        // The byte order marks of UTF-32 and UTF-16 begin with the same bytes.
        if bytes.starts_with(b"\xff\xfe\0\0") {
            return None;
        }
        if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(&bytes) {
            let kept = match encoding {
                _ if encoding == UTF_16LE => Encoding::Utf16Le,
                _ if encoding == UTF_16BE => Encoding::Utf16Be,
                _ => Encoding::Utf8,
            };
            if kept != Encoding::Utf8 {
                let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
                return Some(Self { text: text.into_owned(), encoding: kept });
            }
        }
        let start = bytes.get(..EXAMINED).unwrap_or(&bytes);
        if start.contains(&0) {
            return None;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(Self::new(text)),
            Err(error) => {
                let bytes = error.into_bytes();
                let start = bytes.get(..EXAMINED).unwrap_or(&bytes);
                // Text does not contain control characters other than these.
                let control = |byte: &u8| *byte < b' ' && !b"\t\n\x0c\r\x1b".contains(byte);
                if start.iter().any(control) {
                    return None;
                }
                let text =
                    WINDOWS_1252.decode_without_bom_handling_and_without_replacement(&bytes)?;
                Some(Self { text: text.into_owned(), encoding: Encoding::Windows1252 })
            }
        }
    }

    /// Encodes the text. The error is the first character that does not exist in the encoding.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, char> {
        match self.encoding {
            Encoding::Utf8 => Ok(self.text.clone().into_bytes()),
            Encoding::Utf16Le => Ok(self.text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Ok(self.text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Encoding::Windows1252 => self.text.chars().map(windows_1252).collect(),
        }
    }

    /// Returns a new text for the same file, in its encoding and with its byte order mark.
    pub(crate) fn with(&self, text: String) -> Self {
        let marked = self.text.starts_with('\u{feff}') && !text.starts_with('\u{feff}');
        let text = if marked { format!("\u{feff}{text}") } else { text };
        Self { text, encoding: self.encoding }
    }
}

/// The most frequent line ending of a text.
pub(crate) fn line_end(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    if text.matches("\r\n").count() * 2 > all { "\r\n" } else { "\n" }
}

fn windows_1252(character: char) -> Result<u8, char> {
    let mut text = [0; 4];
    let (bytes, _, unmappable) = WINDOWS_1252.encode(character.encode_utf8(&mut text));
    bytes.first().filter(|_| !unmappable).copied().ok_or(character)
}

#[cfg(test)]
mod tests {
    use super::{Document, Encoding, line_end};

    #[test]
    fn decoding_and_encoding_preserve_every_byte() {
        let utf_16 = |text: &str, to: fn(u16) -> [u8; 2]| {
            text.encode_utf16().flat_map(to).collect::<Vec<u8>>()
        };
        let every: Vec<u8> = (b' '..=u8::MAX).collect();
        for (bytes, encoding, text) in [
            ("é\r\n日本🎉\n".as_bytes().to_vec(), Encoding::Utf8, "é\r\n日本🎉\n"),
            (b"\xef\xbb\xbfa".to_vec(), Encoding::Utf8, "\u{feff}a"),
            (Vec::new(), Encoding::Utf8, ""),
            (utf_16("\u{feff}a🎉\r\n", u16::to_le_bytes), Encoding::Utf16Le, "\u{feff}a🎉\r\n"),
            (utf_16("\u{feff}日\n", u16::to_be_bytes), Encoding::Utf16Be, "\u{feff}日\n"),
            (b"caf\xe9 \x80\r\n".to_vec(), Encoding::Windows1252, "café €\r\n"),
            (every.clone(), Encoding::Windows1252, ""),
        ] {
            let document = Document::of(bytes.clone()).unwrap();
            assert_eq!(document.encoding, encoding);
            assert!(document.text == text || bytes == every, "{}", document.text);
            assert_eq!(document.bytes(), Ok(bytes));
        }
    }

    #[test]
    fn binary_data_is_not_text() {
        for bytes in [
            &b"a\0b"[..],
            b"\xff\xfe\0\0a\0\0\0",
            b"\xff\xfea",
            b"\xff\xfe\x00\xd8",
            b"\x1f\x8b\x08\0",
            b"\xe9\x01\x02",
        ] {
            assert_eq!(Document::of(bytes.to_vec()), None, "{bytes:?}");
        }
    }

    #[test]
    fn missing_character_is_named_and_the_mark_is_kept() {
        let latin = Document::of(b"caf\xe9".to_vec()).unwrap();
        assert_eq!(latin.with("日".to_owned()).bytes(), Err('日'));
        assert_eq!(latin.with("é€".to_owned()).bytes(), Ok(b"\xe9\x80".to_vec()));
        assert_eq!(Document::new("\u{feff}a").with("b".to_owned()).text, "\u{feff}b");
        assert_eq!((line_end("a\r\nb\r\nc\n"), line_end("a")), ("\r\n", "\n"));
    }
}
