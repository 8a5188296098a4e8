//! Compression of contents and manifests.
//!
//! DEFLATE at level 3, measured on sources (ratio, MB/s on one slow core): level 3 of miniz_oxide
//! 4.89 at 41, level 6 5.06 at 22, level 1 3.91 at 82; LZ4 3.16 at 252; zlib-rs 4.44 at 79; zstd
//! 4.52 at 199. zstd would be faster, but needs a C library, which makes the program larger
//! and its build longer. Only changed files are compressed, so the ratio counts for more than the
//! speed.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

const LEVEL: u8 = 3;

/// How many bytes are tried before a large content is compressed as a whole.
const SAMPLE: usize = 32 * 1024;

/// How stored bytes are encoded. The numbers are in stored files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Plain = 0,
    Deflate = 1,
}

impl Encoding {
    pub(crate) fn from_number(number: i64) -> Option<Self> {
        [Self::Plain, Self::Deflate].into_iter().find(|each| *each as i64 == number)
    }
}

/// Compresses bytes, or returns `None` if that would save little: images and archives.
pub(crate) fn compress(bytes: &[u8]) -> Option<Vec<u8>> {
    let saves = |from: usize, to: usize| to < from - from / 16;
    if let Some(sample) = bytes.get(..SAMPLE).filter(|_| bytes.len() > 2 * SAMPLE)
        && !saves(sample.len(), compress_to_vec(sample, 1).len())
    {
        // The start of a file may differ from the rest, such as a header before text.
        let middle = bytes.get(bytes.len() / 2..).unwrap_or_default();
        let middle = middle.get(..SAMPLE).unwrap_or(middle);
        if !saves(middle.len(), compress_to_vec(middle, 1).len()) {
            return None;
        }
    }
    let packed = compress_to_vec(bytes, LEVEL);
    saves(bytes.len(), packed.len()).then_some(packed)
}

/// Returns the bytes again, or `None` if they are damaged or do not have this length.
pub(crate) fn decompress(bytes: &[u8], encoding: Encoding, size: usize) -> Option<Vec<u8>> {
    let bytes = match encoding {
        Encoding::Plain => bytes.to_vec(),
        Encoding::Deflate => decompress_to_vec_with_limit(bytes, size).ok()?,
    };
    (bytes.len() == size).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn noise_is_kept_plain_and_text_is_not() {
        let hashes: Vec<u8> = (0..6000_u32)
            .flat_map(|each| *crate::ContentId::of(&each.to_le_bytes()).as_bytes())
            .collect();
        assert!(compress(&hashes).is_none());
        let text = "a line of text\n".repeat(10_000);
        assert!(compress(text.as_bytes()).unwrap().len() < text.len() / 50);
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(0_u8..4, 0..4000)) {
            let (packed, encoding) = match compress(&bytes) {
                Some(packed) => (packed, Encoding::Deflate),
                None => (bytes.clone(), Encoding::Plain),
            };
            prop_assert_eq!(decompress(&packed, encoding, bytes.len()), Some(bytes.clone()));
            prop_assert_eq!(decompress(&packed, encoding, bytes.len() + 1), None);
        }
    }
}
