//! Saying something: the hot path of an agent.

use crate::session::running_turn::OpenMessage;
use crate::session::state::State;
use crate::{Result, Turn};
use attache_protocol::Writer;
use attache_protocol::v1::{ContentBlock, MessageId};
use attache_session::{EventBody, MessageAuthor};

/// A longer text goes out as several chunks, so that no line gets huge and other sessions get their
/// say in between. In bytes.
const CHUNK: usize = 48 * 1024;

/// The line of a text chunk behind the text.
const TAIL: &[u8] = b"}}}}\n";

impl State {
    /// The id of the message that a chunk by `author` belongs to: the one before, or a new one.
    fn message(&mut self, author: MessageAuthor) -> Option<MessageId> {
        let message = self.turn()?.message.as_ref();
        if let Some(message) = message.filter(|message| message.author == author) {
            return Some(message.id.clone());
        }
        // The sequence is unique in the session, also after it was loaded again.
        let id = MessageId::from(format!("m{}", self.session.sequence() + 1));
        let message = OpenMessage::new(self.session.id(), author, id.clone());
        self.turn()?.message = Some(message);
        Some(id)
    }
}

impl Turn {
    /// Says `text` to the person: Markdown, in pieces of any size, which together are one message
    /// until something else is reported (MSG-01, MSG-02). Waits while the client is slow. An empty
    /// text says nothing.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Over`](crate::Error::Over),
    /// [`Error::Gone`](crate::Error::Gone).
    pub async fn say(&self, text: &str) -> Result<()> {
        self.chunks(MessageAuthor::Agent, text).await
    }

    /// Shows `text` as the model's reasoning. Otherwise as [`Turn::say`].
    ///
    /// # Errors
    /// As [`Turn::say`].
    pub async fn think(&self, text: &str) -> Result<()> {
        self.chunks(MessageAuthor::Thought, text).await
    }

    /// Ends the message that is being said: what is said next is a message of its own (MSG-02).
    ///
    /// # Errors
    /// As [`Turn::say`].
    pub async fn end_message(&self) -> Result<()> {
        self.ready().await?;
        if self.is_muted() {
            return self.check();
        }
        self.open_session().in_turn(self.accepted(), |state| {
            if let Some(turn) = state.turn() {
                turn.message = None;
            }
        })
    }

    /// Puts a block that is no text, such as a picture, into the message that is being said.
    ///
    /// # Errors
    /// As [`Turn::say`].
    pub async fn show(&self, content: ContentBlock) -> Result<()> {
        self.ready().await?;
        if self.is_muted() {
            return self.check();
        }
        self.open_session().in_turn(self.accepted(), |state| {
            let author = MessageAuthor::Agent;
            let message_id = state.message(author);
            state.post(EventBody::Message { author, message_id, content })
        })?
    }

    async fn chunks(&self, author: MessageAuthor, text: &str) -> Result<()> {
        if self.is_muted() {
            self.ready().await?;
            return self.check();
        }
        let mut rest = text;
        loop {
            self.ready().await?;
            let (chunk, tail) = rest.split_at(rest.floor_char_boundary(CHUNK));
            self.open_session()
                .in_turn(self.accepted(), |state| self.chunk(state, author, chunk))??;
            if tail.is_empty() {
                return Ok(());
            }
            rest = tail;
        }
    }

    fn chunk(&self, state: &mut State, author: MessageAuthor, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let message_id = state.message(author);
        let mut line = std::mem::take(&mut state.line);
        line.clear();
        if let Some(message) = state.turn().and_then(|turn| turn.message.as_ref()) {
            line.extend_from_slice(&message.head);
        }
        Writer::new(&mut line).string(text);
        line.extend_from_slice(TAIL);
        state.record(EventBody::Message { author, message_id, content: ContentBlock::text(text) });
        let sent = state.send_line(&line);
        state.line = line;
        sent?;
        state.send_info_when_due()
    }
}
