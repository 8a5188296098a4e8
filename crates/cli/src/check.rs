//! `attache check`: the judge. It explains the rules, and reports which rules a recording, an agent
//! or a client breaks.

mod agent;
pub(crate) mod arguments;
mod client;
mod compare;
mod fuzz;
mod judging;
mod manual_client;
mod peer;
pub(crate) mod report;
mod rules;
mod trace;

use crate::exit::{Exit, Failure};
use arguments::{Check, Task};

/// Runs `attache check`.
pub(crate) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    match &arguments.task {
        Task::Rules(arguments) => rules::rules(arguments),
        Task::Trace(arguments) => trace::trace(arguments),
        Task::Agent(arguments) => agent::agent(arguments).await,
        Task::Client(arguments) => client::client(arguments).await,
        Task::Relay(arguments) => peer::relay::relay(arguments).await,
        Task::Fuzz(arguments) => fuzz::fuzz(arguments).await,
        Task::Compare(arguments) => compare::compare(arguments),
    }
}
