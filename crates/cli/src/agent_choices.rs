//! The agents that a person can choose by name.

use crate::agents::own::OwnAgents;
use crate::chosen_agent::BUILT_IN_NAME;
use attache_client::KNOWN_AGENTS;
use attache_host::Launch;
use attache_view::AgentChoice;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Returns the agents: the built-in one, the person's own ones, and the known ones, of which the
/// installed ones come first.
pub(crate) fn agent_choices() -> Vec<AgentChoice> {
    let mut agents = vec![AgentChoice {
        name: BUILT_IN_NAME.to_owned(),
        title: "built-in".to_owned(),
        installed: true,
        install: String::new(),
        needs: "no key for the offline model".to_owned(),
    }];
    let own = OwnAgents::read().ok();
    agents.extend(own.iter().flat_map(OwnAgents::all).map(|(name, agent)| AgentChoice {
        name: name.to_owned(),
        title: agent.title.clone().unwrap_or_default(),
        installed: is_installed(&agent.command),
        install: format!("attache agents check {name}"),
        needs: String::new(),
    }));
    let mut known: Vec<AgentChoice> = KNOWN_AGENTS
        .iter()
        .filter(|known| !agents.iter().any(|agent| agent.name == known.name))
        .map(|known| AgentChoice {
            name: known.name.to_owned(),
            title: known.title.to_owned(),
            installed: known.find().is_some(),
            install: known.install.to_owned(),
            needs: format!("needs {}", known.login),
        })
        .collect();
    known.sort_by_key(|agent| !agent.installed);
    agents.extend(known);
    agents
}

/// Returns whether the program of a command line is installed.
fn is_installed(command: &str) -> bool {
    Launch::parse(command).is_ok_and(|launch| launch.find().is_some())
}

/// The value of `--agent` that selects each agent of a hub, by its name in the hub. A program such
/// as `npx` starts an agent only with its arguments.
#[derive(Debug, Default)]
pub(crate) struct GivenAgents(Mutex<HashMap<String, String>>);

impl GivenAgents {
    /// Remembers the value that selects an agent, unless another one does already.
    pub(crate) fn add(&self, name: &str, given: &str) {
        let mut agents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        agents.entry(name.to_owned()).or_insert_with(|| given.to_owned());
    }

    /// Returns the value that selects an agent; its name if none is known.
    pub(crate) fn of(&self, name: &str) -> String {
        let agents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        agents.get(name).map_or_else(|| name.to_owned(), String::clone)
    }
}
