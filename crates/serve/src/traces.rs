//! The messages between the hub and its agents, for those who watch them.
//!
//! While nobody watches, only the number of messages and the first ones of a connection are kept,
//! which say what client and agent negotiated. While somebody watches an agent, its latest messages
//! are kept in a ring of bounded size, which all watchers read at their own speed. A watcher that
//! is too slow misses messages; their numbers tell how many.

mod agent_trace;
mod frame;
mod judged_line;
mod judged_lines;
mod trace_watch;

pub(crate) use agent_trace::TracedAgent;
pub(crate) use judged_line::JudgedLine;
pub(crate) use judged_lines::JudgedLines;
pub(crate) use trace_watch::{TracePosition, TraceWatch};

use agent_trace::{AgentTrace, TracedConnection};
use attache_connection::Tap;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The messages between the hub and its agents. The program around the hub connects each agent with
/// a [tap](AgentTraces::tap).
pub struct AgentTraces {
    /// Tells positions in the messages of this run of the hub from those of another one.
    run: i64,
    agents: Mutex<BTreeMap<String, Arc<AgentTrace>>>,
}

impl AgentTraces {
    /// Returns a tap for the next connection to the agent with this name in the hub. Call this
    /// again for each connection, because the tap stands for it: the connection is open until the
    /// last clone is dropped.
    pub fn tap(&self, agent: &str) -> Tap {
        let trace = self.agents().entry(agent.to_owned()).or_default().clone();
        let connection = TracedConnection::new(trace);
        Arc::new(move |direction, frame| connection.add(direction, frame))
    }

    /// The agents to which there was a connection, by name.
    pub(crate) fn list(&self) -> Vec<TracedAgent> {
        self.agents().iter().map(|(name, trace)| trace.facts(name)).collect()
    }

    /// Begins to watch an agent, after this position if it is of this run; `None` if there was no
    /// connection to an agent with this name.
    pub(crate) fn watch(&self, agent: &str, after: Option<TracePosition>) -> Option<TraceWatch> {
        let trace = self.agents().get(agent)?.clone();
        Some(TraceWatch::new(trace, self.run, after))
    }

    fn agents(&self) -> MutexGuard<'_, BTreeMap<String, Arc<AgentTrace>>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for AgentTraces {
    fn default() -> Self {
        Self { run: frame::now(), agents: Mutex::default() }
    }
}

impl fmt::Debug for AgentTraces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentTraces").field("agents", &self.list()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
