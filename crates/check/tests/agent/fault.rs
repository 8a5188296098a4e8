//! Faults: each changes the messages that the correct agent sends, reads or stores, so that it
//! breaks one rule. To add a fault, add a row to the file of its topic.

mod archive;
pub(crate) mod authenticate;
mod cancel;
mod compaction;
mod config_option;
mod decoding;
mod directory;
mod during_turn;
mod envelope;
mod extension;
mod file;
mod framing;
mod history;
mod initialize;
mod mcp;
mod message;
mod permission;
mod plan;
pub(crate) mod prompt;
mod provider;
mod session;
mod session_list;
mod terminal;
mod tool_call;
mod turn;
mod usage;
mod version_2;

use crate::correct::{Correct, error};
use serde_json::{Value, json};

/// The line that the agent read.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'l> {
    pub(crate) text: &'l str,
    /// The message, or null.
    pub(crate) message: &'l Value,
    /// The method of the message, [`END`] for the end of the input, or [`HUGE`] for a line that is
    /// too long.
    pub(crate) method: &'l str,
    /// The method of the agent's call that the message answers, if any.
    pub(crate) answers: &'l str,
    /// The state of the agent before the line.
    pub(crate) before: &'l Before,
    /// Whether `initialize` had succeeded before the line.
    pub(crate) is_initialized: bool,
    /// Whether the agent was logged out before the line.
    pub(crate) is_logged_out: bool,
    /// The sessions that were open before the line, in the order in which they were opened.
    pub(crate) open: &'l [String],
    /// The session that was deleted last.
    pub(crate) deleted: Option<&'l str>,
}

pub(crate) const END: &str = "the end of input";
pub(crate) const HUGE: &str = "a huge line";

/// The state of the agent before it read a line.
#[derive(Default)]
pub(crate) struct Before {
    /// The capabilities of the client, or null.
    pub(crate) client: Value,
    /// The ids and methods of its open calls, in order.
    pub(crate) calls: Vec<(i64, &'static str)>,
    /// The sessions with running turns, with the ids of their prompts.
    pub(crate) turns: Vec<(String, Value)>,
    /// The turn that ended last: its session, the id of its prompt, and its stop reason, if any.
    pub(crate) last_turn: (String, Value, &'static str),
}

/// A function that changes the agent's lines in response to a line. A string is written as raw
/// text, and null ends the connection. `{"hears": …}` is a message that the agent reads as if the
/// client had sent it, and `{"waits": MS}` is a pause.
pub(crate) type Wrong = fn(Heard<'_>, &mut Vec<Value>);

/// A function that changes the agent's state after it read a line.
pub(crate) type Misdone = fn(Heard<'_>, &mut Correct);

/// A function that changes a message before the agent reads it. Null removes the message.
pub(crate) type Misheard = fn(Heard<'_>, &mut Value);

#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) rule: &'static str,
    /// Rules that the fault also breaks, because they demand the same or more.
    pub(crate) companions: &'static [&'static str],
    pub(crate) wrong: Wrong,
    pub(crate) misheard: Misheard,
    pub(crate) misdone: Misdone,
}

/// No fault.
pub(crate) const NONE: Fault = fault("", &[], |_, _| {});

/// Creates a fault in the agent's messages.
pub(crate) const fn fault(
    rule: &'static str,
    companions: &'static [&'static str],
    wrong: Wrong,
) -> Fault {
    Fault { rule, companions, wrong, misheard: |_, _| {}, misdone: |_, _| {} }
}

/// Creates a fault in how the agent reads messages.
const fn misheard(
    rule: &'static str,
    companions: &'static [&'static str],
    misheard: Misheard,
) -> Fault {
    Fault { rule, companions, wrong: |_, _| {}, misheard, misdone: |_, _| {} }
}

/// Creates a fault in the agent's state.
const fn misdone(
    rule: &'static str,
    companions: &'static [&'static str],
    misdone: Misdone,
) -> Fault {
    Fault { rule, companions, wrong: |_, _| {}, misheard: |_, _| {}, misdone }
}

impl Fault {
    /// Adds a fault in the agent's messages.
    const fn and(self, wrong: Wrong) -> Self {
        Self { wrong, ..self }
    }
}

/// Features that a correct agent may lack, each with the rule that only an agent without the
/// feature can pass.
pub(crate) const LACKS: &[Fault] = &[config_option::LACKS_OPTIONS, initialize::LACKS_FORK];

/// Different behaviour that is also correct.
pub(crate) const WAYS: &[Fault] = &[turn::CONTINUES, history::ASKS_FOR_PERMISSION, envelope::TEXTS];

/// Returns every fault.
pub(crate) fn all() -> impl Iterator<Item = &'static Fault> {
    let topics = [
        archive::FAULTS,
        authenticate::FAULTS,
        cancel::FAULTS,
        compaction::FAULTS,
        config_option::FAULTS,
        decoding::FAULTS,
        directory::FAULTS,
        during_turn::FAULTS,
        envelope::FAULTS,
        extension::FAULTS,
        file::FAULTS,
        framing::FAULTS,
        history::FAULTS,
        initialize::FAULTS,
        mcp::FAULTS,
        message::FAULTS,
        permission::FAULTS,
        plan::FAULTS,
        prompt::FAULTS,
        provider::FAULTS,
        session::FAULTS,
        session_list::FAULTS,
        terminal::FAULTS,
        tool_call::FAULTS,
        turn::FAULTS,
        usage::FAULTS,
    ];
    topics.into_iter().chain(version_2::TOPICS.iter().copied()).flatten()
}

impl Heard<'_> {
    fn params(&self) -> &Value {
        &self.message["params"]
    }

    fn is(&self, method: &str) -> bool {
        self.method == method
    }

    fn opens_before(&self) -> bool {
        self.is("session/new") && !self.is_initialized
    }

    /// Whether this is a `session/new` with missing or malformed params.
    fn opens(&self, wrong: fn(&Value) -> bool) -> bool {
        self.is("session/new") && self.is_initialized && wrong(self.params())
    }
}

/// Sends only this message.
fn only(said: &mut Vec<Value>, line: Value) {
    *said = vec![line];
}

/// Answers the call with this error code.
fn refuse(heard: Heard<'_>, said: &mut Vec<Value>, code: i64) {
    only(said, error(&heard.message["id"], code));
}

/// Answers the call with this result.
fn give(heard: Heard<'_>, said: &mut Vec<Value>, result: Value) {
    only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": result}));
}

/// Changes this member in every result and update that has it.
fn change(said: &mut [Value], key: &str, change: fn(&mut Value)) {
    for line in said {
        for pointer in ["/result", "/params/update"] {
            if let Some(member) = line.pointer_mut(pointer).and_then(|payload| payload.get_mut(key))
            {
                change(member);
            }
        }
    }
}

/// Returns the updates whose kind has this prefix.
fn updates<'s>(said: &'s mut [Value], kind: &'static str) -> impl Iterator<Item = &'s mut Value> {
    let updates = said.iter_mut().filter_map(|line| line.pointer_mut("/params/update"));
    updates.filter(move |update| {
        update["sessionUpdate"].as_str().is_some_and(|it| it.starts_with(kind))
    })
}

/// Returns the calls and notifications of this method.
fn calls<'s>(said: &'s mut [Value], method: &'static str) -> impl Iterator<Item = &'s mut Value> {
    said.iter_mut().filter(move |line| line["method"] == method)
}

fn update(session: &Value, update: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

fn usage(session: &Value) -> Value {
    update(session, json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}))
}
