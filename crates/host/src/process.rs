//! Running programs: process trees, their output and their exit.
//!
//! `system` is the part that differs between systems: trees, pipes, the statuses of programs.

pub(crate) mod bounded;
pub(crate) mod child;
pub(crate) mod child_pipes;
pub(crate) mod command;
pub(crate) mod exit;
pub(crate) mod exit_watch;
pub(crate) mod stderr;
pub(crate) mod tail;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(unix)]
pub(crate) use unix as system;
#[cfg(windows)]
pub(crate) use windows as system;

pub use system::pipes::{InputPipe, OutputPipe};
