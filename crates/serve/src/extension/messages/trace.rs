//! The messages between the hub and its agents, as they were sent.

use serde::{Deserialize, Serialize};

messages! {
    /// Lists the agents whose messages can be watched.
    ListTraces {}

    /// The agents whose messages can be watched.
    Traces {
        /// The agents, by name.
        agents: Vec<TracedAgent>,
    }

    /// An agent to which the hub has connected.
    TracedAgent {
        /// The name of the agent in the hub.
        agent: String,
        /// Whether the hub is connected to it.
        is_connected: bool,
        /// When the latest connection began, in milliseconds since 1970.
        began_at: i64,
        /// The number of messages in both directions so far.
        messages: u64,
    }

    /// Follows the messages with an agent, also over later connections. Begins with the first
    /// messages of the connection.
    WatchTrace {
        /// The name of the agent in the hub.
        agent: String,
        /// What the client has already.
        #[serde(default)]
        since: Option<TracePosition>,
    }

    /// A place in the messages with an agent.
    TracePosition {
        /// The run of the hub.
        run: i64,
        /// The number of the last message.
        number: u64,
    }

    /// More messages with an agent.
    TraceChanged {
        /// The number of the watch.
        watch: u64,
        /// The run of the hub. Another run counts from 1 again.
        run: i64,
        /// The messages in the order in which they were sent. Messages whose numbers are missing
        /// were left out, because they came before the watch or faster than it reads.
        lines: Vec<TraceLine>,
    }

    /// A message between the hub and an agent.
    TraceLine {
        /// The number of the message among those with the agent, from 1.
        number: u64,
        /// The number of the connection, from 1.
        connection: u64,
        /// The sender: `client`, which is the hub, or `agent`.
        from: String,
        /// When it was sent, in microseconds since 1970.
        at: i64,
        /// Its size in bytes.
        size: usize,
        /// Whether `text` is JSON. Of a message of more than 256 KiB, `text` is the beginning.
        is_json: bool,
        /// The message; its secrets are masked.
        text: String,
        /// The rules of the protocol that it breaks.
        broken: Vec<BrokenRule>,
    }

    /// A rule of the protocol that a message breaks.
    BrokenRule {
        /// The id of the rule, such as `RPC-03`.
        rule: String,
        /// How binding it is, such as `must`.
        strength: String,
        /// The side at fault: `client` or `agent`.
        by: String,
        /// What was seen, sanitized.
        seen: String,
        /// The rule in words.
        text: String,
    }
}
