//! How a client presents itself, and how long it waits.

use attache_connection::{Limits, Tap};
use attache_protocol::v1::{
    BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities,
    Implementation, NoticeCapabilities, PlanCapabilities, SessionConfigOptionsCapabilities,
};
use std::time::Duration;

/// How a client presents itself, and how long it waits. `Options::default()` suits most.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// What the agent is told about this program (INIT-04).
    pub about: Implementation,
    /// How long the agent may take to answer `initialize`: 30 s. A slow one takes 8 s on a warm disk.
    pub handshake: Duration,
    /// How long setting a session up may take: 120 s. Some agents wait half a minute for each MCP server that is silent.
    pub setup: Duration,
    /// How long a look-up or a change of a setting may take: 30 s.
    pub quick: Duration,
    /// How long a turn may go on after it was cancelled before it is settled here: 10 s.
    pub cancel: Duration,
    /// What the connection does within.
    pub limits: Limits,
    /// Sees every line in both directions.
    pub tap: Option<Tap>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            about: Implementation::new("attache", env!("CARGO_PKG_VERSION")),
            handshake: Duration::from_secs(30),
            setup: Duration::from_secs(120),
            quick: Duration::from_secs(30),
            cancel: Duration::from_secs(10),
            limits: Limits::default(),
            tap: None,
        }
    }
}

impl Options {
    /// With another name and version of this program.
    #[must_use]
    pub fn about(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.about = Implementation::new(name, version);
        self
    }

    /// With another deadline for the handshake.
    #[must_use]
    pub fn handshake(mut self, deadline: Duration) -> Self {
        self.handshake = deadline;
        self
    }

    /// With another patience after a cancel.
    #[must_use]
    pub fn cancel(mut self, patience: Duration) -> Self {
        self.cancel = patience;
        self
    }

    /// Shows every line to `tap`.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("about", &self.about)
            .field("handshake", &self.handshake)
            .field("setup", &self.setup)
            .field("quick", &self.quick)
            .field("cancel", &self.cancel)
            .field("tapped", &self.tap.is_some())
            .finish_non_exhaustive()
    }
}

/// What this client serves and takes, and so what it advertises: nothing else (INIT-16). Terminals, forms and login in a terminal are
/// not served, subagents not folded.
pub(crate) fn capabilities() -> ClientCapabilities {
    let mut options = SessionConfigOptionsCapabilities::new();
    options.boolean = Some(BooleanConfigOptionCapabilities::new());
    let mut session = ClientSessionCapabilities::new();
    session.config_options = Some(options);
    session.notices = Some(NoticeCapabilities::new());
    session.compaction = Some(CompactionCapabilities::new());
    let mut capabilities = ClientCapabilities::new();
    capabilities.fs.read_text_file = true;
    capabilities.fs.write_text_file = true;
    capabilities.session = Some(session);
    capabilities.plan = Some(PlanCapabilities::new());
    capabilities
}
