//! The questions of agents that belong to no session, as clients see them.

use super::lock::locked;
use attache_client::{Hub, HubAgent};
use attache_view::QuestionView;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The open questions by the name of the agent and their id.
type Shown = BTreeMap<(String, u64), Arc<QuestionView>>;

/// The questions of agents that belong to no session, as clients see them.
#[derive(Debug, Default)]
pub(crate) struct AgentQuestions(Mutex<Shown>);

impl AgentQuestions {
    /// Returns the open questions of all agents. Blocks on disk I/O if a new question names paths.
    pub(crate) fn read(&self, hub: &Hub) -> Vec<(String, Arc<QuestionView>)> {
        let mut open = Shown::new();
        for agent in hub.agents() {
            for question in agent.questions() {
                let key = (agent.name().to_owned(), question.id.0);
                let known = locked(&self.0).get(&key).cloned();
                let shown = known.unwrap_or_else(|| {
                    Arc::new(QuestionView::new(&question, agent.name(), Path::new("")))
                });
                open.insert(key, shown);
            }
        }
        locked(&self.0).clone_from(&open);
        open.into_iter().map(|((agent, _), shown)| (agent, shown)).collect()
    }

    /// Returns a question as clients saw it.
    pub(crate) fn shown(&self, agent: &HubAgent, id: u64) -> Option<Arc<QuestionView>> {
        locked(&self.0).get(&(agent.name().to_owned(), id)).cloned()
    }
}
