//! Faults: each changes the messages that a correct client reads or sends, so that it breaks one
//! rule. To add a fault, add a row to the file of its topic.

mod config_option;
mod decoding;
mod elicitation;
mod envelope;
mod file;
mod handshake;
mod mcp;
mod offer;
mod permission;
mod screen;
mod session;
mod terminal;
mod turn;
mod version_2;

use crate::correct::{Correct, Kind, Said, Version};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The placeholder of a line that is too long to be read.
pub(crate) const HUGE: &str = "a huge line";

/// An event of the client, to which it responds.
pub(crate) struct Heard<'l> {
    /// The message, or null if the client was started, woken or interrupted, or if the connection
    /// ended.
    pub(crate) message: &'l Value,
    /// The raw line, or [`HUGE`] for a line that is too long.
    pub(crate) text: &'l str,
    /// Whether the agent has closed the connection or sent a line that is too long.
    pub(crate) is_over: bool,
    /// The client after the event.
    pub(crate) client: &'l Correct,
    /// The calls that the agent has sent so far. The keys are their ids as JSON text.
    pub(crate) called: &'l HashMap<String, Value>,
}

/// A fault that breaks one rule.
#[derive(Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) rule: &'static str,
    /// Rules that the fault also breaks, because they demand the same or more.
    pub(crate) companions: &'static [&'static str],
    /// The client with the fault.
    pub(crate) kind: Kind,
    /// The version of the protocol that the client speaks.
    pub(crate) version: Version,
    /// Changes a message before the client reads it.
    pub(crate) hears: fn(&Correct, &mut Value),
    /// Changes the actions of the client in response to an event.
    pub(crate) says: fn(&Heard<'_>, &mut Vec<Said>),
}

impl Fault {
    /// No fault.
    pub(crate) const NONE: Self = Self {
        rule: "",
        companions: &[],
        kind: Kind::Full,
        version: Version::One,
        hears: |_, _| {},
        says: |_, _| {},
    };

    /// Creates a fault in what a client sends, prints or does.
    pub(crate) const fn says(
        rule: &'static str,
        companions: &'static [&'static str],
        says: fn(&Heard<'_>, &mut Vec<Said>),
    ) -> Self {
        Self { rule, companions, says, ..Self::NONE }
    }

    /// Creates a fault in how a client reads messages.
    pub(crate) const fn hears(
        rule: &'static str,
        companions: &'static [&'static str],
        hears: fn(&Correct, &mut Value),
    ) -> Self {
        Self { rule, companions, hears, ..Self::NONE }
    }

    /// Returns the same fault, in a client with few features.
    pub(crate) const fn bare(mut self) -> Self {
        self.kind = Kind::Bare;
        self
    }
}

/// Different behaviour that is also correct.
pub(crate) const WAYS: &[Fault] = &[envelope::TEXTS, envelope::CANCELS_NOTHING];

/// Returns every fault, first those of version 1.
pub(crate) fn faults() -> impl Iterator<Item = Fault> {
    let of_version_1 = [
        handshake::FAULTS,
        envelope::FAULTS,
        offer::FAULTS,
        session::FAULTS,
        turn::FAULTS,
        config_option::FAULTS,
        decoding::FAULTS,
        file::FAULTS,
        terminal::FAULTS,
        permission::FAULTS,
        elicitation::FAULTS,
        screen::FAULTS,
        mcp::FAULTS,
    ]
    .into_iter()
    .flatten()
    .copied();
    of_version_1.chain(version_2::faults())
}

impl<'l> Heard<'l> {
    /// Creates the event of the client's start.
    pub(crate) fn nothing(client: &'l Correct, called: &'l HashMap<String, Value>) -> Self {
        Self { message: &Value::Null, text: "", is_over: false, client, called }
    }

    pub(crate) fn is(&self, method: &str) -> bool {
        self.message["method"] == method
    }

    pub(crate) fn params(&self) -> &Value {
        &self.message["params"]
    }

    /// Returns the call that this message answers, or null if it is not a reply.
    pub(crate) fn answered<'s>(&'s self, said: &Value) -> &'s Value {
        let is_reply = said.get("method").is_none();
        self.called.get(&said["id"].to_string()).filter(|_| is_reply).unwrap_or(&Value::Null)
    }
}

/// Sends only this message. The output does not change.
pub(crate) fn only(said: &mut Vec<Said>, message: Value) {
    said.retain(|said| !matches!(said, Said::Line(_)));
    said.push(Said::Line(message));
}

/// Answers the call with this result.
pub(crate) fn give(heard: &Heard<'_>, said: &mut Vec<Said>, result: Value) {
    only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": result}));
}

/// Answers the call with this error code.
pub(crate) fn refuse(heard: &Heard<'_>, said: &mut Vec<Said>, code: i64) {
    let error = json!({"code": code, "message": "no"});
    only(said, json!({"jsonrpc": "2.0", "id": heard.message["id"], "error": error}));
}

/// Changes each call or notification of this method that the client sends.
pub(crate) fn change(said: &mut [Said], method: &str, change: impl Fn(&mut Value)) {
    for said in said {
        if let Said::Line(message) = said
            && message["method"] == method
        {
            change(&mut message["params"]);
        }
    }
}

/// Changes each answer to a call of this method.
pub(crate) fn change_answer(
    heard: &Heard<'_>,
    said: &mut [Said],
    method: &str,
    change: impl Fn(&Value, &mut Value),
) {
    for said in said {
        if let Said::Line(message) = said
            && heard.answered(message)["method"] == method
        {
            change(&heard.answered(message)["params"], message);
        }
    }
}
