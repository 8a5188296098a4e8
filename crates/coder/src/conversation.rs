//! What a model is given: the prompts, what was said, and what the tools returned, within the model's window.

use crate::models::{Document, Media, ModelMessage, ModelPart, Part, ToolAnswer};
use crate::tools::{Action, ToolResult};
use attache_protocol::v1::{BlobResourceContents, ContentBlock, EmbeddedResourceResource};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One part of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// What a person said; a turn begins.
    Person(Prompt),
    /// What the offline model said.
    Model(String),
    /// A tool that the offline model used, and what came of it.
    Tool(Action, ToolResult),
    /// What a provider's model said, with its thoughts and the tools that it asked for, to be sent back as it came.
    Said(ModelMessage),
    /// What came of one of these.
    Returned(ToolAnswer),
    /// What the agent itself tells a provider's model in the middle of a turn.
    Note(String),
}

/// What a person said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Prompt {
    /// The text blocks alone.
    pub(crate) text: String,
    /// All blocks, the path of each file in backticks in its place.
    pub(crate) with_paths: String,
    /// The files that were mentioned as blocks.
    pub(crate) files: Vec<Mentioned>,
    /// Pictures, sounds and documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) media: Vec<Part>,
}

/// A file that came as a block of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mentioned {
    /// Its path, or the URI where that names no file.
    pub(crate) path: String,
    /// Its text, if that came along.
    pub(crate) text: Option<String>,
}

/// What was forgotten to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Forgotten {
    /// Turns, the oldest ones.
    pub(crate) turns: usize,
    /// Tool results of the present turn, the oldest ones.
    pub(crate) results: usize,
}

/// The conversation of one session, or that of a subagent.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    messages: Vec<Message>,
    party: Party,
}

/// Who has a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Party {
    /// The agent with a person; it is kept with the session.
    #[default]
    Agent,
    /// A subagent with the agent, about one task; nothing of it is kept.
    Subagent {
        /// Whether it changes nothing and runs no command.
        looks_only: bool,
    },
}

impl Prompt {
    /// These words alone.
    pub(crate) fn of_words(words: &str) -> Self {
        Self { text: words.to_owned(), with_paths: words.to_owned(), ..Self::default() }
    }

    /// Reads the blocks of a prompt; paths below `cwd` are given from there.
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
                ContentBlock::ResourceLink(link) => Mentioned { path: path_of(&link.uri, cwd), text: None },
                ContentBlock::Resource(resource) => match &resource.resource {
                    EmbeddedResourceResource::Text(text) => {
                        Mentioned { path: path_of(&text.uri, cwd), text: Some(text.text.clone()) }
                    }
                    EmbeddedResourceResource::Blob(blob) => {
                        let path = path_of(&blob.uri, cwd);
                        prompt.media.extend(media_of(&path, blob));
                        Mentioned { path, text: None }
                    }
                },
                ContentBlock::Image(image) => {
                    prompt.media.push(Part::Image(media(&image.mime_type, &image.data)));
                    continue;
                }
                ContentBlock::Audio(audio) => {
                    prompt.media.push(Part::Audio(media(&audio.mime_type, &audio.data)));
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

    /// What the model has to take in for it, in tokens.
    pub(crate) fn tokens(&self) -> u64 {
        let attached = self.files.iter().filter_map(|file| file.text.as_deref()).map(tokens);
        tokens(&self.with_paths) + attached.sum::<u64>() + MEDIUM * self.media.len() as u64
    }
}

/// The estimate for a picture or a document, in tokens.
const MEDIUM: u64 = 2_000;

/// What a part of a prompt is, for people.
pub(crate) fn kind(part: &Part) -> &'static str {
    match part {
        Part::Text(_) => "text",
        Part::Image(_) => "an image",
        Part::Audio(_) => "a sound",
        Part::Document(_) => "a PDF document",
    }
}

fn media(mime: &str, base64: &str) -> Media {
    Media { mime: mime.to_owned(), base64: base64.to_owned() }
}

/// The bytes of an embedded resource, where models take such. Of others the model knows the name.
fn media_of(name: &str, blob: &BlobResourceContents) -> Option<Part> {
    let mime = blob.mime_type.as_deref()?;
    let media = media(mime, &blob.blob);
    match mime {
        "application/pdf" => Some(Part::Document(Document { name: name.to_owned(), media })),
        _ if mime.starts_with("image/") => Some(Part::Image(media)),
        _ if mime.starts_with("audio/") => Some(Part::Audio(media)),
        _ => None,
    }
}

impl Message {
    fn tokens(&self) -> u64 {
        match self {
            Self::Person(prompt) => prompt.tokens(),
            Self::Model(text) | Self::Note(text) => tokens(text),
            Self::Tool(action, result) => tokens(&action.raw_input().to_string()) + tokens(&result.text),
            Self::Said(said) => said.parts.iter().map(part_tokens).sum(),
            Self::Returned(answer) => tokens(&answer.text) + MEDIUM * answer.images.len() as u64,
        }
    }
}

fn part_tokens(part: &ModelPart) -> u64 {
    match part {
        ModelPart::Text { text, .. } | ModelPart::Thought { text, .. } => tokens(text),
        ModelPart::Call { name, arguments, .. } => tokens(name) + tokens(arguments),
    }
}

/// The estimate of this agent: one token for every four bytes of UTF-8, rounded up, for each message.
pub(crate) fn tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

impl Conversation {
    /// That of a subagent with its task.
    pub(crate) fn about(task: Prompt, looks_only: bool) -> Self {
        Self { messages: vec![Message::Person(task)], party: Party::Subagent { looks_only } }
    }

    pub(crate) fn party(&self) -> Party {
        self.party
    }

    /// The words that the model said last.
    pub(crate) fn last_words(&self) -> Option<String> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::Model(text) => Some(text.clone()),
            Message::Said(said) => Some(said.text()).filter(|text| !text.trim().is_empty()),
            Message::Person(_) | Message::Tool(..) | Message::Returned(_) | Message::Note(_) => None,
        })
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// All of it, the oldest message first.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the model has to take in, in tokens.
    pub(crate) fn tokens(&self) -> u64 {
        self.messages.iter().map(Message::tokens).sum()
    }

    /// The present turn: what the person said, and what came after.
    pub(crate) fn present(&self) -> Option<(&Prompt, &[Message])> {
        let begins = self.messages.iter().rposition(|message| matches!(message, Message::Person(_)))?;
        let (begun, after) = self.messages.get(begins..)?.split_first()?;
        match begun {
            Message::Person(prompt) => Some((prompt, after)),
            _ => None,
        }
    }

    /// Forgets until the model's window holds the rest: whole turns, the oldest first, then what the oldest tools of the present turn
    /// returned. A prompt that alone is longer stays.
    pub(crate) fn fit(&mut self, window: u64) -> Forgotten {
        let mut forgotten = Forgotten::default();
        let mut used = self.tokens();
        while used > window {
            let mut begins = (1..).zip(self.messages.iter().skip(1));
            let Some((next, _)) = begins.find(|(_, message)| matches!(message, Message::Person(_))) else {
                break;
            };
            used -= self.messages.drain(..next).map(|message| message.tokens()).sum::<u64>();
            forgotten.turns += 1;
        }
        for message in &mut self.messages {
            if used <= window {
                break;
            }
            let before = message.tokens();
            let text = match message {
                Message::Tool(_, result) => &mut result.text,
                Message::Returned(answer) => &mut answer.text,
                Message::Person(_) | Message::Model(_) | Message::Said(_) | Message::Note(_) => continue,
            };
            if text.len() <= SHORT {
                continue;
            }
            LEFT_OUT.clone_into(text);
            forgotten.results += 1;
            used = used - before + message.tokens();
        }
        forgotten
    }
}

/// Results up to this length are never forgotten in their turn, in bytes: it would save little.
const SHORT: usize = 1024;

/// In place of a result that was forgotten.
const LEFT_OUT: &str = "[left out]";

/// The path that a URI of a resource names, from the working directory where it lies below.
fn path_of(uri: &str, cwd: &Path) -> String {
    let Some(file) = uri.strip_prefix("file://") else { return uri.to_owned() };
    // A host before the path is this machine, or one we cannot reach anyway.
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

/// The lines that a fragment such as `L10`, `L10-L20` or `L10:20` names, as `10-20`.
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
    use super::{Conversation, Forgotten, Message, Prompt, tokens};
    use crate::tools::read::Read;
    use crate::tools::{Action, Finding, ToolResult};
    use attache_protocol::v1::{ContentBlock, ResourceLink};
    use std::path::Path;

    fn person(bytes: usize) -> Message {
        Message::Person(Prompt { with_paths: "x".repeat(bytes), ..Prompt::default() })
    }

    fn tool(bytes: usize) -> Message {
        let read = Action::Read(Read { path: "f".into(), line: None, limit: None });
        Message::Tool(
            read,
            ToolResult {
                text: "x".repeat(bytes),
                failed: false,
                finding: Finding::Nothing,
                images: Vec::new(),
            },
        )
    }

    #[test]
    fn a_token_is_four_bytes_begun() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("äöü")], [0, 1, 1, 2]);
    }

    #[test]
    fn the_oldest_turns_are_forgotten_then_the_oldest_results_of_this_one() {
        let mut conversation = Conversation::default();
        for message in [person(400), tool(4000), person(400), person(400), tool(4000), tool(40)] {
            conversation.push(message);
        }
        let now = conversation.tokens();
        assert_eq!(conversation.fit(now), Forgotten::default());
        assert_eq!(conversation.fit(now - 1), Forgotten { turns: 1, results: 0 });
        assert_eq!(conversation.fit(600), Forgotten { turns: 1, results: 1 });
        assert!(conversation.tokens() <= 600);
        let (prompt, after) = conversation.present().unwrap();
        assert_eq!((prompt.with_paths.len(), after.len()), (400, 2));
        assert_eq!(conversation.fit(1).turns, 0, "a prompt stays however long it is");
    }

    #[test]
    fn files_stand_in_the_prompt_where_they_were_mentioned() {
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
