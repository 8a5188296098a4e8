//! The conversation and the request, in a form that all wires share.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// The identity of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelId {
    /// The id of the provider, such as `anthropic`.
    pub provider: String,
    /// The provider's name for the model.
    pub name: String,
}

/// The content of one call, from which a wire's adapter builds the body of the HTTP request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub model: ModelId,
    /// The system prompt; may be empty.
    pub system: String,
    /// The conversation, oldest message first. It may be incomplete: see [`Message`].
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    /// How much the model thinks, or `None` for the provider's default.
    pub thinking: Option<Thinking>,
    /// The maximum length of the answer in tokens, including thoughts, or `None` for the provider's
    /// default. Anthropic requires a number, so it gets 8,192.
    pub max_output: Option<u64>,
    /// The key for the provider's cache, which is the same for every call of a session.
    pub session: String,
    /// Whether the model's own thoughts are left out, because the provider refused them.
    pub without_thoughts: bool,
}

/// How much a model thinks, in the form that its provider accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thinking {
    /// The name of a level, such as `high`.
    Effort(String),
    /// The maximum number of tokens; 0 turns thinking off.
    Budget(u64),
    /// Only between tool calls, with the name of a level. A provider that cannot do this gets the
    /// level.
    BetweenTools(String),
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of the arguments. It describes an object.
    pub schema: Value,
}

/// A message of a conversation.
///
/// Adapters repair a conversation before they send it: they add a reply to each tool call that has
/// none, and leave out replies without a call and content that only another model can read.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A message from the user, or from the agent on behalf of the user.
    User(UserMessage),
    /// An answer from a model.
    Assistant(AssistantMessage),
    /// The result of a tool call in the assistant message before it.
    ToolReply(ToolReply),
}

/// A message from the user, or from the agent on behalf of the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserMessage {
    /// The parts that the model reads.
    pub parts: Vec<Part>,
    /// The user's prompt, for models that [read data](crate::Model::reads_data); `None` in a
    /// message from the agent itself. It is never sent to a provider.
    pub prompt: Option<UserPrompt>,
}

/// A prompt as the user typed it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserPrompt {
    /// The text, without the names of the attached files.
    pub text: String,
    /// The text, with the name of each attached file in its place.
    pub with_paths: String,
    /// The attached files.
    pub files: Vec<AttachedFile>,
}

/// A file that is attached to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// The path, or the URI if it is not a `file` URI. A colon and line numbers may follow.
    pub path: String,
    /// The content, if it was sent with the prompt.
    pub text: Option<String>,
}

impl From<Vec<Part>> for UserMessage {
    fn from(parts: Vec<Part>) -> Self {
        Self { parts, prompt: None }
    }
}

impl Message {
    /// Returns a message with these parts and no prompt.
    pub fn user(parts: Vec<Part>) -> Self {
        Self::User(parts.into())
    }

    /// Returns the user's prompt, if the message comes from the user.
    pub(crate) fn prompt(&self) -> Option<&UserPrompt> {
        match self {
            Self::User(message) => message.prompt.as_ref(),
            Self::Assistant(_) | Self::ToolReply(_) => None,
        }
    }
}

/// A part of a user message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text(String),
    /// An image.
    Image(Media),
    /// Audio.
    Audio(Media),
    /// A document.
    Document(Document),
}

/// An image, audio, or the content of a document.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The MIME type, such as `image/png`.
    pub mime: String,
    /// The bytes, encoded in base64.
    pub base64: String,
    /// The name of the file, for messages to the user. It is never sent to a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A document that the provider reads itself, such as a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The name of the file.
    pub name: String,
    /// The content.
    pub media: Media,
}

/// An answer from a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// The model that wrote the answer. Only this model gets the sealed data back.
    pub model: ModelId,
    /// The text, the thoughts and the tool calls.
    pub parts: Vec<AssistantPart>,
}

/// A part of an answer. Parts are in the order in which they arrived.
///
/// `sealed` is data that the provider must get back unchanged with the part: a signature, encrypted
/// content, or the name of the field in which the part arrived. Only the adapter that created the
/// data reads it. It can be serialized.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantPart {
    /// Text for the user.
    Text {
        /// The text.
        text: String,
        /// Data that the provider must get back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
    /// A thought. The text is empty if the provider hides it.
    Thought {
        /// The text.
        text: String,
        /// Data that the provider must get back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
    /// A tool call.
    Call {
        /// The id that the provider gave the call, or a generated one; unique within the message.
        id: String,
        /// The name of the tool.
        name: String,
        /// The arguments as the model wrote them: usually JSON, never empty.
        arguments: String,
        /// Data that the provider must get back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolReply {
    /// The id of the tool call.
    pub call_id: String,
    /// The name of the tool.
    pub name: String,
    /// The result as text.
    pub text: String,
    /// The images in the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Media>,
    /// Whether the tool failed.
    #[serde(default)]
    pub failed: bool,
    /// The result as data, for models that [read data](crate::Model::reads_data). It is never sent
    /// to a provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ModelId {
    /// Creates the id of a provider's model.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self { provider: provider.into(), name: name.into() }
    }
}

/// Writes `provider/name`. The name may contain slashes.
impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

/// Shows the number of bytes instead of the bytes, for logs.
impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Media({}, {} bytes of base64)", self.mime, self.base64.len())
    }
}

impl Media {
    /// Returns media without content.
    pub(crate) fn empty() -> Self {
        Self { mime: String::new(), base64: String::new(), name: None }
    }

    /// Returns the media as a `data:` URL.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.mime, self.base64)
    }
}

impl AssistantMessage {
    /// Returns the text, without thoughts and tool calls.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            AssistantPart::Text { text, .. } => Some(text.as_str()),
            AssistantPart::Thought { .. } | AssistantPart::Call { .. } => None,
        });
        texts.collect()
    }

    /// Returns whether the answer contains a tool call.
    pub fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, AssistantPart::Call { .. }))
    }
}
