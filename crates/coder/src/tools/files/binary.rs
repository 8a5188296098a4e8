//! Describes files that are not text, by their first bytes.

/// For each format: an offset, the magic bytes there, and a description with its article.
const KINDS: &[(usize, &[u8], &str)] = &[
    (0, b"%PDF-", "a PDF document"),
    (0, b"\x7fELF", "a program or library (ELF)"),
    (0, b"\xcf\xfa\xed\xfe", "a program or library (Mach-O)"),
    (0, b"\xce\xfa\xed\xfe", "a program or library (Mach-O)"),
    (0, b"\xca\xfe\xba\xbe", "a Java class or a program for several processors"),
    (0, b"MZ", "a program or library for Windows"),
    (0, b"\0asm", "a WebAssembly module"),
    (0, b"!<arch>\n", "a static library or Debian package"),
    (0, b"PK\x03\x04", "a ZIP archive, or a document or package kept as one"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (0, b"\xff\xfe\0\0", "text in UTF-32"),
    (0, b"\0\0\xfe\xff", "text in UTF-32"),
    (0, b"II*\0", "a TIFF picture"),
    (0, b"MM\0*", "a TIFF picture"),
    (0, b"BM", "a BMP picture"),
    (0, b"\0\0\x01\0", "an icon"),
    (4, b"ftypavif", "an AVIF picture"),
    (4, b"ftypheic", "a HEIC picture"),
    (4, b"ftyp", "an MP4 video or sound"),
    (0, b"\x1a\x45\xdf\xa3", "a Matroska or WebM video"),
    (8, b"AVI ", "an AVI video"),
    (8, b"WAVE", "a WAV sound"),
    (0, b"OggS", "an Ogg sound or video"),
    (0, b"fLaC", "a FLAC sound"),
    (0, b"ID3", "an MP3 sound"),
    (0, b"\xff\xfb", "an MP3 sound"),
    (0, b"wOFF", "a font (WOFF)"),
    (0, b"wOF2", "a font (WOFF2)"),
    (0, b"OTTO", "a font (OpenType)"),
    (0, b"\0\x01\0\0\0", "a font (TrueType)"),
];

/// Describes the file that begins with these bytes, such as `a PDF document`. If the format is
/// unknown, this is `a binary file`.
pub(crate) fn what(start: &[u8]) -> &'static str {
    let fits = |(at, magic, _): &&(usize, &[u8], &str)| {
        start.get(*at..).is_some_and(|rest| rest.starts_with(magic))
    };
    KINDS.iter().find(fits).map_or("a binary file", |(_, _, what)| what)
}

#[cfg(test)]
mod tests {
    use super::what;

    #[test]
    fn common_formats_are_recognized_and_others_are_binary() {
        for (start, expected) in [
            (&b"%PDF-1.7\n"[..], "a PDF document"),
            (b"\0\0\0\x1cftypavif", "an AVIF picture"),
            (b"\0\0\0\x1cftypisom", "an MP4 video or sound"),
            (b"\x1f\x8b\x08", "a gzip archive"),
            (b"\0\x02", "a binary file"),
            (b"", "a binary file"),
        ] {
            assert_eq!(what(start), expected);
        }
    }
}
