//! Tests of the command: the real program, real processes, real files.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod agents;
mod budget;
mod chat;
mod check_client;
mod client_permissions;
mod config;
mod demo;
mod driven;
mod effects;
mod exit;
mod faces;
mod fuzzed;
mod gate;
mod judged;
mod judgements;
mod kept;
mod kit_judged;
mod login;
mod mcp;
mod messages;
mod models;
mod new;
mod permissions;
mod probed;
mod project;
mod prompts;
mod rules;
mod saved;
mod script;
mod services;
mod sessions;
mod stopping;
mod tap;
mod terminal;
mod trace;
