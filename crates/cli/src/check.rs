//! `attache check`: the judge. It tells the rules and which tests show them, which line of a
//! recorded conversation breaks one, and which an agent keeps.

mod agent;
pub(crate) mod arguments;
mod by_hand;
mod client;
mod compare;
mod errands;
mod fuzz;
mod judging;
mod known;
mod known_agent;
mod known_client;
mod listener;
mod own_home;
mod progress;
mod relay;
mod rules;
mod surroundings;
pub(crate) mod tally;
mod trace;
mod verdicts;

use crate::exit::{Exit, Failure};
use crate::show::paint::{DIM, GREEN, RED, YELLOW};
use anstyle::Style;
use arguments::{Check, Task};
use attache_check::{Outcome, Strength};

/// Runs the command.
pub(crate) async fn check(arguments: &Check) -> Result<Exit, Failure> {
    match &arguments.task {
        Task::Rules(arguments) => rules::rules(arguments),
        Task::Trace(arguments) => trace::trace(arguments),
        Task::Agent(arguments) => agent::agent(arguments).await,
        Task::Client(arguments) => client::client(arguments).await,
        Task::Relay(arguments) => relay::relay(arguments).await,
        Task::Fuzz(arguments) => fuzz::fuzz(arguments).await,
        Task::Compare(arguments) => compare::compare(arguments),
    }
}

/// How a verdict is coloured, by its word.
fn style_of_verdict(word: &str) -> Style {
    match word {
        Outcome::PASS => GREEN,
        Outcome::FAIL => RED,
        Outcome::NOT_TESTED => YELLOW,
        _ => DIM,
    }
}

/// How a strength is coloured.
fn style_of(strength: Strength) -> Style {
    match strength {
        Strength::Must => RED,
        Strength::Should => YELLOW,
        _ => DIM,
    }
}
