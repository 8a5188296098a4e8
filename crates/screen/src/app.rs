//! The screen as a program: its state, its events, its drawing.

pub(crate) mod actions;
pub(crate) mod answering;
pub(crate) mod command_list;
pub(crate) mod commands;
pub(crate) mod drawing;
pub(crate) mod ending;
pub(crate) mod event_loop;
pub(crate) mod history;
pub(crate) mod notices;
pub(crate) mod opening;
pub(crate) mod options;
pub(crate) mod panels;
pub(crate) mod reading;
pub(crate) mod sending;
pub(crate) mod shell;
pub(crate) mod shell_run;
pub(crate) mod slot;
pub(crate) mod state;
pub(crate) mod status_line;
pub(crate) mod terminal_job;

#[cfg(test)]
mod tests;
