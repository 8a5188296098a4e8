//! A filter for the prompt that some agents repeat.

use attache_protocol::Patch;
use attache_protocol::v1::{ContentBlock, MessageId};
use attache_session::{EventBody, MessageAuthor};

/// A filter for the prompt of a turn, which some agents repeat as a message from the person. The
/// session already contains the prompt, so the repetition is dropped: the first message from the
/// person in the turn, if its text equals the prompt.
///
/// A possible repetition is held back until it is certain. If the text turns out to be another
/// message, stops early, or continues beyond the prompt, it is passed on in its original place. The
/// filter holds at most the prompt's own text, in any number of chunks.
#[derive(Debug)]
pub(crate) struct PromptEcho {
    /// The prompt's texts, joined.
    sent: String,
    /// The text that is held back or dropped.
    heard: Option<Heard>,
    /// Whether the first message of the person has ended.
    over: bool,
}

/// The beginning of a message that equals this many bytes of the prompt, with the id of that
/// message.
#[derive(Debug)]
struct Heard {
    id: Option<MessageId>,
    bytes: usize,
}

impl PromptEcho {
    /// Makes the filter of a prompt; `None` if it has no text.
    pub(crate) fn of(prompt: &[ContentBlock]) -> Option<Self> {
        let sent = text_of(prompt);
        (!sent.is_empty()).then_some(Self { sent, heard: None, over: false })
    }

    /// Takes the next update of the turn and passes on, in order, everything but the repetition.
    pub(crate) fn hear(&mut self, body: EventBody, mut pass: impl FnMut(EventBody)) {
        match &body {
            EventBody::Message { author: MessageAuthor::User, message_id, content } => {
                if !self.over && self.grow(message_id.as_ref(), content) {
                    return;
                }
                // A message with an id can continue at any time (MSG-02). One without an id
                // continues only until another entry comes (MSG-04).
                let same = self.heard.as_ref().is_some_and(|heard| match message_id {
                    Some(_) => heard.id == *message_id,
                    None => !self.over,
                });
                if same || !self.over {
                    self.end(same).into_iter().for_each(&mut pass);
                }
            }
            EventBody::WholeMessage { author: MessageAuthor::User, content, .. }
                if !self.over && self.heard.is_none() =>
            {
                self.over = true;
                if self.is_repeated(content) {
                    return;
                }
            }
            // These are not entries of the transcript, so they do not interrupt a message.
            EventBody::Commands(_)
            | EventBody::ConfigOptions(_)
            | EventBody::CurrentMode(_)
            | EventBody::Info { .. }
            | EventBody::InfoByKey { .. }
            | EventBody::Usage { .. } => {}
            _ if self.heard.is_some() && !self.over => {
                self.end(false).into_iter().for_each(&mut pass)
            }
            _ => {}
        }
        pass(body);
    }

    /// Ends the turn and returns the text that was held back, unless it is the whole prompt.
    pub(crate) fn left(mut self) -> Option<EventBody> {
        if self.over { None } else { self.end(false) }
    }

    /// Takes the id of the prompt. Returns whether all later messages with another id are messages
    /// of their own, so that the filter is no longer needed.
    pub(crate) fn acknowledged(&self, prompt: &MessageId) -> bool {
        self.heard.as_ref().is_none_or(|heard| heard.id.as_ref() == Some(prompt))
    }

    /// Returns whether this content of a whole message has the text of the prompt.
    fn is_repeated(&self, content: &Patch<Vec<ContentBlock>>) -> bool {
        let Patch::Set(blocks) = content else { return false };
        text_of(blocks) == self.sent
    }

    /// Returns whether this chunk continues the repetition, and then holds it back.
    fn grow(&mut self, id: Option<&MessageId>, content: &ContentBlock) -> bool {
        let ContentBlock::Text(text) = content else { return false };
        if text.annotations.is_some() || text.meta.is_some() {
            return false;
        }
        let bytes = match &self.heard {
            None => 0,
            Some(heard) if id.is_none() || heard.id.as_ref() == id => heard.bytes,
            Some(_) => return false,
        };
        if !self.sent.get(bytes..).is_some_and(|rest| rest.starts_with(&text.text)) {
            return false;
        }
        let heard = self.heard.get_or_insert_with(|| Heard { id: id.cloned(), bytes: 0 });
        heard.bytes = bytes + text.text.len();
        true
    }

    /// The first message of the person has ended, or continues as something else. Returns the part
    /// of it that must be passed on.
    fn end(&mut self, something_else: bool) -> Option<EventBody> {
        self.over = true;
        let heard = self.heard.take_if(|heard| something_else || heard.bytes < self.sent.len())?;
        let text = self.sent.get(..heard.bytes)?;
        let (author, content) = (MessageAuthor::User, ContentBlock::text(text));
        Some(EventBody::Message { author, message_id: heard.id, content })
    }
}

/// The texts of a message, joined.
fn text_of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::PromptEcho;
    use attache_protocol::v1::{ContentBlock, ResourceLink, TextContent};
    use attache_protocol::{Meta, Raw};
    use attache_session::{EventBody, MessageAuthor};

    fn chunk(author: MessageAuthor, id: Option<&str>, text: &str) -> EventBody {
        EventBody::Message {
            author,
            message_id: id.map(Into::into),
            content: ContentBlock::text(text),
        }
    }

    /// The updates that are passed on, one word for each: the id and text of a message of the
    /// person, `agent` or `state`.
    fn passed(prompt: &str, bodies: impl IntoIterator<Item = EventBody>) -> Vec<String> {
        let mut echo = PromptEcho::of(&[prompt.into()]).unwrap();
        let mut passed = Vec::new();
        bodies.into_iter().for_each(|body| echo.hear(body, |body| passed.push(body)));
        passed.extend(echo.left());
        let words = passed.into_iter().map(|body| match body {
            EventBody::Message { author: MessageAuthor::User, message_id, content } => {
                let ContentBlock::Text(text) = content else { return "link".to_owned() };
                format!(
                    "{}{}",
                    message_id.map(|id| format!("{id}:")).unwrap_or_default(),
                    text.text
                )
            }
            EventBody::Usage { .. } => "state".to_owned(),
            _ => "agent".to_owned(),
        });
        words.collect()
    }

    fn user(text: &str) -> EventBody {
        chunk(MessageAuthor::User, None, text)
    }

    fn with_id(id: &str, text: &str) -> EventBody {
        chunk(MessageAuthor::User, Some(id), text)
    }

    fn agent() -> EventBody {
        chunk(MessageAuthor::Agent, None, "x")
    }

    fn state() -> EventBody {
        EventBody::Usage { used: 1, size: None, cost: None }
    }

    /// MSG-02, MSG-04.
    #[test]
    fn the_whole_prompt_is_dropped_once_in_any_chunks() {
        assert_eq!(passed("hällo", [user("hällo"), agent()]), ["agent"]);
        assert_eq!(
            passed("hällo", [user(""), user("h"), state(), user("äl"), user("lo")]),
            ["state"]
        );
        assert_eq!(passed("go", [with_id("1", "g"), with_id("1", "o"), agent()]), ["agent"]);
        assert_eq!(passed("go", [agent(), user("go"), agent()]), ["agent", "agent"]);
        assert_eq!(passed("go", [user("go"), agent(), user("go")]), ["agent", "go"]);
        assert_eq!(passed("go", [with_id("1", "go"), with_id("2", "go")]), ["2:go"]);
        assert_eq!(passed("go", [with_id("1", "go"), agent(), user("go")]), ["agent", "go"]);
    }

    /// MSG-02, MSG-04.
    #[test]
    fn messages_other_than_the_prompt_stay_whole_and_in_order() {
        assert_eq!(passed("hello", [user("he"), user("avy")]), ["he", "avy"]);
        assert_eq!(passed("hello", [user("he")]), ["he"], "stops short");
        assert_eq!(passed("hello", [user("he"), agent(), user("llo")]), ["he", "agent", "llo"]);
        assert_eq!(passed("go", [user("go"), user(" on")]), ["go", " on"]);
        assert_eq!(
            passed("go", [user("go"), user("go")]),
            ["go", "go"],
            "one message, another text"
        );
        assert_eq!(passed("go", [user("other"), user("go")]), ["other", "go"]);
        assert_eq!(passed("go", [with_id("1", "g"), with_id("2", "o")]), ["1:g", "2:o"]);
        let late = [with_id("1", "go"), agent(), with_id("1", " on"), with_id("1", "!")];
        assert_eq!(passed("go", late), ["agent", "1:go", "1: on", "1:!"]);
        let link = ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a"));
        let link =
            EventBody::Message { author: MessageAuthor::User, message_id: None, content: link };
        assert_eq!(passed("go", [user("go"), link]), ["go", "link"]);
        let noted = TextContent {
            meta: Raw::from_text("{}").ok().and_then(Meta::new),
            ..TextContent::new("go")
        };
        let noted = ContentBlock::Text(noted);
        let noted =
            EventBody::Message { author: MessageAuthor::User, message_id: None, content: noted };
        assert_eq!(passed("go", [noted]), ["go"], "it contains more than the prompt");
    }

    #[test]
    fn a_prompt_without_text_has_no_repetition() {
        assert!(
            PromptEcho::of(&[ContentBlock::ResourceLink(ResourceLink::new("file:///a", "a"))])
                .is_none()
        );
        assert!(PromptEcho::of(&["a".into(), "b".into()]).is_some_and(|echo| echo.sent == "ab"));
    }
}
