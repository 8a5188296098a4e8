//! The messages with one agent.

use super::frame::{self, Frame};
use attache_connection::Direction;
use attache_protocol::method::Side;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The number of messages that are kept of the beginning of a connection: `initialize`, its reply,
/// and what an agent prints before.
const HEAD: usize = 4;

/// The largest number of messages in the ring.
const MESSAGES: usize = 10_000;

/// The largest size of the messages in the ring, in bytes.
pub(super) const BYTES: usize = 4 * 1024 * 1024;

/// An agent to which there was a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TracedAgent {
    /// The name of the agent in the hub. From outside: not sanitized.
    pub(crate) name: String,
    /// Whether a connection is open.
    pub(crate) is_connected: bool,
    /// When the latest connection began, in milliseconds since 1970.
    pub(crate) began_at: i64,
    /// The number of messages in both directions, over all connections.
    pub(crate) messages: u64,
}

/// The messages with one agent, over all its connections.
#[derive(Default)]
pub(super) struct AgentTrace {
    state: Mutex<State>,
    /// Tells those who watch that there is another message.
    added: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    messages: u64,
    connections: u64,
    open: usize,
    began_at: i64,
    watchers: usize,
    /// The first messages of the latest connection.
    head: Vec<Arc<Frame>>,
    /// The latest messages, while somebody watches.
    ring: VecDeque<Arc<Frame>>,
    /// The size of the ring in bytes.
    bytes: usize,
}

impl AgentTrace {
    pub(super) fn facts(&self, name: &str) -> TracedAgent {
        let state = self.state();
        TracedAgent {
            name: name.to_owned(),
            is_connected: state.open > 0,
            began_at: state.began_at,
            messages: state.messages,
        }
    }

    /// Keeps the latest messages from now on, until [`AgentTrace::unwatch`]. Returns the number of
    /// the latest message, and what says that there are later ones.
    pub(super) fn watch(&self) -> (u64, watch::Receiver<()>) {
        let mut state = self.state();
        state.watchers += 1;
        (state.messages, self.added.subscribe())
    }

    pub(super) fn unwatch(&self) {
        let mut state = self.state();
        state.watchers -= 1;
        if state.watchers == 0 {
            state.ring = VecDeque::new();
            state.bytes = 0;
        }
    }

    /// Returns the messages after this number that are still there, in order, up to about `bytes`
    /// bytes and at least one if there is one.
    pub(super) fn after(&self, number: u64, bytes: usize) -> Vec<Arc<Frame>> {
        let state = self.state();
        let first = state.ring.front().map_or(u64::MAX, |frame| frame.number);
        let head = state.head.iter().filter(|frame| frame.number < first);
        let mut size = 0;
        let fits = |frame: &&Arc<Frame>| {
            let had = size;
            size += frame.bytes.len();
            had < bytes
        };
        let frames = head.chain(&state.ring).filter(|frame| frame.number > number);
        frames.take_while(fits).cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, connection: u64, from: Side, bytes: &[u8]) {
        self.messages += 1;
        let is_head = connection == self.connections && self.head.len() < HEAD;
        if !is_head && self.watchers == 0 {
            return;
        }
        let frame = Arc::new(Frame::new(self.messages, connection, from, bytes));
        if is_head {
            self.head.push(frame.clone());
        }
        if self.watchers > 0 {
            self.bytes += frame.bytes.len();
            self.ring.push_back(frame);
        }
        while self.bytes > BYTES || self.ring.len() > MESSAGES {
            let Some(oldest) = self.ring.pop_front() else { break };
            self.bytes -= oldest.bytes.len();
        }
    }
}

/// A connection to the agent, until it is dropped.
pub(super) struct TracedConnection {
    trace: Arc<AgentTrace>,
    number: u64,
}

impl TracedConnection {
    pub(super) fn new(trace: Arc<AgentTrace>) -> Self {
        let mut state = trace.state();
        state.connections += 1;
        state.open += 1;
        state.began_at = frame::now() / 1000;
        state.head = Vec::new();
        let number = state.connections;
        drop(state);
        Self { trace, number }
    }

    /// Notes a message. The hub is the client.
    pub(super) fn add(&self, direction: Direction, frame: &[u8]) {
        let from = match direction {
            Direction::Sent => Side::Client,
            Direction::Received => Side::Agent,
        };
        let mut state = self.trace.state();
        state.add(self.number, from, frame);
        let is_watched = state.watchers > 0;
        drop(state);
        if is_watched {
            self.trace.added.send_replace(());
        }
    }
}

impl Drop for TracedConnection {
    fn drop(&mut self) {
        self.trace.state().open -= 1;
    }
}
