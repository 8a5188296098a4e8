//! The current turn of a conversation, as the offline model reads it.

use super::found::Found;
use super::grammar::{self, Request};
use crate::message::{AssistantPart, Message, ToolReply, UserPrompt};
use serde_json::Value;

/// The last prompt, and the results of the tool calls after it.
#[derive(Debug)]
pub(crate) struct CurrentTurn<'m> {
    pub(crate) prompt: &'m UserPrompt,
    pub(crate) request: Request,
    /// The results of tool calls so far, except for those of plans.
    pub(crate) outcomes: Vec<Outcome<'m>>,
    /// Whether the last tool call showed a plan whose steps are all completed.
    pub(crate) is_planned: bool,
    /// Whether the prompt answers a question from the previous turn.
    pub(crate) is_reply: bool,
}

/// One tool call and its result.
#[derive(Debug)]
pub(crate) struct Outcome<'m> {
    pub(crate) name: &'m str,
    pub(crate) arguments: Value,
    pub(crate) text: &'m str,
    pub(crate) failed: bool,
    pub(crate) found: Found,
}

impl<'m> CurrentTurn<'m> {
    /// Finds the last prompt of the conversation, if there is one.
    pub(crate) fn of(messages: &'m [Message]) -> Option<Self> {
        let begin = messages.iter().rposition(|message| message.prompt().is_some())?;
        let (before, present) = messages.split_at(begin);
        let prompt = present.first()?.prompt()?;
        let (mut outcomes, mut is_planned) = (Vec::new(), false);
        for message in present {
            let Message::ToolReply(reply) = message else { continue };
            let outcome = Outcome::of(reply, present);
            is_planned = outcome.is_complete_plan();
            if outcome.name != "plan" {
                outcomes.push(outcome);
            }
        }
        let request = request(prompt);
        let asked = |message: &Message| match message {
            Message::ToolReply(reply) => {
                reply.name == "ask" && Found::of(reply.data.as_ref()) == Found::Asked
            }
            Message::User(_) | Message::Assistant(_) => false,
        };
        let is_reply = request == Request::Unknown && before.last().is_some_and(asked);
        Some(Self { prompt, request, outcomes, is_planned, is_reply })
    }
}

impl<'m> Outcome<'m> {
    /// Returns the result with the arguments of its call, which is among these messages.
    fn of(reply: &'m ToolReply, messages: &[Message]) -> Self {
        let mut outcome = Self::alone(reply);
        let calls = messages.iter().rev().flat_map(|message| match message {
            Message::Assistant(said) => said.parts.as_slice(),
            Message::User(_) | Message::ToolReply(_) => &[],
        });
        let mut calls = calls.filter_map(|part| match part {
            AssistantPart::Call { id, arguments, .. } if *id == reply.call_id => Some(arguments),
            _ => None,
        });
        let arguments = calls.next().and_then(|arguments| serde_json::from_str(arguments).ok());
        outcome.arguments = arguments.unwrap_or_default();
        outcome
    }

    /// Returns the result without the arguments of its call.
    pub(crate) fn alone(reply: &'m ToolReply) -> Self {
        Self {
            name: &reply.name,
            arguments: Value::Null,
            text: &reply.text,
            failed: reply.failed,
            found: Found::of(reply.data.as_ref()),
        }
    }

    fn is_complete_plan(&self) -> bool {
        let entries = self.arguments.get("entries").and_then(Value::as_array);
        let completed =
            |entry: &Value| entry.get("status").is_some_and(|status| status == "completed");
        self.name == "plan" && entries.is_some_and(|entries| entries.iter().all(completed))
    }
}

/// Parses the text without the attached files or, if that is not a complete request, the text with
/// their names.
fn request(prompt: &UserPrompt) -> Request {
    let whole = |request: &Request| !matches!(request, Request::Incomplete(_) | Request::Unknown);
    let request = grammar::parse(&prompt.text);
    if whole(&request) || prompt.files.is_empty() {
        return request;
    }
    let with_paths = match prompt.text.trim() {
        // A prompt that consists only of a file asks to show it.
        "" => grammar::parse(&format!("show {}", prompt.with_paths)),
        _ => grammar::parse(&prompt.with_paths),
    };
    if whole(&with_paths) { with_paths } else { request }
}
