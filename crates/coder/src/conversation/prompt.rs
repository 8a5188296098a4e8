//! A prompt of the user, as a model reads it.
use crate::models::{Media, Part, part_of};
use crate::tools::fit::one_line;
use attache_models::estimated_tokens as tokens;
use attache_protocol::v1::{ContentBlock, EmbeddedResourceResource};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A prompt of the user.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Prompt {
    /// The text blocks only.
    pub(crate) text: String,
    /// All blocks, with each file replaced by its path in backticks.
    pub(crate) with_paths: String,
    /// The files among the blocks.
    pub(crate) files: Vec<MentionedFile>,
    /// Pictures, sounds and documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) media: Vec<Part>,
}

/// A file from a block of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MentionedFile {
    /// The path of the file, or its URI if that does not begin with `file://`.
    pub(crate) path: String,
    /// The text of the file, if the prompt contains it.
    pub(crate) text: Option<String>,
}

impl Prompt {
    /// Creates a prompt that contains only this text.
    pub(crate) fn of_words(words: &str) -> Self {
        Self { text: words.to_owned(), with_paths: words.to_owned(), ..Self::default() }
    }

    /// Reads the blocks of a prompt. Paths below `cwd` become relative to it.
    pub(crate) fn of(blocks: &[ContentBlock], cwd: &Path) -> Self {
        let mut prompt = Self::default();
        let (mut texts, mut parts) = (Vec::new(), Vec::new());
        for block in blocks {
            let mentioned = match block {
                ContentBlock::Text(text) => {
                    texts.push(text.text.as_str());
                    parts.push(text.text.clone());
                    continue;
                }
                ContentBlock::ResourceLink(link) => {
                    MentionedFile { path: path_of(&link.uri, cwd), text: None }
                }
                ContentBlock::Resource(resource) => match &resource.resource {
                    EmbeddedResourceResource::Text(text) => MentionedFile {
                        path: path_of(&text.uri, cwd),
                        text: Some(text.text.clone()),
                    },
                    EmbeddedResourceResource::Blob(blob) => {
                        let path = path_of(&blob.uri, cwd);
                        let mime = blob.mime_type.as_deref();
                        prompt.media.extend(part_of(Some(&path), mime, &blob.blob));
                        MentionedFile { path, text: None }
                    }
                },
                ContentBlock::Image(image) => {
                    let name = image.uri.as_deref().map(|uri| path_of(uri, cwd));
                    let part = part_of(name.as_deref(), Some(&image.mime_type), &image.data);
                    let stated = || Part::Image(media(&image.mime_type, &image.data, name.clone()));
                    prompt.media.push(part.unwrap_or_else(stated));
                    continue;
                }
                ContentBlock::Audio(audio) => {
                    let part = part_of(None, Some(&audio.mime_type), &audio.data);
                    let stated = || Part::Audio(media(&audio.mime_type, &audio.data, None));
                    prompt.media.push(part.unwrap_or_else(stated));
                    continue;
                }
                _ => continue,
            };
            parts.push(format!("`{}`", mentioned.path));
            prompt.files.push(mentioned);
        }
        prompt.text = texts.join("\n");
        prompt.with_paths = parts.join(" ");
        prompt
    }

    /// The estimated number of tokens in the prompt.
    pub(crate) fn tokens(&self) -> u64 {
        let attached = self.files.iter().filter_map(|file| file.text.as_deref()).map(tokens);
        tokens(&self.with_paths)
            + attached.sum::<u64>()
            + self.media.iter().map(part_tokens).sum::<u64>()
    }

    /// Replaces all media with the reason why they were dropped. Returns their descriptions.
    pub(crate) fn drop_media(&mut self, why: &str) -> Vec<String> {
        let media = self.media.iter_mut().filter(|part| !matches!(part, Part::Text(_)));
        let drop = |part: &mut Part| {
            let (text, piece) = dropped(kind(part), name(part), why);
            *part = Part::Text(text);
            piece
        };
        media.map(drop).collect()
    }
}

/// The estimate for a picture or a document, in tokens.
pub(crate) const MEDIUM: u64 = 2_000;

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(text) => tokens(text),
        Part::Image(_) | Part::Audio(_) | Part::Document(_) => MEDIUM,
    }
}

/// The text for the model in place of media that its provider refused, and the description for
/// people.
pub(crate) fn dropped(kind: &str, name: Option<&str>, why: &str) -> (String, String) {
    let piece = match name {
        Some(name) => format!("{}, {kind}", one_line(name, 200)),
        None => kind.to_owned(),
    };
    (format!("[left out: {piece}; {why}]"), piece)
}

/// The name of the file of a part.
fn name(part: &Part) -> Option<&str> {
    match part {
        Part::Text(_) => None,
        Part::Image(media) | Part::Audio(media) => media.name.as_deref(),
        Part::Document(document) => Some(&document.name),
    }
}

/// A description of a part of a prompt, for people.
pub(crate) fn kind(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Image(_) => "an image",
        Part::Audio(_) => "a sound",
        Part::Document(_) => "a PDF document",
    }
}

fn media(mime: &str, base64: &str, name: Option<String>) -> Media {
    Media { mime: mime.to_owned(), base64: base64.to_owned(), name }
}

/// The path that a resource's URI names, relative to the working directory if the path is inside of
/// it.
fn path_of(uri: &str, cwd: &Path) -> String {
    let Some(file) = uri.strip_prefix("file://") else { return uri.to_owned() };
    // The host in the URI is ignored: files of another machine cannot be read anyway.
    let file = file.find('/').and_then(|at| file.get(at..)).unwrap_or(file);
    let (file, fragment) =
        file.split_once('#').map_or((file, None), |(file, fragment)| (file, Some(fragment)));
    let path = PathBuf::from(percent_decoded(file));
    let shown = path
        .strip_prefix(cwd)
        .map_or_else(|_| path.display().to_string(), |below| below.display().to_string());
    match fragment.and_then(lines_of) {
        Some(lines) => format!("{shown}:{lines}"),
        None => shown,
    }
}

/// Returns the lines that a fragment such as `L10`, `L10-L20` or `L10:20` names, in the form
/// `10-20`.
fn lines_of(fragment: &str) -> Option<String> {
    let (first, last) = fragment.split_once(['-', ':']).unwrap_or((fragment, fragment));
    let number = |text: &str| text.trim_start_matches('L').parse::<u32>().ok();
    Some(format!("{}-{}", number(first)?, number(last)?))
}

fn percent_decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Prompt;
    use attache_protocol::v1::{ContentBlock, ResourceLink};
    use std::path::Path;

    #[test]
    fn files_appear_in_the_prompt_at_their_blocks() {
        let link = |uri: &str| ContentBlock::ResourceLink(ResourceLink::new(uri, "name"));
        let blocks = [
            ContentBlock::text("show"),
            link("file:///p/a%20b%C3%A9.txt#L3-L9"),
            link("https://example.org/x"),
            link("file:///q/%zz"),
        ];
        let prompt = Prompt::of(&blocks, Path::new("/p"));
        assert_eq!(prompt.text, "show");
        assert_eq!(prompt.with_paths, "show `a bé.txt:3-9` `https://example.org/x` `/q/%zz`");
    }
}
