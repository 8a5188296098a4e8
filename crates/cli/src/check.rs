//! `attache check`: the judge. Today it tells the rules and which tests show them.

pub(crate) mod arguments;
mod rules;

use crate::exit::{Exit, Failure};
use arguments::{Check, Task};

/// Runs the command.
pub(crate) fn check(arguments: &Check) -> Result<Exit, Failure> {
    match &arguments.task {
        Task::Rules(arguments) => rules::rules(arguments),
    }
}
