//! The state of a session, and the records that it stores.

use crate::conversation::Conversation;
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::message::Message;
use crate::conversation::note_token::NoteToken;
use crate::conversation::summary::Compacted;
use crate::mcp::Servers;
use crate::models::{Model, TokenUsage};
use crate::notices::tell;
use crate::session::changes::Changes;
use crate::session::choice::Choice;
use crate::session::instructions::Instructions;
use crate::session::spending::{Spending, cost};
use crate::session::system_prompt::ClientInstructions;
use crate::session::titles::Titles;
use crate::tools::execute::shell::Shell;
use crate::tools::files::file_access::Fingerprint;
use attache_agent::{Result, Turn};
use attache_policy::{Effect, Folders, Policy, Subject};
use attache_protocol::v1::{Notice, NoticeSeverity};
use attache_session::Labels;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// The state that the agent keeps of one session.
#[derive(Debug)]
pub struct Memory {
    pub(crate) conversation: Conversation,
    pub(crate) folders: Folders,
    pub(crate) policy: Policy,
    pub(crate) spending: Spending,
    /// The fingerprint of each file when the model last saw it.
    pub(crate) seen: Seen,
    /// The changes that tools made, for `/undo`.
    pub(crate) changes: Changes,
    pub(crate) titles: Titles,
    /// The labels in the session's metadata.
    pub(crate) labels: Labels,
    /// The instructions of the person and of the project.
    pub(crate) instructions: Instructions,
    /// The client's instructions for this session.
    pub(crate) client_instructions: Option<ClientInstructions>,
    /// The last model for which the person was told that its context window is unknown.
    pub(crate) unmeasured: Option<String>,
    /// The attachments that the person was told about because they are not sent, by
    /// [`LeftOut::id`](crate::models::LeftOut).
    pub(crate) told_left_out: HashSet<u64>,
    /// The MCP servers that the client gave the session.
    pub(crate) mcp: Servers,
    /// The session's sandbox, temporary files and background commands.
    pub(crate) shell: Shell,
}

/// The fingerprints of files when the model last saw them, by their paths.
pub(crate) type Seen = HashMap<PathBuf, Fingerprint>;

/// A record that a session reads back when it is loaded, resumed or forked, in the order of events.
/// The fingerprints of files that were read are not stored, because the files may have changed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A part of the conversation.
    Message(Box<Message>),
    /// A permission choice that an older session stored, and whether it allows or denies.
    Choice(Choice, bool),
    /// A permission choice for the rest of the session.
    Rule(Subject, Effect),
    /// The cost of a model call in US dollars, if the price is known.
    Cost(Option<f64>),
    /// A summary that replaced the older part of the conversation.
    Compacted(Box<Compacted>),
    /// Images, audio and documents that the provider refused. They were removed from this many last
    /// messages of the conversation, or from all.
    DroppedMedia { last: Option<usize>, why: String },
    /// The conversation was cleared.
    Cleared,
    /// The instructions in the system prompt, which stay the same when the session is loaded.
    Instructions(Option<String>),
    /// The token in the notes about the state, which stays the same when the session is loaded.
    NoteToken(String),
    /// The names of the MCP servers' tools, in the order in which models are offered them.
    Tools(Vec<String>),
}

impl Record {
    /// Restores what this record is about, when a session is opened again.
    pub(crate) fn restore(
        self,
        conversation: &mut Conversation,
        policy: &mut Policy,
        spending: &mut Spending,
    ) {
        match self {
            Self::Message(message) => conversation.push(*message),
            Self::Choice(choice, allowed) => {
                let effect = if allowed { Effect::Allow } else { Effect::Deny };
                choice.subject().into_iter().for_each(|subject| policy.remember(subject, effect));
            }
            Self::Rule(subject, effect) => policy.remember(subject, effect),
            Self::Cost(dollars) => spending.add("an earlier model", dollars),
            Self::Compacted(compacted) => conversation.compact(*compacted),
            Self::DroppedMedia { last, why } => drop(conversation.drop_media(last, &why)),
            Self::Cleared => conversation.clear(),
            Self::NoteToken(token) => conversation.token = NoteToken::stored(token),
            // They belong to the prompt and to the servers, which the opening session creates.
            Self::Instructions(_) | Self::Tools(_) => {}
        }
    }
}

impl Memory {
    /// Adds a message to the conversation in memory, and stores it unless the conversation is a
    /// subagent's.
    pub(crate) async fn add_message(&mut self, turn: &Turn, message: Message) -> Result<()> {
        if let ConversationKind::Subagent { .. } = self.conversation.kind() {
            self.conversation.push(message);
            return Ok(());
        }
        let record = Record::Message(Box::new(message));
        turn.remember(&record).await?;
        if let Record::Message(message) = record {
            self.conversation.push(*message);
        }
        Ok(())
    }

    /// Adds the tokens and the cost of a model call, in memory and in the session's records.
    pub(crate) async fn charge(
        &mut self,
        turn: &Turn,
        model: &dyn Model,
        usage: &TokenUsage,
    ) -> Result<()> {
        let cost = cost(model, usage);
        turn.remember(&Record::Cost(cost)).await?;
        self.spending.add(model.title(), cost);
        self.spending.count(usage);
        self.report_uncounted(turn).await
    }

    /// Tells the person once that the cost does not include the calls of a model.
    pub(crate) async fn report_uncounted(&mut self, turn: &Turn) -> Result<()> {
        let Some(models) = self.spending.newly_uncounted() else { return Ok(()) };
        let title = format!("The cost of the session does not include the calls of {models}");
        let mut notice = Notice::new(NoticeSeverity::Warning, title);
        notice.description = Some(
            "Their price or their tokens are unknown. The real cost is higher, and a budget limits only the known part."
                .to_owned(),
        );
        tell(turn.root(), notice).await
    }
}
