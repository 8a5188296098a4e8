//! The conversation that a model reads: prompts, answers and tool results, limited to its window.

pub(crate) mod conversation_kind;
pub(crate) mod facts;
pub(crate) mod gauge;
pub(crate) mod message;
pub(crate) mod note_token;
pub(crate) mod prompt;
pub(crate) mod state_note;
pub(crate) mod stored_call;
pub(crate) mod summary;

use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::gauge::Gauge;
use crate::conversation::message::Message;
use crate::conversation::note_token::NoteToken;
use crate::conversation::prompt::Prompt;
use crate::conversation::state_note::KnownState;
use crate::conversation::summary::Compacted;
use attache_models::estimated_tokens as tokens;

/// The parts that were removed to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Forgotten {
    /// The oldest turns.
    pub(crate) turns: usize,
    /// The oldest tool results of the current turn.
    pub(crate) results: usize,
}

/// The conversation of one session, or that of a subagent.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    messages: Vec<Message>,
    kind: ConversationKind,
    /// How full the model's window is.
    pub(crate) gauge: Gauge,
    /// The token in the notes about the state of the session.
    pub(crate) token: NoteToken,
}

impl Conversation {
    /// The conversation of a subagent about its task. It has the token of its session.
    pub(crate) fn about(task: Prompt, looks_only: bool, token: NoteToken) -> Self {
        Self {
            messages: vec![Message::User(task)],
            kind: ConversationKind::Subagent { looks_only },
            token,
            ..Self::default()
        }
    }

    pub(crate) fn kind(&self) -> ConversationKind {
        self.kind
    }

    /// The last text of the model.
    pub(crate) fn last_words(&self) -> Option<String> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::OfflineText(text) => Some(text.clone()),
            Message::Assistant(said) => Some(said.text()).filter(|text| !text.trim().is_empty()),
            _ => None,
        })
    }

    /// Creates a conversation that begins with this text.
    pub(crate) fn of(text: &str) -> Self {
        let mut conversation = Self::default();
        conversation.push(Message::User(Prompt::of_words(text)));
        conversation
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// All messages, the oldest first.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the model knows about the state of the session. A summary does not contain it, so a
    /// note repeats the state after a compaction has removed the earlier notes.
    pub(crate) fn known_state(&self) -> KnownState {
        let mut known = KnownState::default();
        for message in &self.messages {
            if let Message::State(note) = message {
                known.learn(&note.tells);
            }
        }
        known
    }

    /// The estimated length of the conversation, in tokens.
    pub(crate) fn tokens(&self) -> u64 {
        self.messages.iter().map(Message::tokens).sum()
    }

    /// Replaces the older part with a summary. The result is deterministic, so that replaying the
    /// stored records gives the same conversation.
    pub(crate) fn compact(&mut self, compacted: Compacted) {
        let kept = self.messages.split_off(self.messages.len().saturating_sub(compacted.kept));
        let is_prompt = |message: &Message| matches!(message, Message::User(_));
        let prompt = self.messages.iter().rposition(is_prompt).filter(|_| compacted.with_prompt);
        let prompt = prompt.map(|at| self.messages.swap_remove(at));
        self.messages =
            [Message::Summary(compacted.summary)].into_iter().chain(prompt).chain(kept).collect();
    }

    /// The estimated length of the conversation with this summary, in tokens.
    pub(crate) fn tokens_with(&self, compacted: &Compacted) -> u64 {
        let (older, kept) =
            self.messages.split_at(self.messages.len().saturating_sub(compacted.kept));
        let is_prompt = |message: &&Message| matches!(message, Message::User(_));
        let prompt = older.iter().rev().find(is_prompt).filter(|_| compacted.with_prompt);
        let summary = tokens(&compacted.summary.markdown());
        summary + kept.iter().chain(prompt).map(Message::tokens).sum::<u64>()
    }

    /// Replaces the media of the last messages, or of all, with the reason why they were dropped.
    /// Returns the descriptions of these media.
    pub(crate) fn drop_media(&mut self, last: Option<usize>, why: &str) -> Vec<String> {
        let kept = last.map_or(0, |last| self.messages.len().saturating_sub(last));
        self.messages.iter_mut().skip(kept).flat_map(|message| message.drop_media(why)).collect()
    }

    /// The number of messages since the last answer of a model.
    pub(crate) fn since_answer(&self) -> usize {
        let is_answer = |message: &Message| matches!(message, Message::Assistant(_));
        self.messages.iter().rev().take_while(|message| !is_answer(message)).count()
    }

    /// Restores the messages of an earlier moment.
    pub(crate) fn replace_messages(&mut self, messages: Vec<Message>) {
        self.messages = messages;
    }

    /// Removes all messages.
    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.gauge = Gauge::default();
    }

    /// Removes old parts until the rest fits into the model's window: first whole turns, then tool
    /// results of the current turn, the oldest first. A summary is always kept, and so is a prompt,
    /// even if it is too long by itself.
    pub(crate) fn fit(&mut self, window: u64) -> Forgotten {
        let mut forgotten = Forgotten::default();
        let mut used = self.tokens();
        while used > window {
            let first = usize::from(matches!(self.messages.first(), Some(Message::Summary(_))));
            let mut begins = (first + 1..).zip(self.messages.iter().skip(first + 1));
            let Some((next, _)) = begins.find(|(_, message)| matches!(message, Message::User(_)))
            else {
                break;
            };
            used -= self.messages.drain(first..next).map(|message| message.tokens()).sum::<u64>();
            forgotten.turns += 1;
        }
        for message in &mut self.messages {
            if used <= window {
                break;
            }
            let before = message.tokens();
            let text = match message {
                Message::OfflineCall(_, result) => &mut result.text,
                Message::ToolReply(answer) => &mut answer.text,
                Message::User(_)
                | Message::OfflineText(_)
                | Message::Assistant(_)
                | Message::Note(_)
                | Message::State(_)
                | Message::Summary(_) => continue,
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

/// The size, in bytes, up to which tool results of the current turn are always kept, because
/// removing them saves little.
const SHORT: usize = 1024;

/// The text that replaces a removed result.
const LEFT_OUT: &str = "[left out]";

#[cfg(test)]
mod tests {
    use super::{Conversation, Forgotten, Message, Prompt, tokens};
    use crate::tools::{Finding, ToolResult};

    fn person(bytes: usize) -> Message {
        Message::User(Prompt { with_paths: "x".repeat(bytes), ..Prompt::default() })
    }

    fn tool(bytes: usize) -> Message {
        let read = r#"{"Read":{"path":"f","line":null,"limit":null}}"#;
        Message::OfflineCall(
            serde_json::from_str(read).unwrap(),
            ToolResult {
                text: "x".repeat(bytes),
                failed: false,
                finding: Finding::Nothing,
                images: Vec::new(),
            },
        )
    }

    #[test]
    fn tokens_are_four_bytes_rounded_up() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("äöü")], [0, 1, 1, 2]);
    }

    #[test]
    fn oldest_turns_are_removed_before_the_oldest_results_of_this_turn() {
        let mut conversation = Conversation::default();
        for message in [person(400), tool(4000), person(400), person(400), tool(4000), tool(40)] {
            conversation.push(message);
        }
        let now = conversation.tokens();
        assert_eq!(conversation.fit(now), Forgotten::default());
        assert_eq!(conversation.fit(now - 1), Forgotten { turns: 1, results: 0 });
        assert_eq!(conversation.fit(600), Forgotten { turns: 1, results: 1 });
        assert!(conversation.tokens() <= 600);
        let messages = conversation.messages();
        assert_eq!((messages.len(), &messages[0]), (3, &person(400)));
        assert_eq!(conversation.fit(1).turns, 0, "a prompt stays even if it is too long");
    }
}
