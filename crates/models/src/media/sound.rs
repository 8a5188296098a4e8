//! Formats of audio, from the first bytes.

/// A format of audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sound {
    /// The display name.
    pub format: &'static str,
    /// The MIME type.
    pub mime: &'static str,
}

impl Sound {
    /// Returns the format, if these bytes are the start of audio.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let at = |at: usize, magic: &[u8]| bytes.get(at..at + magic.len()) == Some(magic);
        let (format, mime) = if at(0, b"RIFF") && at(8, b"WAVE") {
            ("WAV", "audio/wav")
        } else if at(0, b"FORM") && (at(8, b"AIFF") || at(8, b"AIFC")) {
            ("AIFF", "audio/aiff")
        } else if at(0, b"OggS") {
            ("Ogg", "audio/ogg")
        } else if at(0, b"fLaC") {
            ("FLAC", "audio/flac")
        } else if at(4, b"ftypM4A") {
            ("M4A", "audio/mp4")
        } else if at(0, b"ID3") {
            ("MP3", "audio/mp3")
        } else {
            // A frame of MPEG audio begins with 11 bits that are set. Layer 0 means AAC.
            match (bytes.first()?, bytes.get(1)?) {
                (0xff, second) if second & 0xf6 == 0xf0 => ("AAC", "audio/aac"),
                (0xff, second) if second & 0xe6 == 0xe2 => ("MP3", "audio/mp3"),
                _ => return None,
            }
        };
        Some(Self { format, mime })
    }
}

#[cfg(test)]
mod tests {
    use super::Sound;

    #[test]
    fn format_comes_from_the_first_bytes() {
        for (bytes, format) in [
            (&b"RIFF\0\0\0\0WAVEfmt "[..], Some("WAV")),
            (b"RIFF\0\0\0\0WEBPVP8 ", None),
            (b"FORM\0\0\0\0AIFF", Some("AIFF")),
            (b"OggS\0", Some("Ogg")),
            (b"fLaC\0", Some("FLAC")),
            (b"\0\0\0\x20ftypM4A ", Some("M4A")),
            (b"ID3\x04", Some("MP3")),
            (b"\xff\xfb\x90", Some("MP3")),
            (b"\xff\xf1\x50", Some("AAC")),
            (b"\xff\xd8\xff", None),
            (b"\xff", None),
            (b"hello", None),
        ] {
            assert_eq!(Sound::of(bytes).map(|sound| sound.format), format, "{bytes:?}");
        }
    }
}
