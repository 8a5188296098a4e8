//! The built-in agent as an author of the kit.

use crate::conversation::{Conversation, Message};
use crate::folders::Folders;
use crate::models::{Model, Offline};
use crate::options;
use crate::policy::{Policy, Rule};
use attache_agent::{About, Author, Error, Opening, Result, StopReason, Turn};
use attache_protocol::v1::PromptCapabilities;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// The built-in agent, `attache agent`.
///
/// It offers the modes `ask`, `edit`, `auto` and `plan`, the options `mode`, `model` and `show_thoughts`, the verbs of its model as slash
/// commands, further roots, and takes text, links and embedded resources. It works on real files inside the session's folders and
/// nowhere else; through the client's file system where the client offers one, so that unsaved changes are seen.
///
/// Usage: the window is that of the model; tokens are estimated, one for every four bytes of UTF-8, rounded up for each message. The
/// usage in the reply to a prompt is that of its turn, over all calls of the model, in the meaning of [`Turn::spent`].
#[derive(Debug)]
pub struct Coder {
    pub(crate) model: Box<dyn Model>,
}

/// What the agent keeps of one session.
#[derive(Debug)]
pub struct Memory {
    pub(crate) conversation: Conversation,
    pub(crate) folders: Folders,
    pub(crate) policy: Policy,
    /// Length and hash of each file when the model last saw it.
    pub(crate) seen: HashMap<PathBuf, (u64, u64)>,
    pub(crate) titled: bool,
}

/// What a session remembers when it is loaded, resumed or forked, in the order in which it happened. What the model saw of files is not kept:
/// they may have changed meanwhile.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A part of the conversation.
    Message(Message),
    /// A choice for always, and whether it allows.
    Choice(Rule, bool),
}

impl Coder {
    /// The agent with its model `offline`.
    pub fn new() -> Self {
        Self { model: Box::new(Offline) }
    }
}

impl Default for Coder {
    fn default() -> Self {
        Self::new()
    }
}

impl Author for Coder {
    type Memory = Memory;

    fn about(&self) -> About {
        let prompts = PromptCapabilities { embedded_context: true, ..PromptCapabilities::default() };
        About::new("attache", env!("CARGO_PKG_VERSION"))
            .title("Attaché")
            .prompts(prompts)
            .additional_directories()
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<Memory> {
        opening.options(options::options());
        opening.commands(options::commands());
        let given = opening.roots().to_vec();
        let folders = tokio::task::spawn_blocking(move || Folders::new(&given)).await;
        let folders =
            folders.map_err(|error| Error::caused("the session's folders could not be looked at", error))?;
        let (mut conversation, mut policy) = (Conversation::default(), Policy::default());
        for record in opening.remembered()? {
            match record {
                Record::Message(message) => conversation.push(message),
                Record::Choice(rule, allowed) => policy.remember(rule, allowed),
            }
        }
        Ok(Memory {
            conversation,
            folders: folders.map_err(|error| Error::invalid(error.to_string()))?,
            policy,
            seen: HashMap::new(),
            titled: opening.session().info().title().is_some(),
        })
    }

    async fn turn(&self, memory: &mut Memory, turn: &Turn) -> Result<StopReason> {
        crate::turn::run(&*self.model, memory, turn).await
    }
}
