//! The model `offline`: it needs no key and no network, and always gives the same answers.
//! `OFFLINE.md` describes the requests that it understands.

mod answer;
mod current_turn;
mod features;
mod found;
mod grammar;
mod output;
mod verbs;

use crate::event::{ModelEvent, ModelStop, TokenUsage};
use crate::message::{AssistantMessage, AssistantPart, ModelId, Part, ToolReply};
use crate::model::{Brief, EventStream, Model, ModelInput, NextEvent, estimated_tokens};
use current_turn::{CurrentTurn, Outcome};
use found::Found;
use grammar::Request;
use output::Output;
use std::collections::VecDeque;
use std::time::Duration;

pub use answer::HELP as OFFLINE_HELP;

/// The model's context window, in tokens.
const WINDOW: u64 = 32_768;

/// The pause before each number of `count to N`.
const PAUSE: Duration = Duration::from_millis(100);

/// The maximum length of a prompt that is parsed as a request, in bytes.
const LONGEST_REQUEST: usize = 16 * 1024;

/// The offline model. It reads the last prompt and the data in tool results, and answers with text
/// and ordinary tool calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

struct OfflineStream {
    events: VecDeque<ModelEvent>,
    /// The pause before each piece of text.
    pause: Duration,
}

impl Model for Offline {
    fn title(&self) -> &str {
        "Offline"
    }

    fn window(&self) -> Option<u64> {
        Some(WINDOW)
    }

    fn size(&self) -> u64 {
        WINDOW
    }

    fn brief_tokens(&self, _: &Brief) -> u64 {
        0
    }

    fn writes(&self) -> bool {
        false
    }

    fn takes(&self, part: &Part) -> bool {
        matches!(part, Part::Text(_))
    }

    fn cost(&self, _: &TokenUsage) -> Option<f64> {
        Some(0.0)
    }

    fn reads_data(&self) -> bool {
        true
    }

    fn stream(&self, input: ModelInput) -> Box<dyn EventStream> {
        let turn = CurrentTurn::of(&input.messages);
        let counts = turn.as_ref().is_some_and(|turn| matches!(turn.request, Request::Count(_)));
        let outputs = turn.map(|turn| outputs(&turn)).unwrap_or_default();
        let usage = usage(input.tokens, &outputs);
        let mut events: VecDeque<_> = outputs.iter().filter_map(Output::event).collect();
        let message = message(outputs, input.messages.len());
        let stop = if message.calls() { ModelStop::Tools } else { ModelStop::End };
        events.push_back(ModelEvent::Done { message, stop, usage });
        Box::new(OfflineStream { events, pause: if counts { PAUSE } else { Duration::ZERO } })
    }
}

impl EventStream for OfflineStream {
    fn next(&mut self) -> NextEvent<'_> {
        Box::pin(async {
            if matches!(self.events.front(), Some(ModelEvent::Text(_))) && !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            self.events.pop_front().map(Ok)
        })
    }
}

/// Returns the next step of the answer: text, thoughts and tool calls.
fn outputs(turn: &CurrentTurn<'_>) -> Vec<Output> {
    let length = turn.prompt.text.len();
    if turn.is_reply {
        return Output::text(features::answered(&turn.prompt.text));
    }
    if length > LONGEST_REQUEST {
        return Output::text(answer::too_long(length, LONGEST_REQUEST));
    }
    match &turn.request {
        Request::Summarize => verbs::summarize(turn),
        Request::Show { file, lines } => verbs::show(turn, file, *lines),
        Request::WhereUsed(name) => verbs::where_used(turn, name),
        Request::Find(text) => verbs::find(turn, text),
        Request::Rename { from, to, path } => verbs::rename(turn, [from, to, path]),
        Request::Run(command) => verbs::run(turn, command),
        Request::Plan(steps) if turn.is_planned => features::plan_answer(steps),
        Request::Plan(steps) => features::show_plan(steps),
        Request::LeavePlan => features::leave_plan(turn),
        Request::Think(about) => features::think(about),
        Request::Count(to) => features::count(*to),
        Request::Fail => features::fail(turn),
        Request::Ask { question, options } => features::ask(turn, question, options),
        Request::Delegate(prompt) => features::delegate(turn, prompt),
        Request::Fetch(url) => features::fetch(turn, url),
        Request::Help => Output::text(answer::HELP),
        Request::Incomplete(form) => Output::text(answer::incomplete(form)),
        Request::Unknown => Output::text(answer::unknown()),
    }
}

/// Returns the message for one answer: its text, then its tool calls. `number` makes the ids unique
/// within the conversation.
fn message(outputs: Vec<Output>, number: usize) -> AssistantMessage {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for output in outputs {
        match output {
            Output::Text(piece) => text.push_str(&piece),
            Output::Thought(_) => {}
            Output::Call(name, arguments) => calls.push(AssistantPart::Call {
                id: format!("offline_{number}_{}", calls.len()),
                name: name.to_owned(),
                arguments: arguments.to_string(),
                sealed: None,
            }),
        }
    }
    let text = (!text.is_empty()).then_some(AssistantPart::Text { text, sealed: None });
    let parts = text.into_iter().chain(calls).collect();
    AssistantMessage { model: ModelId::new("attache", "offline"), parts }
}

/// Returns the token usage of one answer. Thoughts count as output.
fn usage(input: u64, outputs: &[Output]) -> TokenUsage {
    let (mut output, mut thought) = (0, 0);
    for each in outputs {
        match each {
            Output::Text(text) => output += estimated_tokens(text),
            Output::Thought(text) => {
                output += estimated_tokens(text);
                thought += estimated_tokens(text);
            }
            Output::Call(_, arguments) => output += estimated_tokens(&arguments.to_string()),
        }
    }
    TokenUsage { input, output, thought: Some(thought), ..TokenUsage::default() }
}

/// Returns the answer to `summarize this project` from these results: a list of the files, and the
/// first lines of some of them. `None` if `listed` has no list of files.
pub fn project_summary(listed: &ToolReply, reads: &[ToolReply]) -> Option<String> {
    let Found::Files(files) = Found::of(listed.data.as_ref()) else { return None };
    let reads: Vec<Outcome<'_>> = reads.iter().map(Outcome::alone).collect();
    Some(answer::summary(&files, &reads))
}
