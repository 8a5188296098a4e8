//! Judging agents. The judge plays the client.

mod basic_rules;
mod judge;
pub(crate) mod judge_client;
pub(crate) mod probe;
pub(crate) mod run;
pub(crate) mod services;
