//! What a model is asked: the conversation as every provider's adapter takes it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelId {
    /// The provider's id, such as `anthropic`.
    pub provider: String,
    /// The name by which the provider knows the model.
    pub name: String,
}

/// One call of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub model: ModelId,
    /// What the model is told before the conversation; may be empty.
    pub system: String,
    /// The conversation, the oldest message first. It need not be well formed: see [`Message`].
    pub messages: Vec<Message>,
    pub tools: Vec<ToolSpec>,
    /// How much the model thinks. `None` says nothing about it, and the provider's default holds.
    pub thinking: Option<Thinking>,
    /// The most tokens of an answer, thoughts included. `None` leaves it to the provider; Anthropic
    /// needs one and gets 8,192.
    pub max_output: Option<u64>,
    /// The same for every call of one session: providers that take a cache key find the session's
    /// earlier calls by it.
    pub session: String,
}

/// How much a model thinks, as its provider takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thinking {
    /// By name, such as `high`.
    Effort(String),
    /// At most so many tokens; 0 turns it off.
    Budget(u64),
}

/// A tool that the model may ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Value,
}

/// One message of a conversation.
///
/// Adapters make a conversation well formed before it is sent: a call without an answer gets one
/// that says so, an answer without a call is left out, and so is what came from another model and
/// only that model can read.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What a person, or the agent for a person, says.
    User(UserMessage),
    /// What a model said.
    Assistant(AssistantMessage),
    /// What came of one tool call of the model's message before it.
    ToolReply(ToolReply),
}

/// What the user, or the agent for the user, says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UserMessage {
    /// The message as a model reads it.
    pub parts: Vec<Part>,
    /// The prompt that it is made of, for a model that
    /// [reads data](crate::Model::reads_data). A message of the agent itself has none. It is not
    /// sent.
    pub prompt: Option<UserPrompt>,
}

/// A prompt as the user typed it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserPrompt {
    /// The text without the names of attached files.
    pub text: String,
    /// The text with the name of each attached file in its place.
    pub with_paths: String,
    /// The attached files.
    pub files: Vec<AttachedFile>,
}

/// A file that is attached to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// The path, or the URI of what is not a file. Line numbers may follow a colon.
    pub path: String,
    /// The text, if it was sent with the prompt.
    pub text: Option<String>,
}

impl From<Vec<Part>> for UserMessage {
    fn from(parts: Vec<Part>) -> Self {
        Self { parts, prompt: None }
    }
}

impl Message {
    /// Returns a message of the user or the agent with these parts.
    pub fn user(parts: Vec<Part>) -> Self {
        Self::User(parts.into())
    }

    /// Returns the prompt that the message is made of, if it has one.
    pub(crate) fn prompt(&self) -> Option<&UserPrompt> {
        match self {
            Self::User(message) => message.prompt.as_ref(),
            Self::Assistant(_) | Self::ToolReply(_) => None,
        }
    }
}

/// A part of what a person says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Text(String),
    Image(Media),
    Audio(Media),
    Document(Document),
}

/// A picture or a sound.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    /// The MIME type, such as `image/png`.
    pub mime: String,
    /// The bytes in base64.
    pub base64: String,
}

/// A document that the provider reads itself, such as a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub name: String,
    pub media: Media,
}

/// What a model said in one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// Which model said it: what is sealed goes back to this one only.
    pub model: ModelId,
    pub parts: Vec<AssistantPart>,
}

/// A part of what a model said, in the order in which it came.
///
/// `sealed` is what the provider must get back unchanged with this part: a signature, encrypted
/// content, or the name of the field in which the part came. Only the adapter that made it reads
/// it; it may be stored and loaded again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantPart {
    Text {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
    /// What may be shown of its thoughts: empty where the provider shows nothing.
    Thought {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
    /// A tool that it asks for.
    Call {
        /// The provider's id, or one made here where it gave none; unique within the message.
        id: String,
        name: String,
        /// JSON as it was streamed, which may be no JSON at all; never empty.
        arguments: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sealed: Option<Value>,
    },
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolReply {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool.
    pub name: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Media>,
    /// Whether the tool failed.
    #[serde(default)]
    pub failed: bool,
    /// The result as data, for a model that [reads data](crate::Model::reads_data). It is not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ModelId {
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self { provider: provider.into(), name: name.into() }
    }
}

/// `provider/name`; a name may hold more slashes.
impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

/// The bytes are not for a log.
impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Media({}, {} bytes of base64)", self.mime, self.base64.len())
    }
}

impl Media {
    /// The media as a `data:` URL.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.mime, self.base64)
    }
}

impl AssistantMessage {
    /// All that it said, thoughts left out.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            AssistantPart::Text { text, .. } => Some(text.as_str()),
            AssistantPart::Thought { .. } | AssistantPart::Call { .. } => None,
        });
        texts.collect()
    }

    /// Whether it asks for a tool.
    pub fn calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, AssistantPart::Call { .. }))
    }
}
