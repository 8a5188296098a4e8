//! The peer under test: its command line, its environment and its home folder.

pub(super) mod environment;
pub(super) mod home;
pub(super) mod known_agent;
pub(super) mod known_client;
pub(super) mod relay;
pub(super) mod tasks;
