//! What the shared hub needs from this program.

use super::file_search;
use crate::agent_choices::{GivenAgents, agent_choices};
use crate::chosen_agent::ChosenAgent;
use crate::screen::session_changes;
use attache_client::{Hub, ListedSession, LoginEnvironment, PermissionBroker};
use attache_host::Launch;
use attache_serve::{AgentChoice, AgentTraces, FoundText, HubServices, Served, SessionChange};
use attache_session::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the shared hub needs from this program.
pub(super) struct CliHubServices {
    store: Option<Arc<dyn Store>>,
    /// The environment of agents; that of this process if it is not known.
    login: Option<LoginEnvironment>,
    /// The folder in which agents start.
    home: PathBuf,
    given: GivenAgents,
    rules: PermissionBroker,
    folders: Vec<PathBuf>,
    traces: Arc<AgentTraces>,
}

impl CliHubServices {
    pub(super) fn new(
        store: Option<Arc<dyn Store>>,
        login: Option<LoginEnvironment>,
        rules: PermissionBroker,
        folders: Vec<PathBuf>,
    ) -> Self {
        let home = std::env::home_dir().filter(|home| home.is_dir());
        let home = home.unwrap_or_else(|| PathBuf::from("/"));
        let (given, traces) = (GivenAgents::default(), Arc::default());
        Self { store, login, home, given, rules, folders, traces }
    }

    /// The environment of agents; `None` if it is that of this process.
    pub(super) fn login(&self) -> Option<LoginEnvironment> {
        self.login.clone()
    }

    /// The messages with the agents.
    pub(super) fn traces(&self) -> Arc<AgentTraces> {
        self.traces.clone()
    }

    /// Returns what selects an agent of the hub, by its name there.
    pub(super) fn given(&self, agent: &str) -> String {
        self.given.of(agent)
    }

    fn add(&self, hub: &Hub, given: &str) -> Result<String, String> {
        let (login, home) = (self.login.clone(), self.home.clone());
        let equip = move |launch: Launch| {
            // The built-in agent says where a hub takes keys from.
            let launch = launch.env("ATTACHE_HUB", "1").cwd(&home);
            match &login {
                Some(login) => login.equip(launch),
                None => launch,
            }
        };
        let source = ChosenAgent::source_with(Some(given), None, None, equip);
        let (agent, source) = source.map_err(|failure| failure.message)?;
        let (known, other) = (hub.agent(&agent.name).is_some(), self.given(&agent.name));
        if known && !agent.built_in && other != given {
            return Err(format!(
                "the hub already has another agent with the name {}: {other}; end that one with `attache serve restart`, or add yours under another name with `attache agents add`",
                agent.name
            ));
        }
        if hub.agent(&agent.name).is_none() {
            // Another client may have added it just now, which is as good.
            let (traces, name) = (self.traces(), agent.name.clone());
            let source = source.with_options(move |options| options.tap(traces.tap(&name)));
            let _ = hub.add(agent.name.as_str(), source);
        }
        self.given.add(&agent.name, given);
        Ok(agent.name)
    }
}

impl HubServices for CliHubServices {
    fn agents(&self) -> Vec<AgentChoice> {
        agent_choices()
    }

    fn add_agent(&self, hub: &Hub, agent: &str, is_local: bool) -> Result<String, String> {
        // A person here may have added an agent by its command line.
        if !is_local && !agent_choices().iter().any(|choice| choice.name == agent) {
            return Err(format!("there is no agent with the name {agent:?}"));
        }
        if hub.agent(agent).is_some() {
            return Ok(agent.to_owned());
        }
        self.add(hub, agent)
    }

    fn change(&self, session: ListedSession, change: SessionChange) -> Served<Result<(), String>> {
        let Some(store) = self.store.clone() else {
            return Box::pin(async { Err("sessions are not stored".to_owned()) });
        };
        Box::pin(async move {
            session_changes::change(&*store, &session, &change).await.map_err(|it| it.message)
        })
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.folders.clone()
    }

    fn rules(&self) -> PermissionBroker {
        self.rules.clone()
    }

    fn search(&self, text: String) -> Served<Result<Vec<FoundText>, String>> {
        let Some(store) = self.store.clone() else {
            return Box::pin(async { Err("sessions are not stored".to_owned()) });
        };
        let searching = tokio::task::spawn_blocking(move || {
            session_changes::search(&*store, &text).map_err(|failure| failure.message)
        });
        Box::pin(
            async move { searching.await.unwrap_or_else(|_| Err("the hub is ending".to_owned())) },
        )
    }

    fn files(&self, folder: &Path, letters: &str, limit: usize) -> Served<Vec<String>> {
        let (folder, letters) = (folder.to_owned(), letters.to_owned());
        let searching =
            tokio::task::spawn_blocking(move || file_search::search(&folder, &letters, limit));
        Box::pin(async move { searching.await.unwrap_or_default() })
    }
}
