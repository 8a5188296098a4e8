//! Finds text in the log of a stored session: the first prompt, or the first match of a search.

use attache_protocol::v1::{ContentBlock, MessageId};
use attache_session::{Event, EventBody, ListEntry, MessageAuthor, SessionKey, Store, StoreError};
use attache_view::sanitize;

/// To find text across the pieces of a message, this many bytes before the current piece are kept,
/// plus the length of the search text.
const BEFORE: usize = 300;

/// The maximum number of bytes that are shown after a match.
const BEHIND: usize = 300;

/// Returns the title, or the first line of the first prompt; `None` if the session has no messages.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub(crate) fn title(store: &dyn Store, listed: &ListEntry) -> Result<Option<String>, StoreError> {
    if let Some(title) = listed.summary.info.title() {
        return Ok(Some(sanitize::line(title)));
    }
    if listed.summary.prompts == 0 {
        return Ok(None);
    }
    let mut after = 0;
    loop {
        let events = store.read(&listed.key, after)?;
        let Some(last) = events.last() else { return Ok(None) };
        after = last.sequence;
        if let Some(content) = events.iter().find_map(|event| match &event.body {
            EventBody::Prompt { content } => Some(content),
            _ => None,
        }) {
            let lines = content.iter().filter_map(ContentBlock::as_text).flat_map(str::lines);
            let mut lines = lines.map(sanitize::line).filter(|line| !line.is_empty());
            return Ok(Some(lines.next().unwrap_or_else(|| "(a prompt without text)".to_owned())));
        }
    }
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The author of the message.
    pub(crate) author: MessageAuthor,
    /// The number of the event that contains the end of the match.
    pub(crate) sequence: u64,
    /// The text before the match in its line, at most about [`BEFORE`] bytes.
    pub(crate) before: String,
    /// The matching text as written.
    pub(crate) text: String,
    /// The text after the match in its line, as far as it was read.
    pub(crate) behind: String,
}

/// Finds the first message with `text`, ignoring ASCII case; `None` if only the title contains it.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub(crate) fn find(
    store: &dyn Store,
    key: &SessionKey,
    text: &str,
) -> Result<Option<Found>, StoreError> {
    let mut looking =
        Looking { text: text.to_ascii_lowercase(), message: None, tail: String::new() };
    let mut after = 0;
    loop {
        let events = store.read(key, after)?;
        let Some(last) = events.last() else { return Ok(None) };
        after = last.sequence;
        if let Some(found) = events.iter().find_map(|event| looking.event(event)) {
            return Ok(Some(found));
        }
    }
}

struct Looking {
    /// The search text in lower case (ASCII).
    text: String,
    /// The message that the tail belongs to.
    message: Option<(MessageAuthor, Option<MessageId>)>,
    /// The end of that message as far as it was read.
    tail: String,
}

impl Looking {
    fn event(&mut self, event: &Event) -> Option<Found> {
        match &event.body {
            EventBody::Prompt { content } => {
                let mut texts = content.iter().filter_map(ContentBlock::as_text);
                self.message = None;
                texts.find_map(|text| {
                    self.tail.clear();
                    self.piece(MessageAuthor::User, event.sequence, text)
                })
            }
            EventBody::Message { author, message_id, content } => {
                let message = Some((*author, message_id.clone()));
                if self.message != message {
                    self.message = message;
                    self.tail.clear();
                }
                self.piece(*author, event.sequence, content.as_text()?)
            }
            EventBody::WholeMessage { author, content, .. } => {
                self.message = None;
                let mut texts = content.set()?.iter().filter_map(ContentBlock::as_text);
                texts.find_map(|text| {
                    self.tail.clear();
                    self.piece(*author, event.sequence, text)
                })
            }
            EventBody::TurnBegan | EventBody::TurnEnded { .. } | EventBody::ToolCall(_) => {
                self.message = None;
                None
            }
            _ => None,
        }
    }

    fn piece(&mut self, author: MessageAuthor, sequence: u64, piece: &str) -> Option<Found> {
        self.tail.push_str(piece);
        let at = self.tail.to_ascii_lowercase().find(&self.text);
        let Some(at) = at else {
            let keep = BEFORE + self.text.len();
            let cut = self.tail.floor_char_boundary(self.tail.len().saturating_sub(keep));
            self.tail.drain(..cut);
            return None;
        };
        let (before, rest) = self.tail.split_at_checked(at)?;
        let (text, behind) = rest.split_at_checked(self.text.len())?;
        let line_before = before.rsplit('\n').next().unwrap_or_default();
        let line_before = line_before
            .get(line_before.floor_char_boundary(line_before.len().saturating_sub(BEFORE))..)?;
        let line_behind = behind.split('\n').next().unwrap_or_default();
        let line_behind = line_behind.get(..line_behind.floor_char_boundary(BEHIND))?;
        Some(Found {
            author,
            sequence,
            before: line_before.to_owned(),
            text: text.to_owned(),
            behind: line_behind.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_session::Timestamp;

    fn found(text: &str, pieces: &[(MessageAuthor, &str)]) -> Option<Found> {
        let mut looking =
            Looking { text: text.to_ascii_lowercase(), message: None, tail: String::new() };
        let event = |(sequence, (author, piece)): (u64, &(MessageAuthor, &str))| {
            let content = ContentBlock::text(*piece);
            let body = EventBody::Message { author: *author, message_id: None, content };
            Event { sequence, at: Timestamp(0), body }
        };
        (1..).zip(pieces).map(event).find_map(|event| looking.event(&event))
    }

    #[test]
    fn a_text_is_found_across_pieces_of_one_message() {
        use MessageAuthor::{Agent, User};
        let long = "漢".repeat(500);
        let found_in =
            |pieces: &[_]| found("ONE two", pieces).map(|found| (found.sequence, found.text));
        assert_eq!(found_in(&[(Agent, "one t"), (Agent, "wo")]), Some((2, "one two".to_owned())));
        assert_eq!(
            found_in(&[(Agent, &long), (Agent, "One"), (Agent, " tWo")]),
            Some((3, "One tWo".to_owned()))
        );
        assert_eq!(found_in(&[(User, "one t"), (Agent, "wo")]), None);
    }

    #[test]
    fn the_line_around_a_text_is_bounded() {
        let piece = format!("{}here{}", "漢".repeat(5000), "字".repeat(5000));
        let found = found("here", &[(MessageAuthor::User, &piece)]).unwrap();
        assert!(found.before.len() <= BEFORE && found.behind.len() <= BEHIND, "{found:?}");
        assert!(found.before.ends_with('漢') && found.behind.starts_with('字'));
    }
}
