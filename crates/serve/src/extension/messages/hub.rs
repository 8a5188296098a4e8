//! What a client negotiates, and what it follows of the hub.

use crate::Scope;
use attache_view::{Line, QuestionView};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;

messages! {
    /// What was negotiated.
    Negotiated {
        /// The version of the methods: 1.
        version: u32,
        /// What the client may do.
        scope: Scope,
        /// The version of the program that serves the hub.
        hub: String,
        /// Whether the client is on the machine of the hub. Only such a client changes devices.
        #[serde(default)]
        local: bool,
    }

    /// Follows the hub: its agents, the list of sessions, and who waits for the person.
    WatchHub {
        /// Leaves out sessions without these words.
        #[serde(default)]
        words: String,
        /// Whether archived sessions are listed too.
        #[serde(default)]
        archived: bool,
        /// The largest number of sessions to list; 100 if absent.
        #[serde(default)]
        limit: Option<usize>,
    }

    /// The watch that was begun. Ends with the connection at the latest.
    Watching {
        /// Its number, which its notifications carry.
        watch: u64,
    }

    /// Ends a watch.
    Unwatch {
        /// Its number.
        watch: u64,
    }

    /// The state of the hub. Sent whole when something in it changed, at most a few times a second.
    HubChanged {
        /// The number of the watch.
        watch: u64,
        /// The agents to choose from.
        agents: Vec<AgentItem>,
        /// The sessions and who waits.
        #[cfg_attr(test, ts(type = "SessionListView"))]
        list: Arc<RawValue>,
        /// Whether sessions were left out because of the limit.
        has_more: bool,
        /// The open questions that belong to no session, such as those of a login.
        questions: Vec<AgentQuestion>,
        /// What this client may do now.
        scope: Scope,
        /// The clients that are attached, this one too.
        clients: Vec<ClientItem>,
        /// Devices that ask for a larger scope, if this client may grant it.
        scope_requests: Vec<ScopeRequest>,
    }

    /// An agent to choose.
    AgentItem {
        /// The name in the hub.
        name: String,
        /// The name for people; may be empty.
        title: String,
        /// Whether it can be started.
        installed: bool,
        /// The account or key that it needs; may be empty.
        needs: String,
    }

    /// A question of an agent that belongs to no session.
    AgentQuestion {
        /// The name of the agent in the hub.
        agent: String,
        /// The question.
        question: QuestionView,
    }

    /// An attached client.
    ClientItem {
        /// The number of the connection.
        id: u64,
        /// What it calls itself, sanitized.
        name: Line,
        /// What it may do.
        scope: Scope,
        /// Whether it is the client that gets this.
        own: bool,
    }

    /// Lists the devices.
    ListDevices {}

    /// The devices that may use the hub.
    Devices {
        /// The devices.
        devices: Vec<DeviceItem>,
    }

    /// A device.
    DeviceItem {
        /// Its id.
        id: String,
        /// Its name, sanitized.
        name: Line,
        /// What it may do.
        scope: Scope,
        /// Whether it may also allow access to protected files, once at a time.
        protected_files: bool,
        /// When it was added, in milliseconds since 1970.
        added_at: i64,
        /// When it was last used, in milliseconds since 1970.
        used_at: i64,
    }

    /// Changes a device.
    ChangeDevice {
        /// Its id.
        id: String,
        /// What changes. Everything else stays as it is.
        change: DeviceChange,
    }

    /// Asks for a larger scope. A person at this machine decides.
    AskScope {
        /// The scope.
        scope: Scope,
    }

    /// A device that asks for a larger scope.
    ScopeRequest {
        /// The id of the device.
        device: String,
        /// Its name, sanitized.
        name: Line,
        /// The scope that it asks for.
        scope: Scope,
    }
}

/// A change of a device.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DeviceChange {
    /// Sets what it may do.
    Scope {
        /// The scope.
        scope: Scope,
    },
    /// Sets whether it may also allow access to protected files, once at a time.
    ProtectedFiles {
        /// Whether it may.
        allowed: bool,
    },
    /// Takes its access away.
    Revoke,
}
