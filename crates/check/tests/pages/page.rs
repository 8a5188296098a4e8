//! The messages in the pages of `docs/protocol`.
//!
//! A fenced block `acp v1` or `acp v2` contains messages: `->` is sent by the client, `<-` by the
//! agent, and a message may take several lines. The blocks of a page in one version are one
//! conversation. If it does not begin with `initialize`, it continues the conversation of
//! `overview.md`, which opens a session. A third word says which program sends the messages.

use attache_protocol::method::Side;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The page whose conversation the others continue.
const FIRST: &str = "overview.md";

pub(crate) struct Page {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The program that a block shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The built-in agent: no third word.
    Agent,
    /// A client of the client kit: `client`.
    Client,
    /// Programs that Attaché does not contain: `other`.
    Other,
}

/// A message of a page.
#[derive(Clone)]
pub(crate) struct Message {
    /// The page and the line of the marker, as an editor opens it.
    pub(crate) place: String,
    pub(crate) from: Side,
    pub(crate) shown: Shown,
    pub(crate) json: Value,
}

/// The messages of a page by the version of the protocol.
pub(crate) type Conversations = BTreeMap<u8, Vec<Message>>;

pub(crate) fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.extension().unwrap() == "md").collect();
    files.sort();
    let page = |path: PathBuf| Page {
        name: path.file_name().unwrap().to_str().unwrap().to_owned(),
        text: std::fs::read_to_string(&path).unwrap(),
    };
    files.into_iter().map(page).collect()
}

/// Returns the conversations of the page that the others continue.
pub(crate) fn first(pages: &[Page]) -> Conversations {
    let first = pages.iter().find(|page| page.name == FIRST).unwrap();
    first.conversations().unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

/// Puts the conversation of the first page before one that does not begin with `initialize`.
pub(crate) fn whole(first: &[Message], messages: &[Message]) -> Vec<Message> {
    match messages {
        [message, ..] if message.json["method"] == "initialize" => messages.to_vec(),
        _ => [first, messages].concat(),
    }
}

/// Returns the version and the program of a fence.
fn block(fence: &str) -> Option<(u8, Shown)> {
    Some(match fence {
        "```acp v1" => (1, Shown::Agent),
        "```acp v1 client" => (1, Shown::Client),
        "```acp v1 other" => (1, Shown::Other),
        "```acp v2" => (2, Shown::Agent),
        "```acp v2 client" => (2, Shown::Client),
        "```acp v2 other" => (2, Shown::Other),
        _ => return None,
    })
}

impl Page {
    /// Returns the conversation of each version, or the places that cannot be read.
    pub(crate) fn conversations(&self) -> Result<Conversations, Vec<String>> {
        let (mut open, mut texts, mut wrong) = (None, Vec::new(), Vec::new());
        for (number, line) in (1..).zip(self.text.lines()) {
            let place = || format!("docs/protocol/{}:{number}", self.name);
            let Some(now) = open else {
                open = block(line);
                let is_unknown = line.starts_with("```acp") || line.starts_with("```json");
                if open.is_none() && is_unknown {
                    wrong.push(format!("{}: write ```acp v1 or ```acp v2", place()));
                }
                continue;
            };
            match (line, line.get(..3), texts.last_mut()) {
                ("```", ..) => open = None,
                (_, Some("-> "), _) => {
                    texts.push((now, place(), Side::Client, line[3..].to_owned()));
                }
                (_, Some("<- "), _) => {
                    texts.push((now, place(), Side::Agent, line[3..].to_owned()));
                }
                (_, _, Some((_, _, _, text))) => text.push_str(line),
                (_, _, None) => wrong.push(format!("{}: begin with -> or <-", place())),
            }
        }
        let mut conversations = Conversations::new();
        for ((version, shown), place, from, text) in texts {
            match serde_json::from_str(&text) {
                Ok(json) => {
                    let message = Message { place, from, shown, json };
                    conversations.entry(version).or_default().push(message);
                }
                Err(error) => wrong.push(format!("{place}: {error}")),
            }
        }
        if wrong.is_empty() { Ok(conversations) } else { Err(wrong) }
    }
}
