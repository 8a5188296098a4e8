//! The result of a server's tool, converted for the model and for the person.

use crate::models::{Media, Part, part_of};
use crate::tools::fit::{code_block, counted, ends_within, json_text_length, one_line};
use attache_protocol::v1::{
    AudioContent, ContentBlock, ImageContent, ResourceLink, ToolCallContent,
};
use rmcp::model::{CallToolResult, ContentBlock as Block, Resource, ResourceContents};
use serde_json::Value;

/// The maximum size of one result for the person, in bytes of JSON. Even with the structured
/// result, the message stays under 64 KiB.
const MAX_SHOWN: usize = 40 * 1024;

/// The maximum size of a structured result for the person, in bytes of JSON.
const MAX_STRUCTURED: usize = 12 * 1024;

/// The maximum size of a picture for a model, in bytes of base64.
const PICTURE: usize = 4 << 20;

/// The maximum number of pictures in one result.
const PICTURES: usize = 8;

/// The result of a tool.
#[derive(Debug)]
pub(crate) struct ReturnedContent {
    /// The text for the model.
    pub(crate) text: String,
    /// The pictures for the model.
    pub(crate) images: Vec<Media>,
    /// The content for the person.
    pub(crate) shown: Vec<ToolCallContent>,
    /// The structured result, if it is short enough.
    pub(crate) structured: Option<Value>,
    /// Whether the tool reports a failure.
    pub(crate) failed: bool,
}

impl ReturnedContent {
    pub(crate) fn of(result: CallToolResult) -> Self {
        let failed = result.is_error == Some(true);
        let structured = result.structured_content;
        let mut returned = Self {
            text: String::new(),
            images: Vec::new(),
            shown: Vec::new(),
            structured: None,
            failed,
        };
        let mut left = MAX_SHOWN;
        let empty = result.content.is_empty();
        for block in result.content {
            returned.add(block, &mut left);
        }
        if let Some(structured) = structured {
            let json = structured.to_string();
            if empty {
                returned.text(&json, &mut left);
            }
            returned.structured = (json.len() <= MAX_STRUCTURED).then_some(structured);
        }
        if returned.text.is_empty() {
            returned.text =
                if failed { "the tool failed without a reason" } else { "done" }.to_owned();
        }
        returned
    }

    fn add(&mut self, block: Block, left: &mut usize) {
        match block {
            Block::Text(text) => self.text(&text.text, left),
            Block::Image(image) => self.image(image.mime_type, image.data, left),
            Block::Audio(audio) => {
                let what =
                    format!("[a sound, {}, {}]", one_line(&audio.mime_type, 60), size(&audio.data));
                self.read(&what);
                let shown = ContentBlock::Audio(AudioContent::new(audio.data, audio.mime_type));
                self.show(shown, what, left);
            }
            Block::ResourceLink(link) => self.link(link, left),
            Block::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { uri, text, .. } => {
                    self.text(&format!("{uri}:\n{text}"), left);
                }
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let mime = mime_type.unwrap_or_default();
                    match part_of(None, Some(&mime), &blob) {
                        Some(Part::Image(_)) => self.image(mime, blob, left),
                        _ => {
                            let what = format!("[{uri}, {}, {}]", one_line(&mime, 60), size(&blob));
                            self.text(&what, left);
                        }
                    }
                }
                _ => self.text("[a resource of an unknown kind]", left),
            },
            _ => self.text("[content of an unknown kind]", left),
        }
    }

    fn text(&mut self, text: &str, left: &mut usize) {
        self.read(text);
        if *left < 1024 {
            return;
        }
        let shown = code_block(&ends_within(text, *left - 512));
        *left = left.saturating_sub(json_text_length(&shown) + 64);
        self.shown.push(ContentBlock::text(shown).into());
    }

    fn image(&mut self, mime: String, data: String, left: &mut usize) {
        let why = if data.len() > PICTURE {
            format!("; it was left out, because it has more than {}", size_of(PICTURE))
        } else if self.images.len() >= PICTURES {
            format!("; it was left out, because a result can have at most {PICTURES} pictures")
        } else {
            String::new()
        };
        let what = format!("[a picture, {}, {}{why}]", one_line(&mime, 60), size(&data));
        self.read(&what);
        // Whether the model's provider accepts the picture is checked before each request.
        if why.is_empty() {
            self.images.push(Media { mime: mime.clone(), base64: data.clone(), name: None });
        }
        self.show(ContentBlock::Image(ImageContent::new(data, mime)), what, left);
    }

    fn link(&mut self, link: Resource, left: &mut usize) {
        self.read(&format!("{}: {}", link.name, link.uri));
        let mut shown = ResourceLink::new(link.uri, link.name);
        shown.title = link.title;
        shown.mime_type = link.mime_type;
        self.show(ContentBlock::ResourceLink(shown), String::new(), left);
    }

    /// Shows a block if there is room for it. Otherwise shows `words`.
    fn show(&mut self, block: ContentBlock, words: String, left: &mut usize) {
        let length = attache_protocol::encode(&block).len();
        if length <= *left {
            *left -= length;
            self.shown.push(block.into());
        } else if !words.is_empty() {
            self.shown.push(
                ContentBlock::text(format!("{words} It is too long to be shown here.")).into(),
            );
        }
    }

    fn read(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// The number of bytes that this base64 text encodes.
fn size(base64: &str) -> String {
    size_of(base64.len())
}

fn size_of(base64: usize) -> String {
    counted(base64 as u64 / 4 * 3, "byte")
}
