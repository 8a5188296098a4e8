//! Formats and sizes of pictures that models accept, from their headers.

use crate::text::counted;

/// The maximum size of a picture that a tool gives to a model, in bytes. All large providers accept
/// pictures within this limit and [`MAX_SIDE`].
const MAX_BYTES: u64 = 3_750_000;

/// The maximum width and height of a picture that a model gets, in pixels.
const MAX_SIDE: u32 = 8_000;

/// The maximum number of JPEG segments to search for the size. In ordinary pictures, fewer segments
/// precede the size.
const MAX_SEGMENTS: usize = 1_000;

/// The properties of a picture, from its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// The display name of the format.
    pub format: &'static str,
    /// The MIME type.
    pub mime: &'static str,
    /// The width and height in pixels, if the header has them.
    pub size: Option<(u32, u32)>,
}

impl Picture {
    /// Parses the header, if these bytes are the start of a picture.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let (format, mime, size) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            ("PNG", "image/png", pair(big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)))
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            ("JPEG", "image/jpeg", jpeg(bytes))
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            ("GIF", "image/gif", pair(little_endian(bytes, 6, 2), little_endian(bytes, 8, 2)))
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            ("WebP", "image/webp", webp(bytes))
        } else {
            return None;
        };
        Some(Self { format, mime, size: size.filter(|(width, height)| *width > 0 && *height > 0) })
    }

    /// A description with its article, such as `a PNG picture of 800 × 600 pixels`.
    pub fn words(&self) -> String {
        match self.size {
            Some((width, height)) => {
                format!("a {} picture of {width} × {height} pixels", self.format)
            }
            None => format!("a broken {} picture", self.format),
        }
    }

    /// Returns the reason if a picture of `length` bytes cannot be given to a model.
    pub fn refused(&self, length: u64) -> Option<String> {
        let words = self.words();
        match self.size {
            None => Some(format!("{words}: its header has no size")),
            Some((width, height)) if width > MAX_SIDE || height > MAX_SIDE => Some(format!(
                "{words}: the limit is {MAX_SIDE} on a side; make a smaller copy and read that"
            )),
            _ if length > MAX_BYTES => Some(format!(
                "{words} with {}: the limit is {}; make a smaller copy and read that",
                counted(length, "byte"),
                counted(MAX_BYTES, "byte")
            )),
            _ => None,
        }
    }
}

fn pair(width: Option<u32>, height: Option<u32>) -> Option<(u32, u32)> {
    Some((width?, height?))
}

/// Reads a big-endian number of `length` bytes.
fn big_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at.checked_add(length)?)?;
    Some(number.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Reads a little-endian number of `length` bytes.
fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at.checked_add(length)?)?;
    Some(number.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// The first frame header contains the size. The segments before it are skipped.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    for _ in 0..MAX_SEGMENTS {
        if bytes.get(at) != Some(&0xff) {
            return None;
        }
        match *bytes.get(at + 1)? {
            // These are fill bytes, and markers without a length.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc4 | 0xc8 | 0xcc => at += 2 + big_endian(bytes, at + 2, 2)? as usize,
            0xc0..=0xcf => return pair(big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)),
            _ => at += 2 + big_endian(bytes, at + 2, 2)? as usize,
        }
    }
    None
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little_endian(bytes, 24, 3)? + 1, little_endian(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let both = little_endian(bytes, 21, 4)?;
            Some(((both & 0x3fff) + 1, (both >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => {
            Some((little_endian(bytes, 26, 2)? & 0x3fff, little_endian(bytes, 28, 2)? & 0x3fff))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Picture;

    fn size(bytes: &[u8]) -> Option<(u32, u32)> {
        Picture::of(bytes).unwrap().size
    }

    #[test]
    fn format_and_size_come_from_the_header() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58";
        assert_eq!(Picture::of(png).unwrap().words(), "a PNG picture of 800 × 600 pixels");
        assert_eq!(size(b"GIF89a\x20\x03\x58\x02"), Some((800, 600)));
        let jpeg =
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x03c\xff\xff\xc2\0\x11\x08\x02\x58\x03\x20\x03";
        assert_eq!(size(jpeg), Some((800, 600)));
        let webp =
            |kind: &[u8], rest: &[u8]| [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", rest].concat();
        assert_eq!(size(&webp(b"VP8X", b"\0\0\0\0\x1f\x03\0\x57\x02\0")), Some((800, 600)));
        assert_eq!(size(&webp(b"VP8L", b"\x2f\x1f\xc3\x95\x00")), Some((800, 600)));
        assert_eq!(size(&webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\x20\x03\x58\x02")), Some((800, 600)));
    }

    #[test]
    fn broken_or_too_large_picture_is_refused_with_a_reason() {
        assert_eq!(Picture::of(b"\x89PNG\0\0word\0"), None);
        for cut in [
            &b"\x89PNG\r\n\x1a\n\0\0"[..],
            b"\xff\xd8\xff\xe0\xff\xff",
            b"\xff\xd8\xffx",
            b"GIF87a\0\0\0\0",
        ] {
            assert!(Picture::of(cut).unwrap().refused(10).unwrap().contains("broken"), "{cut:?}");
        }
        let gif = |width: &[u8]| Picture::of(&[b"GIF89a", width, b"\x01\0"].concat()).unwrap();
        assert!(
            gif(b"\x41\x1f").refused(10).unwrap().contains("8001 × 1 pixels: the limit is 8000")
        );
        assert_eq!(gif(b"\x40\x1f").refused(10), None);
        assert!(gif(b"\x40\x1f").refused(3_750_001).unwrap().contains("with 3,750,001 bytes"));
    }
}
