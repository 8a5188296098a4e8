//! `attache new`: creates projects.

mod agent;
pub(crate) mod arguments;

use crate::exit::{Exit, Failure};
use arguments::{New, Task};

/// Runs `attache new`.
pub(crate) fn new(arguments: &New) -> Result<Exit, Failure> {
    match &arguments.task {
        Task::Agent(arguments) => agent::agent(arguments),
    }
}
