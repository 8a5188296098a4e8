//! The peer under test: its command line, its environment and its home folder.

pub(super) mod known_agent;
pub(super) mod known_client;
pub(super) mod own_home;
pub(super) mod relay;
pub(super) mod surroundings;
pub(super) mod tasks;
