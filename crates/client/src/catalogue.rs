//! The agents that this client knows by name, and the public registry of agents.

pub(crate) mod known_agents;
pub(crate) mod registry;
