//! Text and other content of messages: the hot path of an agent.

use crate::session::running_turn::OpenMessage;
use crate::session::state::State;
use crate::{Result, Turn};
use attache_protocol::Writer;
use attache_protocol::v1::{ContentBlock, MessageId};
use attache_session::{EventBody, MessageAuthor};

/// The maximum length of a chunk, in bytes. Longer text is split, so that no line becomes huge and
/// other sessions can send in between.
const CHUNK: usize = 48 * 1024;

/// The JSON of a text chunk after its text.
const TAIL: &[u8] = b"}}}}";

impl State {
    /// Returns the id of the message that a chunk by `author` belongs to: the open one or a new
    /// one.
    fn message(&mut self, author: MessageAuthor) -> Option<MessageId> {
        let message = self.turn()?.message.as_ref();
        if let Some(message) = message.filter(|message| message.author == author) {
            return Some(message.id.clone());
        }
        // The sequence is unique in the session, even after a load.
        let id = MessageId::from(format!("m{}", self.session.sequence() + 1));
        let message = OpenMessage::new(self.session.id(), author, id.clone());
        self.turn()?.message = Some(message);
        Some(id)
    }
}

impl Turn {
    /// Sends `text` to the user as Markdown. Pieces of any size form one message until something
    /// else is sent. Waits while the client is slow. An empty text sends nothing.
    ///
    /// # Errors
    /// Returns [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Over`](crate::Error::Over)
    /// or [`Error::Disconnected`](crate::Error::Disconnected).
    // MSG-01, MSG-02.
    pub async fn say(&self, text: &str) -> Result<()> {
        self.chunks(MessageAuthor::Agent, text).await
    }

    /// Sends `text` as reasoning of the model. Otherwise like [`Turn::say`].
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
    pub async fn think(&self, text: &str) -> Result<()> {
        self.chunks(MessageAuthor::Thought, text).await
    }

    /// Ends the current message: the next text begins a new one.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
    // MSG-02.
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

    /// Adds a block that is not text, such as an image, to the current message.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
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
        state.record(EventBody::Message { author, message_id, content: ContentBlock::text(text) });
        if let Some(message) = state.turn.as_ref().and_then(|turn| turn.message.as_ref()) {
            state.peer().send_encoded(|line| {
                line.extend_from_slice(&message.head);
                Writer::new(line).string(text);
                line.extend_from_slice(TAIL);
            })?;
        }
        state.send_info_when_due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::client_update::ClientUpdate;
    use attache_protocol::v1::{ClientCapabilities, SessionId, SessionNotification};
    use attache_protocol::v2::UpdateSessionNotification;
    use attache_protocol::{Wire, encode};
    use serde_json::{Value, json};

    /// A notification with these params.
    fn notification(params: &impl Wire) -> Value {
        let params: Value = serde_json::from_str(&encode(params)).unwrap();
        json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })
    }

    #[test]
    fn a_chunk_has_the_members_that_the_types_of_both_versions_write() {
        let texts = ["", "word ", "a \"quote\" \\ and\nmore\t\u{1}", "\u{e4}\u{1f600}\u{2028}"];
        let ids = ["m1", "\"odd\" id"];
        for author in [MessageAuthor::User, MessageAuthor::Agent, MessageAuthor::Thought] {
            for (text, id) in texts.iter().flat_map(|text| ids.map(|id| (*text, id))) {
                let (session, id) = (SessionId::from("s \"1\""), MessageId::from(id));
                let mut line = OpenMessage::new(&session, author, id.clone()).head;
                Writer::new(&mut line).string(text);
                line.extend_from_slice(TAIL);
                assert!(line.ends_with(b"}") && !line.contains(&b'\n'));
                let line: Value = serde_json::from_slice(&line).unwrap();
                let content = ContentBlock::text(text);
                let body = EventBody::Message { author, message_id: Some(id), content };
                let update = body.to_update_for(&ClientCapabilities::default()).unwrap();
                let Some(of_v2) = body.to_v2_update(None) else { panic!("{body:?}") };
                for update in [ClientUpdate::V1(update), ClientUpdate::V2(of_v2)] {
                    let expected = match update {
                        ClientUpdate::V1(update) => {
                            notification(&SessionNotification::new(session.clone(), update))
                        }
                        ClientUpdate::V2(update) => {
                            notification(&UpdateSessionNotification::new(session.clone(), update))
                        }
                    };
                    assert_eq!(line, expected);
                }
            }
        }
    }
}
