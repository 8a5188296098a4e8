//! What a turn changed, for whoever shows it.

use attache_protocol::v1::{AvailableCommand, ContentBlock, Notice, PlanId, ToolCall};
use attache_session::{
    Block, Compaction, ConfigOptions, Entry, EntryChange, EntryContent, Info, MessageAuthor, Parts,
    Permission, PlanContent, Position, Session, UsageState,
};
use std::collections::HashMap;
use std::sync::Arc;

/// What changed. Changes that follow each other are merged until somebody looks, so each is the
/// state of the thing at that moment; only text comes as what is new.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Change {
    /// A message begins; what it says follows. Two messages of one author are told apart by this
    /// alone.
    Began(MessageAuthor),
    /// New text of the agent's answer; Markdown (MSG-07).
    Text(String),
    /// New text of the agent's reasoning.
    Thought(String),
    /// New text that the agent says the person said.
    UserText(String),
    /// Something else than plain text in a message.
    Content {
        /// Who speaks.
        author: MessageAuthor,
        /// What it is.
        block: Arc<ContentBlock>,
    },
    /// A tool call, with all that is known of it.
    ToolCall(Box<ToolCall>),
    /// A plan, whole.
    Plan {
        /// Which plan; `None` is the one plan of agents that know no ids.
        id: Option<PlanId>,
        /// Its content; `None` once it is dropped.
        content: Option<PlanContent>,
    },
    /// Something to tell the person.
    Notice(Box<Notice>),
    /// A compaction, with all that is known of it.
    Compaction(Box<Compaction>),
    /// An entry of another kind, such as an update that this version has no name for.
    Entry(Arc<Entry>),
    /// The slash commands, all of them.
    Commands(Vec<AvailableCommand>),
    /// Config options, modes and models, all of them.
    Config(ConfigOptions),
    /// Title, time and metadata.
    Info(Info),
    /// Context, cost and tokens.
    Usage(UsageState),
    /// The permission requests that are open now; none when the last was settled.
    Permissions(Vec<Arc<Permission>>),
}

/// What a watcher has been told.
#[derive(Debug)]
pub(crate) struct Told {
    position: Position,
    /// How much of each message, by its index.
    messages: HashMap<usize, Extent>,
}

/// How much of a message was told.
#[derive(Debug, Default)]
struct Extent {
    text_bytes: usize,
    other_blocks: usize,
}

impl From<Position> for Told {
    fn from(position: Position) -> Self {
        Self { position, messages: HashMap::new() }
    }
}

impl Told {
    /// What is new, entries in the order of the transcript first.
    pub(crate) fn tell(&mut self, session: &Session) -> Vec<Change> {
        let changes = session.changes_since(&self.position);
        self.position = changes.position;
        let mut told = Vec::new();
        for change in changes.entries {
            match change {
                EntryChange::TextGrew { entry, author, new_text } => {
                    if let Some(extent) = self.messages.get_mut(&entry) {
                        extent.text_bytes += new_text.len();
                    }
                    told.push(text(author, new_text));
                }
                EntryChange::Began { entry, content }
                | EntryChange::Replaced { entry, content } => {
                    self.tell_entry(entry, &content, &mut told);
                }
            }
        }
        tell_sections(session, changes.parts, &mut told);
        told
    }

    fn tell_entry(&mut self, index: usize, entry: &Arc<Entry>, told: &mut Vec<Change>) {
        told.push(match &entry.content {
            EntryContent::Message { author, blocks, .. } => {
                return self.tell_message(index, *author, blocks, told);
            }
            EntryContent::ToolCall(call) => Change::ToolCall(call.clone()),
            EntryContent::Plan { id, content } => {
                Change::Plan { id: id.clone(), content: content.clone() }
            }
            EntryContent::Notice(notice) => Change::Notice(notice.clone()),
            EntryContent::Compaction(compaction) => Change::Compaction(compaction.clone()),
            EntryContent::Dropped => return,
            _ => Change::Entry(entry.clone()),
        });
    }

    /// A message that is new, or that got more than text at its end: only what was not told of it.
    fn tell_message(
        &mut self,
        index: usize,
        author: MessageAuthor,
        blocks: &[Block],
        told: &mut Vec<Change>,
    ) {
        let extent = self.messages.entry(index).or_insert_with(|| {
            told.push(Change::Began(author));
            Extent::default()
        });
        let (mut bytes, mut others) = (0, 0);
        for block in blocks {
            match block {
                Block::Text(content) => {
                    let new = content.suffix(extent.text_bytes.saturating_sub(bytes));
                    bytes += content.len();
                    if !new.is_empty() {
                        told.push(text(author, new));
                    }
                }
                Block::Other(block) => {
                    others += 1;
                    if others > extent.other_blocks {
                        told.push(Change::Content { author, block: block.clone() });
                    }
                }
            }
        }
        *extent = Extent { text_bytes: bytes, other_blocks: others };
    }
}

fn text(author: MessageAuthor, new: String) -> Change {
    match author {
        MessageAuthor::Agent => Change::Text(new),
        MessageAuthor::Thought => Change::Thought(new),
        MessageAuthor::User => Change::UserText(new),
    }
}

fn tell_sections(session: &Session, parts: Parts, told: &mut Vec<Change>) {
    if parts.contains(Parts::COMMANDS) {
        told.push(Change::Commands(session.commands().to_vec()));
    }
    if parts.contains(Parts::CONFIG) {
        told.push(Change::Config(session.config().clone()));
    }
    if parts.contains(Parts::INFO) {
        told.push(Change::Info(session.info().clone()));
    }
    if parts.contains(Parts::USAGE) {
        told.push(Change::Usage(session.usage().clone()));
    }
    if parts.contains(Parts::PERMISSION) {
        told.push(Change::Permissions(session.open_permissions().cloned().collect()));
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Told};
    use attache_protocol::v1::{ContentBlock, ResourceLink};
    use attache_session::{EventBody, MessageAuthor, Position, Session, Timestamp};

    fn say(session: &mut Session, content: impl Into<ContentBlock>) {
        let body = EventBody::Message {
            author: MessageAuthor::Agent,
            message_id: None,
            content: content.into(),
        };
        session.apply(&session.next(Timestamp(0), body));
    }

    #[test]
    fn nothing_of_a_message_is_told_twice_or_left_out() {
        let mut session = Session::new("s");
        let mut told = Told::from(Position::START);
        let mut heard = String::new();
        let link = || ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a"));
        let mut listen = |session: &Session| {
            for change in told.tell(session) {
                match change {
                    Change::Text(new) => heard.push_str(&new),
                    Change::Content { .. } => heard.push('@'),
                    Change::Began(_) => heard.push('|'),
                    other => panic!("{other:?}"),
                }
            }
        };
        say(&mut session, "a");
        say(&mut session, "b");
        listen(&session);
        say(&mut session, "c");
        listen(&session);
        say(&mut session, link());
        say(&mut session, "d");
        listen(&session);
        say(&mut session, "e");
        say(&mut session, link());
        listen(&session);
        listen(&session);
        assert_eq!(heard, "|abc@de@");
    }
}
