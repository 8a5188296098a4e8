//! The built-in agent, implemented as an author of the agent kit.

use crate::commands::by_client::undoes_by_client;
use crate::commands::commands;
use crate::conversation::Conversation;
use crate::conversation::gauge::Gauge;
use crate::mcp::{self, Servers};
use crate::models::{Models, OFFLINE};
use crate::providers;
use crate::session::changes::Changes;
use crate::session::instructions::{Instructions, instructions};
use crate::session::memory::{Memory, Record, Seen};
use crate::session::options;
use crate::session::spending::Spending;
use crate::session::system_prompt::ClientInstructions;
use crate::session::titles::Titles;
use crate::tools::execute::reclaim;
use crate::tools::execute::shell::Shell;
use attache_agent::{
    About, Author, Error, Login, Opening, OptionalParts, Providers, Result, StopReason,
    SystemPromptModes, Turn,
};
use attache_host::{RootsError, Sandbox};
use attache_policy::{Folders, Mode, Policy};
use attache_protocol::v1::{
    AuthMethodId, McpCapabilities, Notice, NoticeSeverity, PromptCapabilities, ProviderId,
    ProviderInfo, SessionConfigId, SessionConfigOption, SessionConfigOptionValue, SessionId,
    SetProviderRequest,
};
use attache_protocol::{Meta, Raw};
use attache_session::Labels;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The built-in agent, `attache agent`.
///
/// It offers the modes `ask`, `edit`, `auto` and `plan`, the options `mode`, `model`,
/// `thought_level` (if the model has levels) and `show_thoughts`, and the offline model's verbs as
/// slash commands. It supports additional roots. It accepts text, links and embedded resources. It
/// accepts pictures or sounds if at least one of its models accepts them. Its file tools work only
/// inside the session's folders. If the client offers access to files, the agent reads and writes
/// them through the client, and so also sees unsaved changes.
///
/// A client may add instructions to a session or replace the agent's own. It may also set the
/// address of a provider, which then applies until the process ends. Requests to such an address
/// carry only the headers that the client names, without a key from the environment.
///
/// In usage updates, `size` is the model's context window, and `used` is the number of tokens that
/// its provider reported for the last call. If the window is unknown, an update is sent only when
/// the cost changes, and `size` is what the agent assumes. The cost covers the whole session. If
/// the provider does not say what it charged, the cost is calculated from the list of prices. Calls
/// whose price or tokens are unknown are not included, and a notice says so once. For the offline
/// model, the agent estimates one token for every four bytes of UTF-8, rounded up for each message.
/// The usage in the reply to a prompt covers all model calls of its turn, as [`Turn::add_usage`]
/// describes.
#[derive(Debug)]
pub struct Coder {
    pub(crate) models: Models,
    /// The mode of new sessions.
    mode: Mode,
    /// The thinking level of new sessions, if their model supports it.
    thought_level: Option<String>,
    /// Problems with the person's settings.
    troubles: Vec<String>,
    mcp_deadline: Duration,
    /// The sandbox to use instead of the detected one; `Some(None)` means that no sandbox is used.
    sandbox: Option<Option<Sandbox>>,
    /// The person's instructions for all projects.
    instructions: Option<String>,
    /// The person's file of permission rules.
    permissions: Option<PathBuf>,
    /// Files and folders that sandboxed commands cannot read.
    private: Vec<PathBuf>,
}

impl Coder {
    /// Creates an agent whose only model is `offline`.
    pub fn new() -> Self {
        Self::with(Models::offline_only())
    }

    /// Creates an agent with these models.
    pub fn with(models: Models) -> Self {
        let (mode, mcp_deadline) = (Mode::Ask, mcp::DEADLINE);
        let (thought_level, sandbox, instructions, permissions) = (None, None, None, None);
        Self {
            models,
            mode,
            thought_level,
            troubles: Vec::new(),
            mcp_deadline,
            sandbox,
            instructions,
            permissions,
            private: Vec::new(),
        }
    }

    /// The ids of all modes.
    pub fn modes() -> impl Iterator<Item = &'static str> {
        Mode::ALL.into_iter().map(Mode::id)
    }

    /// Sets the mode of new sessions, by its id. An unknown id is reported when a session opens.
    #[must_use]
    pub fn mode(self, id: &str) -> Self {
        match Mode::ALL.into_iter().find(|mode| mode.id() == id) {
            Some(mode) => Self { mode, ..self },
            None => {
                let modes: Vec<_> = Self::modes().collect();
                self.trouble(format!(
                    "unknown mode {id:?}: new sessions begin in {}; the modes are {}",
                    Mode::Ask.id(),
                    modes.join(", ")
                ))
            }
        }
    }

    /// Sets the thinking level of new sessions, if their model supports it.
    #[must_use]
    pub fn thought_level(self, level: impl Into<String>) -> Self {
        Self { thought_level: Some(level.into()), ..self }
    }

    /// Sets how long an MCP server may take to be ready, counted from the beginning of its session.
    /// The default is 10 seconds. If a server is slower, a notice says so. After six times this
    /// duration, the session gives up on the server.
    #[must_use]
    pub fn mcp_deadline(self, mcp_deadline: Duration) -> Self {
        Self { mcp_deadline, ..self }
    }

    /// Sets the person's instructions for all projects, as text for the model, such as the text of
    /// the person's own `AGENTS.md`. The model gets at most 24 KiB of instructions, and the
    /// project's instructions have priority over these.
    #[must_use]
    pub fn instructions(self, text: impl Into<String>) -> Self {
        Self { instructions: Some(text.into()), ..self }
    }

    /// Adds a problem with the person's settings, described in one sentence. It is reported when a
    /// session opens.
    #[must_use]
    pub fn trouble(mut self, sentence: impl Into<String>) -> Self {
        self.troubles.push(sentence.into());
        self
    }

    /// Runs commands in this sandbox, or in none, instead of the detected one ([`Sandbox::find`]).
    /// Without a sandbox, every command needs approval, and the question says why.
    #[must_use]
    pub fn sandbox(self, sandbox: Option<Sandbox>) -> Self {
        Self { sandbox: Some(sandbox), ..self }
    }

    /// Sets the person's file of permission rules, which need not exist yet. The rules say what may
    /// run without approval; `PERMISSIONS.md` describes them. The file also stores the permanent
    /// choices, for one project or for all. Without a file, choices apply only in their session.
    #[must_use]
    pub fn permissions(mut self, file: PathBuf) -> Self {
        self.permissions = Some(file);
        self
    }

    /// Hides files and folders from sandboxed commands, such as the program's own settings, keys
    /// and stored sessions, in addition to the secrets in the person's home. A folder that contains
    /// a session's folder is not hidden.
    #[must_use]
    pub fn private(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.private.extend(paths);
        self
    }
}

impl Coder {
    /// Reports problems with the person's settings. If the client does not support notices, nothing
    /// is sent: the options show the effective settings (NOTE-02).
    async fn report_setting_problems(&self, opening: &Opening<'_>) -> Result<()> {
        for trouble in &self.troubles {
            let mut notice =
                Notice::new(NoticeSeverity::Warning, "Some of your settings cannot be used");
            notice.description = Some(trouble.clone());
            opening.handle().notice(notice).await?;
        }
        let Some(missing) = self.models.unknown_fallback() else { return Ok(()) };
        let mut notice = Notice::new(
            NoticeSeverity::Warning,
            format!("The setting fallback names {missing}, which no provider has"),
        );
        notice.description =
            Some("No fallback model is used when a provider fails. Set fallback to another model, or unset it.".to_owned());
        opening.handle().notice(notice).await
    }

    /// Reports that the model of a stored session cannot be used. If the client does not support
    /// notices, nothing is sent: the options show the model (NOTE-02).
    async fn report_unusable_model(
        &self,
        opening: &Opening<'_>,
        stored: Option<&str>,
    ) -> Result<()> {
        let Some(missing) = self.gone(stored) else { return Ok(()) };
        let title = format!("The model {missing} of this session cannot be used");
        let mut notice = Notice::new(NoticeSeverity::Warning, title);
        notice.description =
            Some(format!("{}. Or choose another model.", self.models.why_unusable(missing)));
        opening.handle().notice(notice).await
    }

    /// The model of a stored session, if that model can no longer be used.
    fn gone<'s>(&self, stored: Option<&'s str>) -> Option<&'s str> {
        stored.filter(|value| *value != OFFLINE && self.models.find(value).is_none())
    }
}

/// The model that the session had when it was stored.
fn stored_model(opening: &Opening<'_>) -> Option<String> {
    match opening.session().config().value(options::MODEL) {
        Some(SessionConfigOptionValue::ValueId(value)) => Some(value.to_string()),
        _ => None,
    }
}

/// Reports problems in the files of permission rules, because the person relies on every rule.
async fn report_rule_problems(opening: &Opening<'_>, policy: &Policy) -> Result<()> {
    let faults = policy.faults();
    if faults.is_empty() {
        return Ok(());
    }
    let mut notice = Notice::new(NoticeSeverity::Warning, "Some rules in a file cannot be used");
    notice.description = Some(faults.join("\n"));
    opening.handle().notice(notice).await
}

impl Default for Coder {
    fn default() -> Self {
        Self::new()
    }
}

/// The agent's custom capabilities (EXT-04): labels of a session, and the parent of a tool call.
fn extensions() -> Option<Meta> {
    Meta::new(Raw::from_text(r#"{"attache/labels":{},"attache/parentToolCallId":{}}"#).ok()?)
}

impl Author for Coder {
    type Memory = Memory;

    fn about(&self) -> About {
        let (image, audio) = self.models.takes();
        let prompts = PromptCapabilities {
            embedded_context: true,
            image,
            audio,
            ..PromptCapabilities::default()
        };
        let (by_variable, in_terminal) = crate::logins::logins();
        let about = About::new("attache", env!("CARGO_PKG_VERSION"))
            .title("Attaché")
            .auth_method(by_variable)
            .auth_method(in_terminal)
            .prompts(prompts)
            .mcp(McpCapabilities { http: true, sse: true, ..McpCapabilities::default() })
            .additional_directories()
            .hide_empty_sessions()
            .system_prompt(SystemPromptModes::AppendAndOverride)
            .auth_status();
        match extensions() {
            Some(extensions) => about.meta(extensions),
            None => about,
        }
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<Memory> {
        self.models.look().await;
        let stored = stored_model(&opening);
        if stored.is_none()
            && let Some(why) = self.models.unusable().await
        {
            return Err(Error::AuthRequired(why));
        }
        let mut options = options::options(&self.models);
        if let Some(gone) = self.gone(stored.as_deref()) {
            options::keep_unusable(&mut options, gone, &self.models.why_unusable(gone));
        }
        options::choose(&mut options, options::MODE, self.mode.id());
        if let Some(level) = &self.thought_level {
            options::choose(&mut options, options::THOUGHT_LEVEL, level);
        }
        opening.options(options);
        self.report_setting_problems(&opening).await?;
        self.report_unusable_model(&opening, stored.as_deref()).await?;
        opening.commands(commands());
        let given = opening.roots().to_vec();
        let (own, file) = (self.instructions.clone(), self.permissions.clone());
        let looked = tokio::task::spawn_blocking(move || {
            let folders = Folders::new(&given)?;
            reclaim(folders.roots().all());
            let policy = Policy::read(file.as_deref(), &folders);
            Ok((instructions(&folders, own.as_deref()), policy, folders))
        });
        let looked = looked.await;
        let looked: std::result::Result<_, RootsError> = looked
            .map_err(|error| Error::caused("the session's folders could not be read", error))?;
        let (instructions, mut policy, folders) =
            looked.map_err(|error| Error::invalid(error.to_string()))?;
        report_rule_problems(&opening, &policy).await?;
        let mut conversation = Conversation::default();
        let mut spending = Spending::of(opening.session().usage().total());
        let (mut in_prompt, mut tools) = (None, Vec::new());
        for record in opening.remembered::<Record>()? {
            match record {
                Record::Instructions(stored) => in_prompt = Some(stored),
                Record::Tools(names) => tools = names,
                record => record.restore(&mut conversation, &mut policy, &mut spending),
            }
        }
        spending.set_reported(opening.session().usage().cost());
        conversation.gauge = Gauge::at_level(opening.session().usage().level());
        Ok(Memory {
            conversation,
            folders,
            policy,
            spending,
            seen: Seen::new(),
            changes: Changes::new(undoes_by_client(opening.client())),
            titles: Titles::of(opening.session().info().title()),
            labels: Labels::of(opening.session().info()),
            instructions: Instructions::new(in_prompt, instructions),
            client_instructions: opening.system_prompt().map(ClientInstructions::of),
            unmeasured: None,
            told_left_out: Default::default(),
            mcp: Servers::start(&opening, &self.models, self.mcp_deadline, tools),
            shell: Shell::new(self.sandbox.clone()).private(self.private.clone()),
        })
    }

    async fn turn(&self, memory: &mut Memory, turn: &Turn) -> Result<StopReason> {
        // Another session may have added rules to the person's file.
        let mut policy = memory.policy.clone();
        let read = tokio::task::spawn_blocking(move || {
            policy.read_again();
            policy
        });
        let read = read.await;
        memory.policy =
            read.map_err(|error| Error::caused("the rules could not be read", error))?;
        crate::turn::run(&self.models, memory, turn).await
    }

    fn option_set(
        &self,
        _: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        options::follow(&self.models, options, option.as_str());
        Ok(())
    }

    fn window(&self, options: &[SessionConfigOption]) -> Option<u64> {
        options::window(&self.models, options)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().login(Arc::clone(&self)).providers(self)
    }
}

impl Login for Coder {
    /// Succeeds if the model of new sessions can be used. Otherwise the error says which key is
    /// missing. Keys are read when the agent starts.
    async fn authenticate(&self, _: &AuthMethodId) -> Result<()> {
        match self.models.unusable().await {
            Some(why) => Err(Error::AuthRequired(format!("{why}; then start the agent again"))),
            None => Ok(()),
        }
    }
}

impl Providers for Coder {
    fn providers(&self) -> Vec<ProviderInfo> {
        providers::list(&self.models)
    }

    async fn set_provider(&self, provider: SetProviderRequest) -> Result<()> {
        providers::set(&self.models, &provider)
    }

    async fn disable_provider(&self, provider: &ProviderId) -> Result<()> {
        self.models.disable_provider(provider.as_str());
        Ok(())
    }
}
