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
mod check_agent;
mod check_client;
mod check_fuzz;
mod check_kit_agent;
mod check_reports;
mod check_rules;
mod check_trace;
mod checkpoints;
mod client_permissions;
mod client_services;
mod config;
mod demo;
mod effects;
mod exit;
mod login;
mod mcp;
mod messages;
mod model_server;
mod models;
mod new;
mod output;
mod permissions;
mod project;
mod prompts;
#[path = "../shared/pseudo_terminal.rs"]
mod pseudo_terminal;
mod resume;
mod saved;
mod screen;
mod screen_agent;
mod screen_earlier;
mod screen_files;
mod screen_login;
mod screen_pictures;
#[path = "../shared/screen.rs"]
mod screen_program;
mod screen_questions;
mod screen_rewind;
mod screen_sessions;
mod script;
mod serve;
mod sessions;
mod stop;
mod stopping;
mod stored_files;
mod terminal;
mod tmux;
mod trace;
mod trace_command;
mod unasked_actions;
