//! Running programs: process trees, their output and their exit.

pub(crate) mod bounded;
pub(crate) mod child;
pub(crate) mod command;
pub(crate) mod exit;
pub(crate) mod output;
pub(crate) mod stderr;
pub(crate) mod tail;
pub(crate) mod tree;
