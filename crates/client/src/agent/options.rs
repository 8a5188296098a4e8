//! How a client presents itself, and how long it waits.

use crate::agent::login::TERMINAL_AUTH;
use crate::elicitation::{
    self, FormHandler, FormReply, FormRequest, UrlHandler, UrlReply, UrlRequest,
};
use crate::terminals::terminal_meta;
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{Limits, Tap};
use attache_protocol::v1::{
    BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities,
    CompactionCapabilities, Implementation, NoticeCapabilities, PlanCapabilities,
    SessionConfigOptionsCapabilities,
};
use attache_protocol::{Meta, Raw};
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// How a client presents itself, and how long it waits. `Options::default()` suits most.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// What the agent is told about this program (INIT-04).
    pub about: Implementation,
    /// How long the agent may take to answer `initialize`: 30 s. A slow one takes 8 s on a warm
    /// disk.
    pub handshake: Duration,
    /// How long setting a session up may take: 120 s. Some agents wait half a minute for each MCP
    /// server that is silent.
    pub setup: Duration,
    /// How long a look-up or a change of a setting may take: 30 s.
    pub quick: Duration,
    /// How long a turn may go on after it was cancelled before it is settled here: 10 s.
    pub cancel: Duration,
    /// What the connection does within.
    pub limits: Limits,
    /// Sees every line in both directions.
    pub tap: Option<Tap>,
    /// Whether commands are run in terminals for the agent: see [`Options::terminals`].
    pub terminals: bool,
    /// Whether a person can be shown programs that log in: see [`Options::terminal_login`].
    pub terminal_login: bool,
    /// Whether text files are read for the agent, as they are unless this is switched off: see
    /// [`Options::without_reading`].
    pub reads_text_files: bool,
    /// Whether text files are written for the agent, as they are unless this is switched off: see
    /// [`Options::without_writing`].
    pub writes_text_files: bool,
    /// What an editor has open and not saved (FS-02).
    pub unsaved_text: Option<Arc<dyn UnsavedText>>,
    /// Whether what is said of sessions is kept for a log, see
    /// [`Sessions::new`](crate::session::session_table::Sessions::new).
    pub(crate) kept: bool,
    /// Who has forms filled in; without somebody forms are not offered (ELIC-01).
    pub form: Option<FormHandler>,
    /// Who has pages opened; without somebody pages are not offered (ELIC-01).
    pub url: Option<UrlHandler>,
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
            terminals: false,
            terminal_login: false,
            reads_text_files: true,
            writes_text_files: true,
            unsaved_text: None,
            kept: false,
            form: None,
            url: None,
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

    /// Runs commands for the agent, which sees their output (TERM-02), and keeps what agents tell
    /// about terminals of their own; see [`crate::SessionHandle::terminal`].
    ///
    /// A command runs on this machine with the rights of this process, in a folder of the session,
    /// under no other bound. So each is put to the session's [`crate::Permissions`] first, as a
    /// question of the kind `execute` with the command in it: [`crate::Permissions::Reject`]
    /// refuses every one. A command that the agent's own permission request named, with the same
    /// arguments, folder and variables, runs once without a second question if that request was
    /// allowed. A command is killed with all it started when it is released, the session closes or
    /// is dropped, or the connection ends.
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

    /// Says that this program starts programs in the person's terminal that log in (AUTH-05,
    /// AUTH-07), as [`crate::Login`] describes them. The kit starts none by itself.
    #[must_use]
    pub fn terminal_login(mut self) -> Self {
        self.terminal_login = true;
        self
    }

    /// Offers the agent no reading of text files (INIT-16); it reads them by itself then, as its
    /// own rules allow. Writing stays offered.
    #[must_use]
    pub fn without_reading(mut self) -> Self {
        self.reads_text_files = false;
        self
    }

    /// Offers the agent no writing of text files (INIT-16); it writes them by itself then, as its
    /// own rules allow.
    ///
    /// Where writing is offered each write is put to the session's [`crate::Permissions`], as a
    /// question of the kind `edit` with the diff in it, unless the agent's own permission request
    /// showed that diff and was allowed.
    #[must_use]
    pub fn without_writing(mut self) -> Self {
        self.writes_text_files = false;
        self
    }

    /// Reads and replaces texts where an editor has them open (FS-02).
    #[must_use]
    pub fn unsaved_text(mut self, unsaved: impl UnsavedText) -> Self {
        self.unsaved_text = Some(Arc::new(unsaved));
        self
    }

    /// Offers forms, which `asked` has filled in.
    ///
    /// ```
    /// use attache_client::{ElicitedForm, Options};
    ///
    /// // Accepts what the agent suggests, if that fills the form in.
    /// let options = Options::default().forms(|request| async move {
    ///     let suggested = request.form.defaults();
    ///     match request.form.check(&suggested) {
    ///         Ok(()) => ElicitedForm::Accept(suggested),
    ///         Err(_) => ElicitedForm::Decline,
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

    /// Offers pages, which `asked` opens once the person agreed; the kit itself opens and fetches
    /// nothing (ELIC-09).
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
            .field("handshake", &self.handshake)
            .field("setup", &self.setup)
            .field("quick", &self.quick)
            .field("cancel", &self.cancel)
            .field("tapped", &self.tap.is_some())
            .field("terminals", &self.terminals)
            .field("terminal_login", &self.terminal_login)
            .field("reads_text_files", &self.reads_text_files)
            .field("writes_text_files", &self.writes_text_files)
            .field("unsaved_text", &self.unsaved_text.is_some())
            .field("form", &self.form.is_some())
            .field("url", &self.url.is_some())
            .finish_non_exhaustive()
    }
}

/// What this client serves and takes, and so what it advertises: nothing else (INIT-16). Subagents
/// are not folded.
pub(crate) fn capabilities(offered: &Options) -> ClientCapabilities {
    let mut options = SessionConfigOptionsCapabilities::new();
    options.boolean = Some(BooleanConfigOptionCapabilities::new());
    let mut session = ClientSessionCapabilities::new();
    session.config_options = Some(options);
    session.notices = Some(NoticeCapabilities::new());
    session.compaction = Some(CompactionCapabilities::new());
    let mut capabilities = ClientCapabilities::new();
    capabilities.fs.read_text_file = offered.reads_text_files;
    capabilities.fs.write_text_file = offered.writes_text_files;
    capabilities.session = Some(session);
    capabilities.plan = Some(PlanCapabilities::new());
    capabilities.elicitation =
        elicitation::capabilities(offered.form.is_some(), offered.url.is_some());
    capabilities.terminal = offered.terminals;
    capabilities.auth.terminal = offered.terminal_login;
    let more =
        [(terminal_meta::ADVERTISED, offered.terminals), (TERMINAL_AUTH, offered.terminal_login)];
    let more: BTreeMap<&str, bool> = more.into_iter().filter(|(_, offered)| *offered).collect();
    if !more.is_empty() {
        capabilities.meta = Raw::of(&more).ok().and_then(Meta::new);
    }
    capabilities
}
