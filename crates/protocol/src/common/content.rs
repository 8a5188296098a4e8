//! Content blocks: the parts of prompts, messages and tool results. The shapes are those of MCP
//! 2025-06-18.

use crate::wire::declare::{wire_string, wire_struct, wire_union};
use crate::wire::either::wire_either;

wire_union! {
    /// One piece of content. Some kinds are allowed in prompts only if the agent advertises them:
    /// in `promptCapabilities` of version 1, or `session.prompt` of version 2. In version 1, a
    /// prompt with another type is refused.
    pub enum ContentBlock by "type" closed {
        /// Text, to be rendered as Markdown; every agent accepts it.
        Text(TextContent) = "text",
        /// A picture; in prompts only with `image`.
        Image(ImageContent) = "image",
        /// Sound; in prompts only with `audio`.
        Audio(AudioContent) = "audio",
        /// A reference to a resource that the receiver reads by itself; every agent accepts it.
        ResourceLink(ResourceLink) = "resource_link",
        /// A resource with its contents; in prompts only with `embeddedContext`.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// A text block without annotations.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

wire_struct! {
    /// Text.
    pub struct TextContent {
        /// The text; Markdown.
        must text: String = "text",
        /// Its audience and priority.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_struct! {
    /// A picture.
    pub struct ImageContent {
        /// The picture's bytes in base64; not checked when decoded.
        must data: String = "data",
        /// Its media type, such as `image/png`.
        must mime_type: String = "mimeType",
        /// The URI of the picture.
        lenient uri: Option<String> = "uri",
        /// Its audience and priority.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_struct! {
    /// Sound.
    pub struct AudioContent {
        /// The sound's bytes in base64; not checked when decoded.
        must data: String = "data",
        /// Its media type, such as `audio/wav`.
        must mime_type: String = "mimeType",
        /// Its audience and priority.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_struct! {
    /// A reference to a resource that the receiver can reach.
    pub struct ResourceLink {
        /// The URI of the resource.
        must uri: String = "uri",
        /// Its name, such as a file name.
        must name: String = "name",
        /// A human-readable name, if there is a better one than `name`.
        lenient title: Option<String> = "title",
        /// A description of the content.
        lenient description: Option<String> = "description",
        /// Its media type.
        lenient mime_type: Option<String> = "mimeType",
        /// Its size in bytes.
        lenient size: Option<i64> = "size",
        /// Icons to show. Version 2 only.
        items icons: Vec<Icon> = "icons",
        /// Its audience and priority.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_struct! {
    /// An icon of a resource. Version 2 only.
    pub struct Icon {
        /// Its address.
        must src: String = "src",
        /// Its media type.
        lenient mime_type: Option<String> = "mimeType",
        /// Its sizes, such as `48x48`, or `any`.
        items sizes: Vec<String> = "sizes",
        /// The background it is made for.
        lenient theme: Option<IconTheme> = "theme",
    }
}

wire_string! {
    /// The background that an icon is made for.
    pub enum IconTheme open {
        /// A light background.
        Light = "light",
        /// A dark background.
        Dark = "dark",
    }
}

wire_struct! {
    /// A resource with its contents.
    pub struct EmbeddedResource {
        /// The contents.
        must resource: EmbeddedResourceResource = "resource",
        /// Its audience and priority.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_either! {
    /// The contents of a resource: text or bytes. If both are present, the text is used; if neither
    /// is, the block is malformed.
    pub enum EmbeddedResourceResource, "an object with \"text\" or \"blob\"" {
        /// Text.
        Text(TextResourceContents) with "text",
        /// Bytes.
        Blob(BlobResourceContents) with "blob",
    }
}

wire_struct! {
    /// A resource whose contents are text.
    pub struct TextResourceContents {
        /// The contents.
        must text: String = "text",
        /// The URI of the resource.
        must uri: String = "uri",
        /// Its media type.
        lenient mime_type: Option<String> = "mimeType",
    }
}

wire_struct! {
    /// A resource whose contents are bytes.
    pub struct BlobResourceContents {
        /// The contents in base64; not checked when decoded.
        must blob: String = "blob",
        /// The URI of the resource.
        must uri: String = "uri",
        /// Its media type.
        lenient mime_type: Option<String> = "mimeType",
    }
}

wire_struct! {
    /// Hints about how to use or display content.
    pub struct Annotations {
        /// Its audience; an empty list means everyone.
        items audience: Vec<Role> = "audience",
        /// Its importance. In v1 the specification sets no bounds.
        lenient priority: Option<f64> = "priority",
        /// When the content last changed (ISO 8601).
        lenient last_modified: Option<String> = "lastModified",
    }
}

wire_string! {
    /// The audience of content.
    pub enum Role closed {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
