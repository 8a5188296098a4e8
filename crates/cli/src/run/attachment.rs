//! The content blocks of a prompt: its text, and its files in the form that the agent accepts
//! (PROMPT-02, PROMPT-03).

use super::mention::{Mention, Part, parts};
use super::prompts::{Piece, Prompt};
use attache_client::file_uri;
use attache_host::Roots;
use attache_protocol::v1::{
    AudioContent, ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent,
    PromptCapabilities, ResourceLink, TextResourceContents,
};
use attache_view::sanitize;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::path::{Path, PathBuf};

/// The maximum size of a text file in a prompt, in bytes. Larger files are sent as links, because
/// they would fill the context.
const TEXT_LIMIT: u64 = 1 << 20;

/// The maximum size of an image or sound in a prompt, in bytes.
const MEDIA_LIMIT: u64 = 10 << 20;

/// The maximum total size of files in a prompt, in bytes on the wire. A message of more than 32 MiB
/// would end the connection.
const PROMPT_LIMIT: usize = 24 << 20;

/// A prompt as blocks, with warnings for the person.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    pub(crate) blocks: Vec<ContentBlock>,
    /// One sentence per warning.
    pub(crate) warnings: Vec<String>,
    /// The total size of the files in the blocks, in bytes on the wire.
    sent: usize,
}

/// Returns the blocks of a prompt. A mention of a file stays text if the file cannot be read, or if
/// the file is outside the folder and its path is not absolute.
pub(crate) fn attach(prompt: &Prompt, cwd: &Path, takes: &PromptCapabilities) -> Attached {
    let mut attached = Attached::default();
    for piece in prompt {
        match piece {
            Piece::Piped(text) => attached.text(text),
            Piece::File(path) => attached.file(path, takes),
            Piece::Written(text) => {
                for part in parts(text) {
                    match part {
                        Part::Text(text) => attached.text(text),
                        Part::Mention(mention) => attached.mention(mention, cwd, takes),
                    }
                }
            }
        }
    }
    attached
}

impl Attached {
    /// Adds text; adjacent texts become one block.
    fn text(&mut self, text: &str) {
        match self.blocks.last_mut() {
            _ if text.is_empty() => {}
            Some(ContentBlock::Text(before)) => before.text.push_str(text),
            _ => self.blocks.push(ContentBlock::text(text)),
        }
    }

    fn mention(&mut self, mention: Mention<'_>, cwd: &Path, takes: &PromptCapabilities) {
        let mut why = None;
        for candidate in mention.candidates() {
            match place(&candidate.file(), cwd) {
                Ok(path) => {
                    self.file(&path, takes);
                    return self
                        .text(mention.written.get(candidate.written.len()..).unwrap_or_default());
                }
                Err(reason) => why = why.or(Some(reason)),
            }
        }
        self.warnings.push(format!(
            "{} is sent as text: {}",
            sanitize::line(mention.written),
            why.unwrap_or_default()
        ));
        self.text(mention.written);
    }

    fn file(&mut self, path: &Path, takes: &PromptCapabilities) {
        let kind = Kind::of(path);
        let read = match kind {
            Kind::Image if takes.image => read(path, MEDIA_LIMIT),
            Kind::Audio if takes.audio => read(path, MEDIA_LIMIT),
            Kind::Text if takes.embedded_context => read(path, TEXT_LIMIT),
            _ => return self.blocks.push(link(path)),
        };
        let room = PROMPT_LIMIT.saturating_sub(self.sent);
        let block = match read {
            Ok(bytes) if encoded_length(kind, &bytes) <= room => block(kind, path, bytes),
            Ok(_) => Err("the prompt would be too long".to_owned()),
            Err(why) => Err(why),
        };
        match block {
            Ok((block, length)) => {
                self.sent += length;
                self.blocks.push(block);
            }
            Err(why) => {
                // There is no warning about a binary file, because people expect it to become a
                // link.
                if !why.is_empty() {
                    let shown = sanitize::line(&path.display().to_string());
                    self.warnings.push(format!("{shown} is sent as a link: {why}"));
                }
                self.blocks.push(link(path));
            }
        }
    }
}

/// The kind of a file, determined by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Image,
    Audio,
    /// Text or other content, depending on what the file contains.
    Text,
}

impl Kind {
    fn of(path: &Path) -> Self {
        match media_type(path) {
            Some(kind) if kind.starts_with("image/") && kind != "image/svg+xml" => Self::Image,
            Some(kind) if kind.starts_with("audio/") => Self::Audio,
            _ => Self::Text,
        }
    }
}

/// Returns the media type of a file by its name, if the name determines it.
fn media_type(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "bmp" => "image/bmp",
        "svg" => "image/svg+xml",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "ogg" | "oga" | "opus" => "audio/ogg",
        "flac" => "audio/flac",
        "m4a" => "audio/mp4",
        "pdf" => "application/pdf",
        "json" => "application/json",
        "md" => "text/markdown",
        "html" => "text/html",
        "csv" => "text/csv",
        "txt" | "log" => "text/plain",
        _ => return None,
    })
}

/// Resolves a path inside the folder, or an absolute path anywhere. The error is the reason not to
/// use it.
fn place(path: &str, cwd: &Path) -> Result<PathBuf, String> {
    let path = Path::new(path);
    let found = if path.is_absolute() {
        path.to_owned()
    } else {
        let roots =
            Roots::new(cwd, std::iter::empty::<&Path>()).map_err(|error| error.to_string())?;
        roots
            .resolve(path)
            .map_err(|error| format!("{error}; use its absolute path to send it anyway"))?
            .path()
    };
    match std::fs::metadata(&found) {
        Ok(_) => Ok(found),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err("the file does not exist".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Reads a file. If the file must be sent as a link instead, the error is the reason; it is empty
/// if people expect a link.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    attache_host::read_plain_file(path, limit).map_err(|error| match error.kind() {
        // The path is that of a folder or a pipe.
        std::io::ErrorKind::InvalidInput => String::new(),
        _ => error.to_string(),
    })
}

fn encoded_length(kind: Kind, bytes: &[u8]) -> usize {
    match kind {
        Kind::Image | Kind::Audio => bytes.len().div_ceil(3) * 4,
        // Each control character takes six bytes in JSON.
        Kind::Text => bytes
            .iter()
            .map(|byte| if byte.is_ascii_control() || matches!(byte, b'"' | b'\\') { 6 } else { 1 })
            .sum(),
    }
}

fn block(kind: Kind, path: &Path, bytes: Vec<u8>) -> Result<(ContentBlock, usize), String> {
    let length = encoded_length(kind, &bytes);
    let media_type = media_type(path);
    let block = match kind {
        Kind::Image => {
            let mut image =
                ImageContent::new(BASE64_STANDARD.encode(&bytes), media_type.unwrap_or_default());
            image.uri = Some(file_uri(path));
            ContentBlock::Image(image)
        }
        Kind::Audio => ContentBlock::Audio(AudioContent::new(
            BASE64_STANDARD.encode(&bytes),
            media_type.unwrap_or_default(),
        )),
        Kind::Text => {
            // A binary file becomes a link without a warning.
            let text = String::from_utf8(bytes)
                .ok()
                .filter(|text| !text.contains('\0'))
                .ok_or_else(String::new)?;
            let mut contents = TextResourceContents::new(text, file_uri(path));
            contents.mime_type = media_type.map(str::to_owned);
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::Text(contents)))
        }
    };
    Ok((block, length))
}

fn link(path: &Path) -> ContentBlock {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut link = ResourceLink::new(file_uri(path), name);
    link.mime_type = media_type(path).map(str::to_owned);
    let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    link.size = file.and_then(|file| i64::try_from(file.len()).ok());
    ContentBlock::ResourceLink(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn takes(image: bool, embedded_context: bool) -> PromptCapabilities {
        PromptCapabilities { image, embedded_context, ..PromptCapabilities::default() }
    }

    fn written(text: &str, cwd: &Path, takes: &PromptCapabilities) -> Attached {
        attach(&vec![Piece::Written(text.to_owned())], cwd, takes)
    }

    #[test]
    fn bytes_are_padded_in_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(BASE64_STANDARD.encode(bytes.as_bytes()), text);
        }
        assert_eq!(BASE64_STANDARD.encode([0xff, 0xfe, 0xfd]), "//79");
    }

    /// PROMPT-02, PROMPT-03.
    #[test]
    fn a_file_is_sent_in_a_form_that_the_agent_accepts() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a b.png"), [0xff, 0xfe, 0xfd]).unwrap();
        fs::write(folder.path().join("code.rs"), "fn main() {}").unwrap();
        fs::write(folder.path().join("data.bin"), [0, 1]).unwrap();
        let text = "look @\"a b.png\" and (@code.rs), @data.bin.";
        let attached = written(text, folder.path(), &takes(true, true));
        let tags: Vec<&str> = attached.blocks.iter().map(ContentBlock::tag).collect();
        assert_eq!(tags, ["text", "image", "text", "resource", "text", "resource_link", "text"]);
        assert_eq!(attached.warnings, [""; 0]);
        assert_eq!(attached.blocks[4].as_text(), Some("), "));
        let ContentBlock::Image(image) = &attached.blocks[1] else { panic!() };
        assert!(
            image.data == "//79" && image.uri.as_deref().unwrap().ends_with("/a%20b.png"),
            "{image:?}"
        );
        // Every agent accepts links.
        let links = written(text, folder.path(), &takes(false, false));
        assert!(
            links.blocks.iter().all(|block| matches!(block.tag(), "text" | "resource_link")),
            "{links:?}"
        );
    }

    #[test]
    fn an_unusable_file_stays_text_with_a_warning() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("project");
        fs::create_dir(&folder).unwrap();
        fs::write(outer.path().join("secret"), "s").unwrap();
        let text = "see @missing.rs and @../secret";
        let attached = written(text, &folder, &takes(true, true));
        assert_eq!(attached.blocks, [ContentBlock::text(text)]);
        assert_eq!(attached.warnings.len(), 2, "{attached:?}");
        // A person who writes an absolute path does so deliberately; text from a pipe attaches
        // nothing.
        let whole = format!("@{}", outer.path().join("secret").display());
        assert_eq!(written(&whole, &folder, &takes(true, true)).blocks[0].tag(), "resource");
        let piped = attach(&vec![Piece::Piped(whole.clone())], &folder, &takes(true, true));
        assert_eq!(piped.blocks, [ContentBlock::text(whole)]);
    }

    #[test]
    fn a_large_file_is_sent_as_a_link() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("big.txt"), vec![b'a'; TEXT_LIMIT as usize + 1]).unwrap();
        let attached = written("@big.txt", folder.path(), &takes(true, true));
        assert_eq!(attached.blocks[0].tag(), "resource_link");
        assert!(attached.warnings[0].contains("larger than 1 MiB"), "{attached:?}");
    }
}
