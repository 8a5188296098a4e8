//! The model's answer: one act.

use super::request::{Asked, CALL, Request};
use super::tool::{self, Arguments};
use super::tool_names::ToolNames;
use crate::model::acts::{DONE, NO_TOOL};
use serde_json::Value;

/// The number of chunks of a text.
const PIECES: usize = 4;

/// The response to a request.
#[derive(Debug, PartialEq)]
pub(super) enum Answering {
    Answer(Answer),
    /// An HTTP error with this status.
    Fail(u16),
}

/// An answer of the model.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Answer {
    /// The number of the answer. It makes the ids of the answer unique, because agents use them as
    /// message ids.
    pub(super) number: usize,
    pub(super) thought: String,
    pub(super) text: String,
    /// How many times the text is repeated.
    pub(super) times: usize,
    pub(super) calls: Vec<Call>,
    pub(super) end: End,
    pub(super) usage: Usage,
    pub(super) after: After,
}

/// A tool call.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Arguments,
}

/// Why the model stops.
#[derive(Debug, PartialEq, Clone, Copy, Default)]
pub(super) enum End {
    /// The model has finished, or waits for the results of its calls.
    #[default]
    Stop,
    Length,
    Refusal,
}

/// What follows the text.
#[derive(Debug, PartialEq, Clone, Copy, Default)]
pub(super) enum After {
    #[default]
    Nothing,
    /// Nothing, but the answer never ends.
    Hang,
    /// The connection breaks in the middle of the answer.
    Cut,
}

/// The number of tokens used. `input` includes cached tokens, `output` includes reasoning.
#[derive(Debug, PartialEq, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cached: u64,
    pub(super) reasoning: u64,
}

impl Answering {
    /// Returns the response to this request. A request that does not belong to a turn gets a
    /// harmless text. `calls` is the number of calls so far.
    pub(super) fn to(
        request: &Request,
        is_aside: bool,
        calls: &mut usize,
        names: &ToolNames,
    ) -> Self {
        let asked = if is_aside { None } else { request.asked() };
        let act = asked.as_ref().and_then(|asked| Some((asked, asked.acts.get(asked.next)?)));
        match act {
            Some((asked, act)) => match act.get("fail").and_then(Value::as_u64) {
                Some(status) => Self::Fail(u16::try_from(status).unwrap_or(500)),
                None => Self::Answer(Answer::doing(act, asked, request, calls, names)),
            },
            None => {
                let text = DONE.to_owned();
                Self::Answer(Answer {
                    usage: Usage::of(request, &text),
                    text,
                    times: 1,
                    ..Answer::default()
                })
            }
        }
    }
}

impl Answering {
    /// Returns the same response, with this number if it is an answer.
    pub(super) fn numbered(self, number: usize) -> Self {
        match self {
            Self::Answer(answer) => Self::Answer(Answer { number, ..answer }),
            fail @ Self::Fail(_) => fail,
        }
    }
}

impl Answer {
    fn doing(
        act: &Value,
        asked: &Asked,
        request: &Request,
        made: &mut usize,
        names: &ToolNames,
    ) -> Self {
        let text = |key: &str| act.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut said = text("say");
        let mut calls = Vec::new();
        for wanted in act.get("call").and_then(Value::as_array).into_iter().flatten() {
            match tool::found(&request.tools, wanted, names) {
                Some((tool, arguments)) => {
                    *made += 1;
                    let id = format!("{CALL}{}_{made}", asked.next);
                    calls.push(Call { id, name: tool.name.clone(), arguments });
                }
                None => said.push_str(&no_tool_for(wanted.get("tool").and_then(Value::as_str))),
            }
        }
        for other in ["update", "client"] {
            if act.get(other).is_some() {
                said.push_str(&no_tool_for(Some(other)));
            }
        }
        if let Some(wanted) = act.get("recall").and_then(Value::as_str) {
            let is_there = request.recalls(wanted, asked.at);
            said.push_str(if is_there {
                "attache check: recalled yes"
            } else {
                "attache check: recalled no"
            });
        }
        let times =
            act.get("repeat").and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
        let is = |key: &str| act.get(key) == Some(&Value::Bool(true));
        Self {
            thought: text("think"),
            number: 0,
            times: times.unwrap_or(1),
            calls,
            end: match act.get("end").and_then(Value::as_str) {
                Some("length") => End::Length,
                Some("refusal") => End::Refusal,
                _ => End::Stop,
            },
            usage: act.get("usage").map_or_else(|| Usage::of(request, &said), Usage::read),
            after: match (is("hang"), is("cut")) {
                (true, _) => After::Hang,
                (false, true) => After::Cut,
                (false, false) => After::Nothing,
            },
            text: said,
        }
    }

    /// Returns the text in chunks. Adjacent chunks differ unless the text repeats itself, because
    /// some agents ignore a repeated chunk.
    pub(super) fn pieces(&self) -> Vec<&str> {
        pieces(&self.text)
    }

    /// Returns the whole text.
    pub(super) fn whole_text(&self) -> String {
        self.text.repeat(self.times)
    }
}

/// Returns the model's text if the agent does not offer a tool.
fn no_tool_for(tool: Option<&str>) -> String {
    format!("{NO_TOOL}{}\n", tool.unwrap_or("this"))
}

/// Splits a text into chunks of about equal length, none of them empty.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let size = text.chars().count().div_ceil(PIECES).max(1);
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(size).collect();
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(&start, end)| text.get(start..end)).collect()
}

impl Usage {
    /// Estimates the number of tokens.
    fn of(request: &Request, said: &str) -> Self {
        let tokens = |bytes: usize| u64::try_from(bytes / 4).unwrap_or(u64::MAX).saturating_add(1);
        Self { input: tokens(request.size), output: tokens(said.len()), ..Self::default() }
    }

    fn read(usage: &Value) -> Self {
        let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
        let (cached, reasoning) = (count("cached"), count("reasoning"));
        let (input, output) = (count("input").max(cached), count("output").max(reasoning));
        Self { input, output, cached, reasoning }
    }
}
