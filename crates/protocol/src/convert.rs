//! Conversion between requests and results of both versions, for programs that speak both.
//!
//! A conversion that can lose something says what. Updates and what they hold (messages, tool
//! calls, plans, config options) are converted by the crate `attache_session`, because their
//! meaning depends on the session.

mod auth;
mod config_option;
mod elicitation;
mod initialize;
mod mcp;
mod permission;
mod session;
