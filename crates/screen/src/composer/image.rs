//! Images that the person attaches to a prompt.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The maximum size of an image, in bytes.
pub const IMAGE_LIMIT: u64 = 10 << 20;

/// An image file that the person attached to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    path: PathBuf,
    /// The format and the size in bytes; `None` if the file could not be used.
    found: Option<(&'static str, u64)>,
}

impl ImageFile {
    /// Looks at the file at `path`.
    ///
    /// # Errors
    /// Returns a message for the person if the file cannot be read, is larger than
    /// [`IMAGE_LIMIT`], or is not a PNG, JPEG, GIF or WebP image.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, String> {
        let path = path.into();
        match look_at(&path) {
            Ok(found) => Ok(Self { path, found: Some(found) }),
            Err(why) => Err(format!("{} {why}", path.display())),
        }
    }

    /// Returns an image of a stored prompt, whose file may be gone.
    pub fn stored(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let found = look_at(&path).ok();
        Self { path, found }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size in bytes; 0 if the file could not be used.
    pub fn size(&self) -> u64 {
        self.found.map_or(0, |(_, size)| size)
    }

    /// Returns the format and the size, such as `PNG, 1.2 MB`.
    pub(super) fn description(&self) -> String {
        match self.found {
            Some((format, size)) => format!("{format}, {}", shown_size(size)),
            None => "missing".to_owned(),
        }
    }
}

/// Returns the format and the size of an image file. The error is the end of a sentence that
/// begins with the path.
fn look_at(path: &Path) -> Result<(&'static str, u64), String> {
    let cannot = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    // Opening a pipe would wait for its other end.
    let meta = std::fs::metadata(path).map_err(cannot)?;
    if !meta.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut head = Vec::new();
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut head)).map_err(cannot)?;
    let Some(format) = format_of(&head) else {
        return Err("is not an image: expected PNG, JPEG, GIF or WebP".to_owned());
    };
    match meta.len() {
        size if size > IMAGE_LIMIT => Err(format!(
            "has {}: an image can have at most {} MiB",
            shown_size(size),
            IMAGE_LIMIT >> 20
        )),
        size => Ok((format, size)),
    }
}

/// Returns the format of an image by its first bytes.
pub(crate) fn format_of(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("PNG"),
        [0xff, 0xd8, 0xff, ..] => Some("JPEG"),
        [b'G', b'I', b'F', b'8', ..] => Some("GIF"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("WebP"),
        _ => None,
    }
}

fn shown_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// Returns whether a file name has the extension of an image.
pub(super) fn has_image_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.map(str::to_ascii_lowercase).unwrap_or_default();
    matches!(&*extension, "png" | "jpg" | "jpeg" | "gif" | "webp")
}

/// Returns the paths if a pasted text consists of paths of images, as terminals paste files that
/// are dropped on them: absolute, perhaps quoted, with `\ ` for spaces, or as `file:` URLs,
/// separated by spaces or line feeds.
pub(super) fn image_paths(pasted: &str) -> Option<Vec<PathBuf>> {
    let text = pasted.trim();
    if text.is_empty() || text.len() > 16 << 10 {
        return None;
    }
    // A path that some terminals paste without quotes.
    if let Some(whole) = image_path(text).filter(|path| path.is_file()) {
        return Some(vec![whole]);
    }
    words(text)?.iter().map(|word| image_path(word)).collect()
}

fn image_path(word: &str) -> Option<PathBuf> {
    let path = match (word.strip_prefix("~/"), word.starts_with("file:")) {
        (Some(rest), _) => PathBuf::from(std::env::var_os("HOME")?).join(rest),
        (None, true) => path_of_url(word)?,
        (None, false) => PathBuf::from(word),
    };
    let fits = path.is_absolute() && !path.to_str()?.contains(['\n', '\0']);
    (fits && has_image_name(&path)).then_some(path)
}

/// Returns the path of a `file:` URL.
pub(crate) fn path_of_url(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("file://")?;
    percent_decoded(path.strip_prefix("localhost").unwrap_or(path)).map(PathBuf::from)
}

/// Divides a text into words as a shell does; `None` if a quote is not closed.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut characters = text.chars();
    while let Some(letter) = characters.next() {
        match letter {
            quote @ ('\'' | '"') => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        end if end == quote => break,
                        '\\' if quote == '"' => word.push(characters.next()?),
                        letter => word.push(letter),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            letter if letter.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
                let digits = std::str::from_utf8(&digits).ok().filter(|_| is_hex)?;
                u8::from_str_radix(digits, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_images_are_found() {
        for (pasted, paths) in [
            ("/tmp/a.png", &["/tmp/a.png"][..]),
            ("'/tmp/a b.PNG' ", &["/tmp/a b.PNG"]),
            ("\"/tmp/a \\\"b\\\".png\"", &["/tmp/a \"b\".png"]),
            ("'/tmp/it'\\''s.png'", &["/tmp/it's.png"]),
            ("/tmp/a\\ b.jpeg\n", &["/tmp/a b.jpeg"]),
            ("file:///tmp/a%20b.webp", &["/tmp/a b.webp"]),
            ("file://localhost/tmp/a.gif", &["/tmp/a.gif"]),
            ("file:///tmp/a.png\r\nfile:///tmp/b.png\r\n", &["/tmp/a.png", "/tmp/b.png"]),
            ("'/tmp/a.png' '/tmp/b c.png'", &["/tmp/a.png", "/tmp/b c.png"]),
        ] {
            let expected: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            assert_eq!(image_paths(pasted), Some(expected), "{pasted}");
        }
        for pasted in [
            "",
            "a.png",
            "/tmp/a.rs",
            "/tmp/a.png and /tmp/b.png text",
            "'/tmp/a.png",
            "file:///tmp/%zz.png",
            "file:///tmp/%+f.png",
            "file:///tmp/a%0ab.png",
        ] {
            assert_eq!(image_paths(pasted), None, "{pasted}");
        }
    }

    #[test]
    fn only_images_within_the_limit_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, head: &[u8], size: u64| {
            let path = folder.path().join(name);
            std::fs::write(&path, head).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
            path
        };
        let png = b"\x89PNG\r\n\x1a\n";
        for (name, head, size, described) in [
            ("a b.png", &png[..], 1_240_000, "PNG, 1.2 MB"),
            ("a.jpg", b"\xff\xd8\xff\xe0", 20_000, "JPEG, 20 kB"),
            ("a.gif", b"GIF89a", 100, "GIF, 100 bytes"),
            ("a.webp", b"RIFF\0\0\0\0WEBP", 100, "WebP, 100 bytes"),
        ] {
            let image = ImageFile::open(write(name, head, size)).unwrap();
            assert_eq!((image.description().as_str(), image.size()), (described, size));
        }
        for (name, head, size, why) in [
            (
                "large.png",
                &png[..],
                IMAGE_LIMIT + 1,
                "has 10.4 MB: an image can have at most 10 MiB",
            ),
            ("text.png", b"text", 4, "is not an image"),
        ] {
            let error = ImageFile::open(write(name, head, size)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let gone = folder.path().join("gone.png");
        assert!(ImageFile::open(&gone).unwrap_err().contains("does not exist"));
        assert_eq!(ImageFile::stored(&gone).description(), "missing");
    }
}
