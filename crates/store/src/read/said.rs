//! Searching messages.

use attache_protocol::v1::{ContentBlock, MessageId};
use attache_session::{Event, EventBody, MessageAuthor};

/// Returns whether the user or the agent speaks in the event. Thoughts do not count.
pub(crate) fn is_said(body: &EventBody) -> bool {
    match body {
        EventBody::Prompt { .. } => true,
        EventBody::Message { author, content, .. } => {
            *author != MessageAuthor::Thought && matches!(content, ContentBlock::Text(_))
        }
        EventBody::WholeMessage { author, content, .. } => {
            *author != MessageAuthor::Thought && content.set().is_some()
        }
        _ => false,
    }
}

/// Finds a text in messages that arrive in chunks, even if the text spans several chunks. Keeps no
/// more of the messages than the length of the text.
pub(crate) struct Search<'t> {
    /// The text to find, in ASCII lower case.
    text: &'t str,
    message: Option<(MessageAuthor, Option<MessageId>)>,
    end: String,
}

impl<'t> Search<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, message: None, end: String::new() }
    }

    /// Adds an event and returns whether the text was found.
    pub(crate) fn finds(&mut self, event: &Event) -> bool {
        match &event.body {
            EventBody::Prompt { content } => {
                let mut prompt = Self::new(self.text);
                content.iter().any(|block| prompt.goes_on(block))
            }
            EventBody::WholeMessage { content, .. } if is_said(&event.body) => {
                let mut message = Self::new(self.text);
                content.set().into_iter().flatten().any(|block| message.goes_on(block))
            }
            EventBody::Message { author, message_id, content } if is_said(&event.body) => {
                let same = self
                    .message
                    .as_ref()
                    .is_some_and(|(own, id)| own == author && id == message_id);
                if !same {
                    self.message = Some((*author, message_id.clone()));
                    self.end.clear();
                }
                self.goes_on(content)
            }
            _ => false,
        }
    }

    fn goes_on(&mut self, content: &ContentBlock) -> bool {
        let ContentBlock::Text(piece) = content else { return false };
        self.end.push_str(&piece.text);
        self.end.make_ascii_lowercase();
        if self.end.contains(self.text) {
            return true;
        }
        let mut kept = self.end.len().saturating_sub(self.text.len());
        while !self.end.is_char_boundary(kept) {
            kept -= 1;
        }
        self.end.drain(..kept);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::TextContent;
    use attache_session::Timestamp;

    fn finds(text: &str, pieces: &[(MessageAuthor, &str)]) -> bool {
        let mut search = Search::new(text);
        pieces.iter().any(|(author, piece)| {
            let content = ContentBlock::Text(TextContent::new(*piece));
            let body = EventBody::Message { author: *author, message_id: None, content };
            search.finds(&Event { sequence: 1, at: Timestamp(0), body })
        })
    }

    #[test]
    fn a_text_is_found_across_chunks_of_any_size() {
        let said = "Größe: das ist die ÄNDERUNG, the CHANGE";
        for text in
            ["größe: das", "ist die Änderung".to_ascii_lowercase().as_str(), "the change", "e"]
        {
            let whole = said.to_ascii_lowercase().contains(text);
            for size in 1..said.chars().count() {
                let chars: Vec<char> = said.chars().collect();
                let pieces: Vec<String> =
                    chars.chunks(size).map(|chunk| chunk.iter().collect()).collect();
                let pieces: Vec<_> =
                    pieces.iter().map(|piece| (MessageAuthor::Agent, piece.as_str())).collect();
                assert_eq!(finds(text, &pieces), whole, "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn a_text_is_not_found_across_two_authors_or_in_thoughts() {
        use MessageAuthor::{Agent, Thought, User};
        assert!(!finds("hello", &[(User, "hel"), (Agent, "lo")]));
        assert!(!finds("hello", &[(Thought, "hello")]));
        assert!(finds("hello", &[(User, "x"), (Agent, "HELLO")]));
    }
}
