//! What a piece of media is, by its content.

use super::picture::Picture;
use super::sound::Sound;
use crate::message::{Document, Media, Part};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// How many characters of base64 are examined to find out the kind of content.
const START: usize = 2048;

/// How many bytes may precede the header of a PDF document.
const PDF_START: usize = 1024;

/// What a piece of media is, by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Picture(Picture),
    /// An HEIC or HEIF picture, whose size is not read.
    Heic,
    Pdf,
    Sound(Sound),
}

impl Content {
    /// Returns what begins with these bytes, or `None` if it is nothing that a model accepts.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        if let Some(picture) = Picture::of(bytes) {
            return Some(Self::Picture(picture));
        }
        let brand = bytes.get(8..12).filter(|_| bytes.get(4..8) == Some(b"ftyp"));
        let heic: [&[u8]; 6] = [b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"];
        if brand.is_some_and(|brand| heic.contains(&brand)) {
            return Some(Self::Heic);
        }
        let start = bytes.get(..PDF_START).unwrap_or(bytes);
        if start.windows(5).any(|five| five == b"%PDF-") {
            return Some(Self::Pdf);
        }
        Sound::of(bytes).map(Self::Sound)
    }

    /// Returns the MIME type.
    pub(crate) fn mime(self) -> &'static str {
        match self {
            Self::Picture(picture) => picture.mime,
            Self::Heic => "image/heic",
            Self::Pdf => "application/pdf",
            Self::Sound(sound) => sound.mime,
        }
    }

    /// Returns a description with its article, such as `a WAV sound`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Picture(picture) => picture.words(),
            Self::Heic => "an HEIC picture".to_owned(),
            Self::Pdf => "a PDF document".to_owned(),
            Self::Sound(sound) => format!("audio in the format {}", sound.format),
        }
    }

    /// Returns the part of a prompt that contains this media. `name` is the name of a document.
    pub(crate) fn part(self, media: Media, name: Option<String>) -> Part {
        let media = Media { mime: self.mime().to_owned(), ..media };
        match self {
            Self::Picture(_) | Self::Heic => Part::Image(media),
            Self::Pdf => {
                let name = name.or_else(|| media.name.clone());
                Part::Document(Document {
                    name: name.unwrap_or_else(|| "document.pdf".to_owned()),
                    media,
                })
            }
            Self::Sound(_) => Part::Audio(media),
        }
    }
}

/// Returns the part of a prompt for a file, if models accept its content. A sender may state a
/// wrong MIME type or none, so it counts only for content that is not recognized: such a part is
/// left out of requests later, with a reason.
pub fn part_of(name: Option<&str>, mime: Option<&str>, base64: &str) -> Option<Part> {
    let media = Media {
        mime: mime.unwrap_or_default().to_owned(),
        base64: base64.to_owned(),
        name: name.map(str::to_owned),
    };
    if let Some(content) = start(base64).as_deref().and_then(Content::of) {
        return Some(content.part(media, None));
    }
    match mime? {
        "application/pdf" => Some(Content::Pdf.part(media, None)),
        mime if mime.starts_with("image/") => Some(Part::Image(media)),
        mime if mime.starts_with("audio/") => Some(Part::Audio(media)),
        _ => None,
    }
}

/// Decodes the first bytes, or returns `None` if they are not base64.
pub(crate) fn start(base64: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(base64.get(..START).unwrap_or(base64)).ok()
}

/// Decodes everything.
pub(crate) fn bytes(base64: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(base64).ok()
}

/// Returns a number of pages that the document surely has. It is 0 if the list of pages is
/// compressed.
pub(crate) fn pages_at_least(pdf: &[u8]) -> u64 {
    let (mut pages, mut count) = (0_u64, 0_u64);
    let mut rest = pdf;
    while let Some(at) = rest.iter().position(|byte| *byte == b'/') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(value) = value(rest, b"Type") {
            let name = value.strip_prefix(b"/Page").and_then(<[u8]>::first);
            pages += u64::from(name.is_some_and(|next| !next.is_ascii_alphabetic()));
        } else if let Some(value) = value(rest, b"Count") {
            let digits = value.iter().take(9).take_while(|byte| byte.is_ascii_digit());
            count = count.max(digits.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')));
        }
    }
    // An outline has a count too, and a changed document contains old pages, so that each number
    // alone may be too high.
    pages.min(count)
}

/// Returns what follows this key.
fn value<'b>(bytes: &'b [u8], key: &[u8]) -> Option<&'b [u8]> {
    let value = bytes.strip_prefix(key)?;
    let blank = value.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    value.get(blank..)
}

#[cfg(test)]
mod tests {
    use super::{Content, pages_at_least, part_of};
    use crate::message::Part;
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    fn part(mime: Option<&str>, bytes: &[u8]) -> Option<Part> {
        part_of(Some("a"), mime, &BASE64_STANDARD.encode(bytes))
    }

    #[test]
    fn content_decides_and_not_the_stated_type() {
        let webp = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02";
        for mime in [Some("image/png"), Some("text/plain"), None] {
            let Some(Part::Image(media)) = part(mime, webp) else { panic!("{mime:?}") };
            assert_eq!(media.mime, "image/webp");
        }
        let Some(Part::Document(pdf)) = part(None, b"\n%PDF-1.7\n") else { panic!() };
        assert_eq!((pdf.name.as_str(), pdf.media.mime.as_str()), ("a", "application/pdf"));
        assert!(matches!(part(Some("image/png"), b"ID3\x04"), Some(Part::Audio(_))));
        assert!(matches!(part(Some("image/png"), b"hello"), Some(Part::Image(_))));
        assert_eq!(part(Some("text/plain"), b"hello"), None);
        assert_eq!(part(None, b"hello"), None);
        let heic = b"\0\0\0\x18ftypheic\0\0\0\0";
        assert_eq!(Content::of(heic), Some(Content::Heic));
    }

    #[test]
    fn pages_are_counted_if_they_can_be_seen() {
        let page = "<</Type /Page /Parent 1 0 R>>\n".repeat(120);
        let pdf =
            format!("%PDF-1.4\n<</Type/Pages/Count 120>>\n{page}<</Type/Outlines/Count 999>>");
        assert_eq!(pages_at_least(pdf.as_bytes()), 120);
        assert_eq!(pages_at_least(b"%PDF-1.5 <</Type/Pages/Count 120>>"), 0);
        assert_eq!(pages_at_least(b"%PDF-1.5 compressed /"), 0);
    }
}
