//! Faults: each breaks one rule in what the correct agent says, or in how it understands what it
//! hears. To add one is to add a row to the file of its topic.

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

use crate::correct::{Correct, error};
use serde_json::{Value, json};

/// What the agent heard.
#[derive(Clone, Copy)]
pub(crate) struct Heard<'l> {
    pub(crate) text: &'l str,
    /// The message, or null.
    pub(crate) message: &'l Value,
    /// Its method; [`END`] for the end of its input and [`HUGE`] for a line that is too long.
    pub(crate) method: &'l str,
    /// The method of the agent's own call that it answers, or nothing.
    pub(crate) answers: &'l str,
    /// What the agent knew before.
    pub(crate) before: &'l Before,
    /// Whether `initialize` had succeeded before.
    pub(crate) is_initialized: bool,
    /// Whether nobody was logged in before.
    pub(crate) is_logged_out: bool,
    /// The sessions that were open before, in the order in which they were opened.
    pub(crate) open: &'l [String],
    /// The session that was deleted last.
    pub(crate) deleted: Option<&'l str>,
}

pub(crate) const END: &str = "the end of input";
pub(crate) const HUGE: &str = "a huge line";

/// What the agent knew before it heard a line.
#[derive(Default)]
pub(crate) struct Before {
    /// The capabilities of the client, or null.
    pub(crate) client: Value,
    /// The ids and methods of its own calls that wait, in the order in which they were made.
    pub(crate) calls: Vec<(i64, &'static str)>,
    /// The sessions in which turns run, with the ids of their prompts.
    pub(crate) turns: Vec<(String, Value)>,
    /// The turn that ended last: its session, the id of its prompt, and its stop reason or nothing.
    pub(crate) last_turn: (String, Value, &'static str),
}

/// A change of what the agent says to a line. A string is written as it is, without quotes, and
/// null ends the connection. `{"hears": …}` is a message that the agent takes to be its client's,
/// and `{"waits": MS}` a pause.
pub(crate) type Wrong = fn(Heard<'_>, &mut Vec<Value>);

/// A change of what the agent keeps and has open, after it heard a line.
pub(crate) type Misdone = fn(Heard<'_>, &mut Correct);

/// A change of a message before the agent hears it. Null is not heard at all.
pub(crate) type Misheard = fn(Heard<'_>, &mut Value);

#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) rule: &'static str,
    /// Rules that are broken with it, as they say the same or more.
    pub(crate) companions: &'static [&'static str],
    pub(crate) wrong: Wrong,
    pub(crate) misheard: Misheard,
    pub(crate) misdone: Misdone,
}

/// No fault at all.
pub(crate) const NONE: Fault = fault("", &[], |_, _| {});

/// A fault in what the agent says.
pub(crate) const fn fault(
    rule: &'static str,
    companions: &'static [&'static str],
    wrong: Wrong,
) -> Fault {
    Fault { rule, companions, wrong, misheard: |_, _| {}, misdone: |_, _| {} }
}

/// A fault in what the agent understands.
const fn misheard(
    rule: &'static str,
    companions: &'static [&'static str],
    misheard: Misheard,
) -> Fault {
    Fault { rule, companions, wrong: |_, _| {}, misheard, misdone: |_, _| {} }
}

/// A fault in what the agent does, which it does not say.
const fn misdone(
    rule: &'static str,
    companions: &'static [&'static str],
    misdone: Misdone,
) -> Fault {
    Fault { rule, companions, wrong: |_, _| {}, misheard: |_, _| {}, misdone }
}

/// What the correct agent may lack, and the rule that only who lacks it can show to keep.
pub(crate) const LACKS: &[Fault] = &[config_option::LACKS_OPTIONS, initialize::LACKS_FORK];

/// What other agents do that are as correct.
pub(crate) const WAYS: &[Fault] = &[turn::GOES_ON, history::ASKS_FOR_LEAVE, envelope::TEXTS];

/// Every fault.
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
    topics.into_iter().flatten()
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

    /// Whether it is a `session/new` that lacks something or has it wrong.
    fn opens(&self, wrong: fn(&Value) -> bool) -> bool {
        self.is("session/new") && self.is_initialized && wrong(self.params())
    }
}

/// Says this and no more.
fn only(said: &mut Vec<Value>, line: Value) {
    *said = vec![line];
}

/// Refuses what was asked with this code.
fn refuse(heard: Heard<'_>, said: &mut Vec<Value>, code: i64) {
    only(said, error(&heard.message["id"], code));
}

/// Gives this result.
fn give(heard: Heard<'_>, said: &mut Vec<Value>, result: Value) {
    only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": result}));
}

/// Changes every result or update that has this member.
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

/// What the updates say whose kind begins so.
fn updates<'s>(said: &'s mut [Value], kind: &'static str) -> impl Iterator<Item = &'s mut Value> {
    let updates = said.iter_mut().filter_map(|line| line.pointer_mut("/params/update"));
    updates.filter(move |update| {
        update["sessionUpdate"].as_str().is_some_and(|it| it.starts_with(kind))
    })
}

/// The calls and notifications of this method.
fn calls<'s>(said: &'s mut [Value], method: &'static str) -> impl Iterator<Item = &'s mut Value> {
    said.iter_mut().filter(move |line| line["method"] == method)
}

fn update(session: &Value, update: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

fn usage(session: &Value) -> Value {
    update(session, json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}))
}
