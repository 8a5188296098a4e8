//! An agent's request to its model, for any API: the conversation so far and the tools.

use super::tool::Tool;
use crate::model::acts::Acts;

/// The prefix of this model's call ids. The number of the act follows.
pub(super) const CALL: &str = "attache_";

/// A request for an answer.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// The conversation so far.
    pub(super) items: Vec<Item>,
    /// The offered tools.
    pub(super) tools: Vec<Tool>,
    /// Whether the answer is streamed as events.
    pub(super) is_streamed: bool,
    /// Whether events are sent as one JSON array instead of server-sent events. Only Gemini does
    /// so.
    pub(super) is_array: bool,
    /// The requested model.
    pub(super) model: String,
    /// The length of the request in bytes.
    pub(super) size: usize,
}

/// One part of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// The instructions, or the result of a tool.
    Other(String),
    /// A user text.
    Operator(String),
    /// A text of the model, with the ids of its calls.
    Model { text: String, calls: Vec<String> },
}

impl Item {
    fn text(&self) -> &str {
        match self {
            Self::Other(text) | Self::Operator(text) | Self::Model { text, .. } => text,
        }
    }
}

/// The acts of a request.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) acts: Acts,
    /// The number of the next act.
    pub(super) next: usize,
    /// The index of the item with the acts.
    pub(super) at: usize,
}

impl Request {
    /// Returns the acts of the last user text that contains acts.
    pub(super) fn asked(&self) -> Option<Asked> {
        let found = self.items.iter().enumerate().rev().find_map(|(at, item)| match item {
            Item::Operator(text) => Acts::read(text).map(|acts| (acts, at)),
            _ => None,
        });
        let (acts, at) = found?;
        Some(Asked { acts, next: self.done_after(at), at })
    }

    /// Counts the completed acts after the item at this index: the number in the id of the judge's
    /// last call, plus the answers after it. Some APIs and agents drop or change ids. In that case,
    /// each group of model texts counts as one answer.
    fn done_after(&self, at: usize) -> usize {
        let (mut done, mut goes_on) = (0, false);
        for item in self.items.iter().skip(at + 1) {
            let Item::Model { calls, .. } = item else {
                goes_on = false;
                continue;
            };
            match calls.iter().filter_map(|id| act_of(id)).max() {
                Some(act) => done = act + 1,
                None if !goes_on => done += 1,
                None => {}
            }
            goes_on = true;
        }
        done
    }

    /// Whether this text is before the item at this index.
    pub(super) fn recalls(&self, text: &str, at: usize) -> bool {
        self.items.iter().take(at).any(|item| item.text().contains(text))
    }
}

/// Returns the number of the act that made a call.
fn act_of(id: &str) -> Option<usize> {
    let (_, number) = id.split_once(CALL)?;
    number.split('_').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::model::acts::say;

    fn model(calls: &[&str]) -> Item {
        Item::Model { text: String::new(), calls: calls.iter().map(|&id| id.to_owned()).collect() }
    }

    fn next(after: &[Item]) -> usize {
        let found = Item::Operator(say("one").then(say("two")).prompt_text());
        let earlier = [Item::Operator(say("old").prompt_text()), model(&[]), found];
        let items = earlier.into_iter().chain(after.iter().cloned()).collect();
        let asked = Request { items, ..Request::default() }.asked().unwrap();
        assert_eq!((asked.at, asked.acts), (2, say("one").then(say("two"))));
        asked.next
    }

    #[test]
    fn the_next_act_follows_from_the_answers_since_the_prompt() {
        let tool = Item::Other("result".to_owned());
        assert_eq!(next(&[]), 0);
        assert_eq!(next(&[model(&["x"]), tool.clone()]), 1);
        assert_eq!(next(&[model(&[]), model(&["x"]), tool.clone()]), 1);
        // Two calls of one answer, each followed by its result.
        let (first, second) = (model(&["attache_0_1"]), model(&["call-attache_0_2"]));
        assert_eq!(next(&[first, tool.clone(), second, tool.clone()]), 1);
        assert_eq!(next(&[model(&["attache_4_9"]), tool.clone(), model(&[]), tool]), 6);
    }

    #[test]
    fn a_request_without_acts_has_none() {
        let items = vec![Item::Operator("hi".to_owned()), Item::Other(say("x").prompt_text())];
        assert_eq!(Request { items, ..Request::default() }.asked(), None);
    }
}
