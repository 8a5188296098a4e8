//! `attache new`: creates projects.

pub(crate) mod arguments;
mod libraries;
mod project;

use crate::exit::{Exit, Failure};
use arguments::{New, Task};

/// Runs `attache new`.
pub(crate) fn new(arguments: &New) -> Result<Exit, Failure> {
    match &arguments.task {
        Task::Agent(arguments) => project::create(&project::AGENT, arguments),
        Task::Client(arguments) => project::create(&project::CLIENT, arguments),
    }
}
