//! Content blocks (requirements §3.1): what prompts, messages and tool results are made of.

use crate::object::{wire_string, wire_struct, wire_union};

wire_union! {
    /// One piece of content. The set is closed in v1; a prompt with another type is refused whole (PROMPT-05).
    pub enum ContentBlock by "type" closed {
        /// Text, to be rendered as Markdown (MSG-07).
        Text(TextContent) = "text",
    }
}

wire_struct! {
    /// Text.
    pub struct TextContent {
        /// The text; Markdown.
        must text: String = "text",
        /// Who it is for and how much it matters.
        lenient annotations: Option<Annotations> = "annotations",
    }
}

wire_struct! {
    /// Hints about a piece of content.
    pub struct Annotations {
        /// Who should see it; nobody named means everybody.
        items audience: Vec<Role> = "audience",
        /// Importance; the specification sets no bounds in v1.
        lenient priority: Option<f64> = "priority",
        /// When the content last changed (ISO 8601).
        lenient last_modified: Option<String> = "lastModified",
    }
}

wire_string! {
    /// Who a piece of content is for.
    pub enum Role closed {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
