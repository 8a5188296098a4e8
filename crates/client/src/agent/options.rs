//! How a client presents itself to agents, and how long it waits. `Options::default()` suits most
//! programs.

use crate::agent::login::TERMINAL_AUTH;
use crate::agent::undo_requests::{self, UndoHandler};
use crate::elicitation::{
    self, FormHandler, FormReply, FormRequest, UrlHandler, UrlReply, UrlRequest,
};
use crate::terminals::terminal_command::PrepareLaunch;
use crate::terminals::terminal_meta;
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{Limits, Tap};
use attache_host::Launch;
use attache_protocol::v1::{
    BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities,
    CompactionCapabilities, Implementation, NoticeCapabilities, PlanCapabilities, ProtocolVersion,
    SessionConfigOptionsCapabilities,
};
use attache_protocol::{Meta, Raw};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How a client presents itself to agents, and how long it waits. `Options::default()` suits most
/// programs.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The name and version of this program, which are sent to the agent (INIT-04).
    pub about: Implementation,
    /// The version of the protocol that the client asks for: see [`Options::protocol`].
    pub protocol: ProtocolVersion,
    /// How long the agent may take to answer `initialize`: 30 s. A slow agent takes 8 s, even when
    /// the disk's cache is warm.
    pub handshake: Duration,
    /// How long opening a session may take: 120 s. Some agents wait half a minute for each MCP
    /// server that does not answer.
    pub setup: Duration,
    /// How long a query or a change of a setting may take: 30 s.
    pub quick: Duration,
    /// How long a cancelled turn may take to end: 10 s. After that, the client ends the turn.
    pub cancel: Duration,
    /// The limits of the connection.
    pub limits: Limits,
    /// Receives every line that is sent in either direction.
    pub tap: Option<Tap>,
    /// Whether the client runs commands in terminals for the agent: see [`Options::terminals`].
    pub terminals: bool,
    /// Prepares the launches of these commands: see [`Options::terminal_launches`].
    pub terminal_launches: Option<PrepareLaunch>,
    /// Whether the client can show login programs to the person: see [`Options::terminal_login`].
    pub terminal_login: bool,
    /// Whether the client reads text files for the agent; it does unless
    /// [`Options::without_reading`] says otherwise.
    pub reads_text_files: bool,
    /// Whether the client writes text files for the agent; it does unless
    /// [`Options::without_writing`] says otherwise.
    pub writes_text_files: bool,
    /// The unsaved texts of an editor (FS-02).
    pub unsaved_text: Option<Arc<dyn UnsavedText>>,
    /// Whether to keep the events of sessions for a log: see
    /// [`SessionTable::new`](crate::session::session_table::SessionTable::new).
    pub(crate) kept: bool,
    /// Asks the person to fill in forms. Without this handler, forms are not offered (ELIC-01).
    pub form: Option<FormHandler>,
    /// Asks the person to open pages. Without this handler, pages are not offered (ELIC-01).
    pub url: Option<UrlHandler>,
    /// Undoes the changes of the last turn when the agent's `/undo` command was called.
    pub(crate) undo: Option<UndoHandler>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            about: Implementation::new("attache", env!("CARGO_PKG_VERSION")),
            protocol: ProtocolVersion::V1,
            handshake: Duration::from_secs(30),
            setup: Duration::from_secs(120),
            quick: Duration::from_secs(30),
            cancel: Duration::from_secs(10),
            limits: Limits::default(),
            tap: None,
            terminals: false,
            terminal_launches: None,
            terminal_login: false,
            reads_text_files: true,
            writes_text_files: true,
            unsaved_text: None,
            kept: false,
            form: None,
            url: None,
            undo: None,
        }
    }
}

impl Options {
    /// Sets the name and version of this program.
    #[must_use]
    pub fn about(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.about = Implementation::new(name, version);
        self
    }

    /// Asks the agent for this version of the protocol: version 1 unless set, or version 2, which
    /// is a draft. Any other version counts as version 1. An agent that does not speak the version
    /// does not start.
    ///
    /// In version 2, an agent reads and writes files and runs commands by itself: the client serves
    /// no files and no terminals, and decides only about what the agent asks.
    #[must_use]
    pub fn protocol(mut self, version: ProtocolVersion) -> Self {
        self.protocol = match version {
            ProtocolVersion::V2 => version,
            _ => ProtocolVersion::V1,
        };
        self
    }

    /// Sets how long the handshake may take.
    #[must_use]
    pub fn handshake(mut self, deadline: Duration) -> Self {
        self.handshake = deadline;
        self
    }

    /// Sets how long a cancelled turn may take to end.
    #[must_use]
    pub fn cancel(mut self, patience: Duration) -> Self {
        self.cancel = patience;
        self
    }

    /// Passes every line that is sent in either direction to `tap`.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Runs commands for the agent and returns their output to it. Also keeps the output of
    /// terminals that agents run themselves: see [`crate::SessionHandle::terminal`].
    ///
    /// A command runs on this machine with the rights of this process, in a folder of the session,
    /// without any other limit. Each command therefore needs permission: the session's
    /// [`crate::Permissions`] receive a question of the kind `execute` that contains the command,
    /// and [`crate::Permissions::Reject`] refuses every command. If a permission request from the
    /// agent named the command with the same arguments, folder and variables and was allowed, the
    /// command runs once without a second question. The client kills a command with everything it
    /// started when the agent releases it, when the session is closed or dropped, and when the
    /// connection ends.
    ///
    /// ```
    /// use attache_client::Options;
    /// assert!(Options::default().terminals().terminals);
    /// ```
    #[must_use]
    pub fn terminals(mut self) -> Self {
        self.terminals = true;
        self
    }

    /// Lets `prepare` change the launch of each command that runs in a terminal for the agent, for
    /// example its environment, after the command's own variables and folder are set. Otherwise,
    /// the command inherits the environment of this process, with every secret in it. A command
    /// that runs in the terminals of an editor gets the editor's environment.
    ///
    /// ```
    /// use attache_client::Options;
    ///
    /// let options =
    ///     Options::default().terminals().terminal_launches(|launch| launch.env_remove("MY_TOKEN"));
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn terminal_launches(
        mut self,
        prepare: impl Fn(Launch) -> Launch + Send + Sync + 'static,
    ) -> Self {
        self.terminal_launches = Some(Arc::new(prepare));
        self
    }

    /// Advertises that this program starts login programs in the person's terminal, as
    /// [`crate::Login`] describes them. This crate does not start them itself.
    #[must_use]
    pub fn terminal_login(mut self) -> Self {
        self.terminal_login = true;
        self
    }

    /// Does not offer to read text files. The agent then reads them itself, as far as its own rules
    /// allow. Writing is still offered.
    #[must_use]
    pub fn without_reading(mut self) -> Self {
        self.reads_text_files = false;
        self
    }

    /// Does not offer to write text files. The agent then writes them itself, as far as its own
    /// rules allow.
    ///
    /// If writing is offered, each write needs permission: the session's [`crate::Permissions`]
    /// receive a question of the kind `edit` that contains the diff, unless a permission request of
    /// the agent showed that diff and was allowed.
    #[must_use]
    pub fn without_writing(mut self) -> Self {
        self.writes_text_files = false;
        self
    }

    /// For files that an editor has open, uses the text in the editor instead of the text on disk.
    #[must_use]
    pub fn unsaved_text(mut self, unsaved: impl UnsavedText) -> Self {
        self.unsaved_text = Some(Arc::new(unsaved));
        self
    }

    /// Offers forms. `asked` asks the person to fill them in.
    ///
    /// ```
    /// use attache_client::{FormReply, Options};
    ///
    /// // Accepts the suggested values if they fill in the form.
    /// let options = Options::default().forms(|request| async move {
    ///     let suggested = request.form.defaults();
    ///     match request.form.check(&suggested) {
    ///         Ok(()) => FormReply::Accept(suggested),
    ///         Err(_) => FormReply::Decline,
    ///     }
    /// });
    /// # drop(options);
    /// ```
    #[must_use]
    pub fn forms<F, D>(mut self, asked: F) -> Self
    where
        F: Fn(FormRequest) -> D + Send + Sync + 'static,
        D: Future<Output = FormReply> + Send + 'static,
    {
        self.form = Some(Arc::new(move |request| Box::pin(asked(request))));
        self
    }

    /// Offers pages. `asked` opens a page after the person agrees; this crate does not open or
    /// fetch any page itself.
    #[must_use]
    pub fn pages<F, D>(mut self, asked: F) -> Self
    where
        F: Fn(UrlRequest) -> D + Send + Sync + 'static,
        D: Future<Output = UrlReply> + Send + 'static,
    {
        self.url = Some(Arc::new(move |request| Box::pin(asked(request))));
        self
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("about", &self.about)
            .field("protocol", &self.protocol)
            .field("handshake", &self.handshake)
            .field("setup", &self.setup)
            .field("quick", &self.quick)
            .field("cancel", &self.cancel)
            .field("tapped", &self.tap.is_some())
            .field("terminals", &self.terminals)
            .field("terminal_launches", &self.terminal_launches.is_some())
            .field("terminal_login", &self.terminal_login)
            .field("reads_text_files", &self.reads_text_files)
            .field("writes_text_files", &self.writes_text_files)
            .field("unsaved_text", &self.unsaved_text.is_some())
            .field("form", &self.form.is_some())
            .field("url", &self.url.is_some())
            .finish_non_exhaustive()
    }
}

/// The capabilities that this client serves and therefore advertises (INIT-16). Subagents are not
/// supported.
pub(crate) fn capabilities(offered: &Options) -> ClientCapabilities {
    // In version 2, the agent has its own files and terminals.
    let is_v1 = offered.protocol == ProtocolVersion::V1;
    let mut options = SessionConfigOptionsCapabilities::new();
    options.boolean = Some(BooleanConfigOptionCapabilities::new());
    let mut session = ClientSessionCapabilities::new();
    session.config_options = Some(options);
    session.notices = Some(NoticeCapabilities::new());
    session.compaction = Some(CompactionCapabilities::new());
    let mut capabilities = ClientCapabilities::new();
    capabilities.fs.read_text_file = is_v1 && offered.reads_text_files;
    capabilities.fs.write_text_file = is_v1 && offered.writes_text_files;
    capabilities.session = Some(session);
    capabilities.plan = Some(PlanCapabilities::new());
    capabilities.elicitation =
        elicitation::capabilities(offered.form.is_some(), offered.url.is_some());
    capabilities.terminal = is_v1 && offered.terminals;
    capabilities.auth.terminal = offered.terminal_login;
    let more = [
        (terminal_meta::ADVERTISED, capabilities.terminal),
        (TERMINAL_AUTH, offered.terminal_login),
        (undo_requests::ADVERTISED, offered.undo.is_some()),
    ];
    let more: BTreeMap<&str, bool> = more.into_iter().filter(|(_, offered)| *offered).collect();
    if !more.is_empty() {
        capabilities.meta = Raw::of(&more).ok().and_then(Meta::new);
    }
    capabilities
}
