//! The kit as a client meets it: every rule by what is on the wire.

mod cancel;
mod client;
mod flow;
mod initialize;
mod options;
mod permission;
mod prompt;
mod session;
mod tester;
mod tool_call;

use client::Client;
use tester::Tester;
