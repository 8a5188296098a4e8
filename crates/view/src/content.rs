//! Content that is not plain text.

use crate::block::{Block, CodeBlock};
use crate::markdown;
use crate::sanitize;
use crate::span::{Line, Role, Span, Style};
use crate::syntax;
use crate::tool_call::tail::Tail;
use attache_protocol::v1::{ContentBlock, EmbeddedResourceResource, ResourceLink};
use std::sync::Arc;

/// The number of lines of an embedded text that are shown.
const RESOURCE_LINES: usize = 200;

/// Returns the blocks of a content block of a message.
pub(crate) fn blocks(content: &ContentBlock) -> Vec<Arc<Block>> {
    match content {
        ContentBlock::Text(text) => markdown::parse(&text.text),
        other => other_blocks(other),
    }
}

/// Returns the blocks of a content block that is not text.
pub(crate) fn other_blocks(content: &ContentBlock) -> Vec<Arc<Block>> {
    match content {
        ContentBlock::Text(text) => markdown::plain(&text.text),
        ContentBlock::Image(image) => {
            vec![attachment("image", &image.mime_type, base64_size(&image.data))]
        }
        ContentBlock::Audio(audio) => {
            vec![attachment("audio", &audio.mime_type, base64_size(&audio.data))]
        }
        ContentBlock::ResourceLink(link) => {
            vec![Arc::new(Block::Paragraph { lines: vec![linked(link)] })]
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::Text(text) => embedded(&text.uri, &text.text),
            EmbeddedResourceResource::Blob(blob) => {
                let kind = blob.mime_type.as_deref().unwrap_or_default();
                let mut blocks = vec![path_line(&blob.uri)];
                blocks.push(attachment("file", kind, base64_size(&blob.blob)));
                blocks
            }
        },
        ContentBlock::Unknown(_) => {
            let line = Line::of("content of a kind that this version does not know", Role::Muted);
            vec![Arc::new(Block::Attachment { line })]
        }
    }
}

/// Returns a line such as `image/png, 12 kB`.
fn attachment(kind: &str, mime_type: &str, bytes: usize) -> Arc<Block> {
    let name = sanitize::line(mime_type);
    let name = if name.is_empty() { kind.to_owned() } else { name };
    let line = Line::of(format!("{name}, {}", size(bytes)), Role::Text);
    Arc::new(Block::Attachment { line })
}

fn base64_size(data: &str) -> usize {
    data.trim_end_matches('=').len() / 4 * 3 + data.trim_end_matches('=').len() % 4 * 3 / 4
}

/// Returns a size for people.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn linked(link: &ResourceLink) -> Line {
    let name = link.title.as_deref().filter(|title| !title.trim().is_empty());
    let name = sanitize::visible_line(name.unwrap_or(&link.name));
    let uri = sanitize::visible_line(&link.uri);
    let address = ["https://", "http://", "mailto:", "file://"];
    let is_address = address.iter().any(|scheme| uri.starts_with(scheme)) && uri == link.uri;
    let name = if name.is_empty() { uri.clone() } else { name };
    let style = Style {
        link: is_address.then(|| Arc::from(uri.as_str())),
        ..Style::of(if uri.starts_with("file://") { Role::Path } else { Role::Name })
    };
    Line { spans: vec![Span { text: name, style }] }
}

fn path_line(uri: &str) -> Arc<Block> {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    let line = Line::of(sanitize::visible_line(path), Role::Path);
    Arc::new(Block::Paragraph { lines: vec![line] })
}

/// Returns the address and the first lines of an embedded text.
fn embedded(uri: &str, text: &str) -> Vec<Arc<Block>> {
    let language = syntax::language_of_path(uri);
    let mut highlighter = syntax::highlighter(language);
    let limit = Tail::BYTES.min(text.len());
    let limit = (limit..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let shown = text.get(..limit).unwrap_or(text);
    let mut lines: Vec<Line> =
        shown.lines().take(RESOURCE_LINES).map(|line| highlighter.line(line)).collect();
    if shown.len() < text.len() || shown.lines().nth(RESOURCE_LINES).is_some() {
        lines.push(Line::of(format!("… the text has {}", size(text.len())), Role::Muted));
    }
    let code = CodeBlock { language: language.to_owned(), lines, continued: false };
    vec![path_line(uri), Arc::new(Block::Code(code))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_for_people() {
        assert_eq!(["", "QQ==", "QUI=", "QUJD"].map(base64_size), [0, 1, 2, 3]);
        let shown = [999, 1_000, 12_345, 2_000_001].map(size);
        assert_eq!(shown, ["999 bytes", "1 kB", "13 kB", "3 MB"]);
    }
}
