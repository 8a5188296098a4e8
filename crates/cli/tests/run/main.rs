//! The command as a whole: the real program, real processes, real files.

mod demo;
mod exit;
mod faces;
mod project;
mod script;
mod stopping;
mod terminal;
