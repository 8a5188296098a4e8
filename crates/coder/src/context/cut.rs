//! The boundary between the older and the recent part of a conversation.
use crate::conversation::Conversation;
use crate::conversation::message::Message;

/// The boundary. It never separates a tool call from its result, or from the model's thoughts that
/// led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// The first message to keep.
    pub(super) at: usize,
    /// Whether that message belongs to the current turn, whose prompt is then kept too.
    pub(super) within_turn: bool,
}

impl Conversation {
    /// Chooses the boundary so that about `keep` tokens remain, or up to twice as many to keep the
    /// whole current turn. If that turn is even longer, the boundary is inside it. Returns `None`
    /// if nothing is old enough.
    pub(super) fn cut(&self, keep: u64) -> Option<Cut> {
        let first = usize::from(self.summarized());
        let at = |at: usize| Cut { at, within_turn: false };
        let turns = || {
            self.begins(|message| matches!(message, Message::User(_))).filter(|(at, _)| *at > first)
        };
        let whole = turns().find(|(_, left)| *left <= keep);
        let present = turns().last();
        if let Some((turn, _)) = whole.or(present.filter(|(_, left)| *left <= keep * 2)) {
            return Some(at(turn));
        }
        let began =
            self.messages().iter().rposition(|message| matches!(message, Message::User(_)))?;
        // Before the first step there is nothing to summarize.
        let steps = || {
            let said = self.begins(|message| matches!(message, Message::Assistant(_)));
            said.filter(|(at, _)| *at > began).skip(1)
        };
        let step = steps().find(|(_, left)| *left <= keep).or_else(|| steps().last());
        let step = step.map(|(at, _)| Cut { at, within_turn: true });
        step.or_else(|| present.map(|(turn, _)| at(turn)))
    }

    /// Chooses the boundary when a person asks for a summary. The last turn is kept if it has at
    /// most `keep` tokens and is not the only one.
    pub(super) fn cut_on_request(&self, keep: u64) -> Option<Cut> {
        let first = usize::from(self.summarized());
        let last = self.begins(|message| matches!(message, Message::User(_))).last();
        let last = last.filter(|(at, left)| *at > first && *left <= keep);
        let at = last.map_or(self.messages().len(), |(at, _)| at);
        (at > first).then_some(Cut { at, within_turn: false })
    }

    /// Whether the conversation begins with a summary.
    fn summarized(&self) -> bool {
        matches!(self.messages().first(), Some(Message::Summary(_)))
    }

    /// For each message that is `wanted`, the oldest first: its index, and the number of tokens
    /// from there to the end of the conversation.
    fn begins(&self, wanted: fn(&Message) -> bool) -> impl Iterator<Item = (usize, u64)> {
        let mut left = self.tokens();
        let place = |(at, message): (usize, &Message)| {
            let here = left;
            left -= message.tokens();
            wanted(message).then_some((at, here))
        };
        self.messages().iter().enumerate().filter_map(place).collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversation, Cut, Message};
    use crate::conversation::prompt::Prompt;
    use crate::conversation::summary::{Compacted, Summary};
    use crate::models::{AssistantMessage, AssistantPart, ToolReply};

    fn person(bytes: usize) -> Message {
        Message::User(Prompt { with_paths: "x".repeat(bytes), ..Prompt::default() })
    }

    fn call() -> Message {
        let part = AssistantPart::Call {
            id: "c".into(),
            name: "read".into(),
            arguments: "{}".into(),
            sealed: None,
        };
        let model = serde_json::from_str(r#"{"provider":"p","name":"m"}"#).unwrap();
        Message::Assistant(AssistantMessage { model, parts: vec![part] })
    }

    fn result(bytes: usize) -> Message {
        Message::ToolReply(ToolReply {
            call_id: "c".into(),
            name: "read".into(),
            text: "x".repeat(bytes),
            images: Vec::new(),
            failed: false,
            data: None,
        })
    }

    fn of(messages: Vec<Message>) -> Conversation {
        let mut conversation = Conversation::default();
        messages.into_iter().for_each(|message| conversation.push(message));
        conversation
    }

    #[test]
    fn turns_stay_whole_if_possible() {
        let turns = of(vec![person(400), person(400), person(400), person(40)]);
        assert_eq!(turns.cut(111), Some(Cut { at: 2, within_turn: false }));
        assert_eq!(turns.cut(10), Some(Cut { at: 3, within_turn: false }));
        assert_eq!(of(vec![person(400)]).cut(10), None);
        assert_eq!(of(vec![]).cut(10), None);
        // The current turn is kept if it has at most twice as many tokens.
        let present = of(vec![person(400), person(40), call(), result(200)]);
        assert_eq!(present.cut(40), Some(Cut { at: 1, within_turn: false }));
    }

    #[test]
    fn long_turn_is_cut_between_steps_and_never_between_a_call_and_its_result() {
        let long = of(vec![
            person(40),
            call(),
            result(4000),
            call(),
            result(4000),
            result(40),
            call(),
            result(400),
        ]);
        assert_eq!(long.cut(150), Some(Cut { at: 6, within_turn: true }));
        assert_eq!(long.cut(1), Some(Cut { at: 6, within_turn: true }));
        let mut long = long;
        let compacted = Compacted { summary: Summary::default(), kept: 2, with_prompt: true };
        long.compact(compacted);
        let kinds: Vec<_> = long.messages().iter().map(std::mem::discriminant).collect();
        let expected = [Message::Summary(Summary::default()), person(1), call(), result(1)];
        assert_eq!(kinds, expected.iter().map(std::mem::discriminant).collect::<Vec<_>>());
        assert_eq!(long.cut(1), None, "the rest of a turn is not cut again");
    }

    #[test]
    fn request_summarizes_everything_but_a_short_last_turn() {
        let turns = of(vec![person(400), person(40)]);
        assert_eq!(turns.cut_on_request(10), Some(Cut { at: 1, within_turn: false }));
        assert_eq!(turns.cut_on_request(9), Some(Cut { at: 2, within_turn: false }));
        assert_eq!(
            of(vec![person(400)]).cut_on_request(1000),
            Some(Cut { at: 1, within_turn: false })
        );
        let mut done = of(vec![person(400)]);
        done.compact(Compacted { summary: Summary::default(), kept: 0, with_prompt: false });
        assert_eq!(done.cut_on_request(1000), None);
    }
}
