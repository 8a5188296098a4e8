//! Runs a script: the handshake, one session unless disabled, then the steps in order. Every error
//! is an event.

use std::collections::VecDeque;
use std::process::Stdio;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, ArchiveSessionRequest, AuthMethod, AuthMethodTerminal, AuthStatusRequest,
    AuthenticateRequest, CancelNotification, CloseSessionRequest, ContentBlock,
    DeleteSessionRequest, ImageContent, Implementation, InitializeRequest, ListProvidersRequest,
    ListSessionsRequest, LogoutRequest, PromptRequest, SessionConfigKind, SessionConfigOptionValue,
    SessionConfigSelectOptions, SessionId, SessionStatusRequest, SetSessionConfigOptionRequest,
    SetSessionModeRequest, SetSessionTitleRequest, StopReason, UnarchiveSessionRequest,
};
use agent_client_protocol::{Agent, Error, JsonRpcRequest, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use official_peers::script::{Step, When};
use serde::Serialize;
use serde_json::json;

use crate::capabilities;
use crate::questions::Questions;
use crate::state::State;
use official_peers::client::command_line::{AgentPlace, Opening, Work};
use official_peers::client::events::Events;

/// The maximum number of pages of a list, because an agent might never end it.
const MOST_PAGES: usize = 1000;

/// One connection and its state.
pub(crate) struct Script<'a> {
    pub(crate) agent: &'a ConnectionTo<Agent>,
    pub(crate) work: &'a Work,
    pub(crate) events: &'a Events,
    pub(crate) state: &'a State,
    pub(crate) questions: &'a Questions,
    pub(crate) capabilities: AgentCapabilities,
    auth_methods: Vec<AuthMethod>,
    pub(crate) session: Option<SessionId>,
}

impl<'a> Script<'a> {
    pub(crate) fn new(
        agent: &'a ConnectionTo<Agent>,
        work: &'a Work,
        events: &'a Events,
        state: &'a State,
        questions: &'a Questions,
    ) -> Self {
        let capabilities = AgentCapabilities::default();
        Self {
            agent,
            work,
            events,
            state,
            questions,
            capabilities,
            auth_methods: Vec::new(),
            session: None,
        }
    }

    /// Ends early if there is no session or the agent is gone. After a terminal login the agent
    /// must be restarted, so this returns the remaining steps for the restarted agent.
    pub(crate) async fn run(&mut self, steps: Vec<Step>) -> Option<Vec<Step>> {
        self.initialize().await?;
        if !matches!(self.work.opening, Opening::None) {
            self.open().await?;
        }
        let mut steps = VecDeque::from(steps);
        while let Some(step) = steps.pop_front() {
            if self.agent.is_incoming_closed() {
                return None;
            }
            if let Step::Login(id) = &step
                && self.login(id).await
            {
                return Some(steps.into());
            }
            self.step(step).await;
        }
        None
    }

    /// Makes one call; prints its result as `event`, or its error as `error`.
    pub(crate) async fn call<R: JsonRpcRequest<Response: Serialize>>(
        &self,
        event: &str,
        request: R,
    ) -> Option<R::Response> {
        let method = request.method().to_owned();
        match self.agent.send_request(request).block_task().await {
            Ok(response) => {
                self.events.print(event, &response);
                Some(response)
            }
            Err(error) => {
                self.events.error(&method, &error);
                None
            }
        }
    }

    /// Makes a call that the agent must offer.
    async fn call_if<R: JsonRpcRequest<Response: Serialize>>(
        &self,
        offered: bool,
        event: &str,
        request: R,
    ) {
        if offered {
            self.call(event, request).await;
        } else {
            self.events.error(request.method(), &not_offered());
        }
    }

    pub(crate) fn refuse(&self, method: &str, why: impl Into<String>) {
        self.events.error(method, &Error::invalid_params().data(why.into()));
    }

    /// Stops if the agent does not support the client's version (INIT-07).
    async fn initialize(&mut self) -> Option<()> {
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(capabilities::offered(self.work))
            .client_info(Implementation::new("official-client", "5.0.0"));
        let initialized = self.call("initialized", request).await?;
        self.capabilities = initialized.agent_capabilities;
        self.auth_methods = initialized.auth_methods;
        if initialized.protocol_version == ProtocolVersion::V1 {
            return Some(());
        }
        self.refuse("initialize", "the agent does not speak version 1, and this client only that");
        None
    }

    async fn step(&self, step: Step) {
        let session = || self.session.clone().unwrap_or_else(|| SessionId::new(""));
        let offered = &self.capabilities.session_capabilities;
        match step {
            Step::Prompt(text) => self.turn(vec![text.into()], When::Interrupt).await,
            Step::PromptCancel(when, text) => self.turn(vec![text.into()], when).await,
            Step::PromptCancelCall(_) => {
                self.refuse("tool_call/cancel", "version 1 cannot cancel one tool call");
            }
            Step::PromptImage(file, text) => self.prompt_image(&file, text).await,
            Step::Mode(mode) => self.set_mode(mode).await,
            Step::Config(id, value) => self.set(&id, value_id(value), "config").await,
            Step::Bool(id, value) => {
                self.set(&id, SessionConfigOptionValue::Boolean { value }, "config").await
            }
            Step::Permission(answer) => self.questions.set(answer),
            Step::Form(answer) => self.questions.set_form(answer),
            Step::List => self.list().await,
            Step::Delete(id) => {
                self.call_if(offered.delete.is_some(), "deleted", DeleteSessionRequest::new(id))
                    .await;
            }
            Step::Close => {
                let close = CloseSessionRequest::new(session());
                self.call_if(offered.close.is_some(), "session-closed", close).await;
            }
            Step::Archive(id) => {
                self.call_if(offered.archive.is_some(), "archived", ArchiveSessionRequest::new(id))
                    .await;
            }
            Step::Unarchive(id) => {
                self.call_if(
                    offered.archive.is_some(),
                    "unarchived",
                    UnarchiveSessionRequest::new(id),
                )
                .await;
            }
            Step::Status(id) => {
                self.call_if(offered.status.is_some(), "status", SessionStatusRequest::new(id))
                    .await;
            }
            Step::Title(id, title) => {
                self.call_if(
                    offered.title.is_some(),
                    "title",
                    SetSessionTitleRequest::new(id, title),
                )
                .await;
            }
            Step::Logout => {
                self.call_if(
                    self.capabilities.auth.logout.is_some(),
                    "logged-out",
                    LogoutRequest::new(),
                )
                .await;
            }
            Step::Account => {
                self.call_if(
                    self.capabilities.auth.status.is_some(),
                    "account",
                    AuthStatusRequest::new(),
                )
                .await;
            }
            Step::Providers => {
                let offered = self.capabilities.providers.is_some();
                self.call_if(offered, "providers", ListProvidersRequest::new()).await;
            }
            // `run` handles this step, which can restart the agent.
            Step::Login(_) => {}
        }
    }

    /// Runs one turn and cancels it when requested; an interrupt cancels every turn.
    async fn turn(&self, prompt: Vec<ContentBlock>, when: When) {
        let Some(session) = self.session.clone() else {
            return self.refuse("session/prompt", "there is no session");
        };
        self.questions.begin();
        let mut seen = self.events.seen.subscribe();
        let before = *seen.borrow_and_update();
        let due = async {
            // The sender lives as long as the connection, so the wait always ends.
            let mut interrupts = seen.clone();
            let interrupted = interrupts.wait_for(|seen| seen.interrupts > before.interrupts);
            let named = async {
                match when {
                    When::After(time) => tokio::time::sleep(time).await,
                    When::Update => drop(seen.wait_for(|seen| seen.updates > before.updates).await),
                    When::Permission => {
                        drop(seen.wait_for(|seen| seen.questions > before.questions).await)
                    }
                    When::Interrupt => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = interrupted => {}
                () = named => {}
            }
        };
        let mut prompt = std::pin::pin!(self.call("stop", PromptRequest::new(session, prompt)));
        let stopped = tokio::select! {
            stopped = &mut prompt => stopped,
            () = due => {
                if let Err(error) = self.cancel() {
                    self.events.error("session/cancel", &error);
                }
                prompt.await
            }
        };
        if stopped.is_some_and(|stopped| stopped.stop_reason == StopReason::Refusal) {
            self.events.print(
                "refused",
                json!({"note": "this prompt and what follows leave the conversation"}),
            );
        }
    }

    fn cancel(&self) -> Result<()> {
        let Some(session) = self.session.clone() else { return Ok(()) };
        self.agent.send_notification(CancelNotification::new(session))?;
        self.events.print("cancel", json!({}));
        self.state.cancelled();
        self.questions.cancel();
        Ok(())
    }

    async fn prompt_image(&self, file: &std::path::Path, text: String) {
        let mut prompt = vec![text.into()];
        match std::fs::read(file) {
            Ok(bytes) if self.capabilities.prompt_capabilities.image => {
                let kind =
                    file.extension().and_then(|extension| extension.to_str()).unwrap_or("png");
                let kind = kind.replace("jpg", "jpeg");
                let image = ImageContent::new(STANDARD.encode(bytes), format!("image/{kind}"));
                prompt.push(ContentBlock::Image(image));
            }
            Ok(_) => self.refuse("session/prompt", "the agent takes no pictures"),
            Err(error) => self.refuse("session/prompt", format!("{}: {error}", file.display())),
        }
        self.turn(prompt, When::Interrupt).await;
    }

    /// If there are config options, the mode is one of them (MODE-06).
    async fn set_mode(&self, mode: String) {
        if let Some(option) = self.state.mode_option() {
            return self.set(&option, value_id(mode), "mode").await;
        }
        match self.session.clone() {
            Some(session) if self.state.has_mode(&mode) => {
                self.call("mode", SetSessionModeRequest::new(session, mode)).await;
            }
            _ => self.refuse("session/set_mode", format!("mode {mode} does not exist")),
        }
    }

    /// Sets only options of the last list, and only valid values (CONF-04, CONF-12).
    async fn set(&self, id: &str, value: SessionConfigOptionValue, event: &str) {
        let fits = match (self.state.option(id).map(|option| option.kind), &value) {
            (Some(SessionConfigKind::Boolean(_)), SessionConfigOptionValue::Boolean { .. }) => true,
            (
                Some(SessionConfigKind::Select(select)),
                SessionConfigOptionValue::ValueId { value },
            ) => match &select.options {
                SessionConfigSelectOptions::Ungrouped(options) => {
                    options.iter().any(|option| option.value == *value)
                }
                SessionConfigSelectOptions::Grouped(groups) => groups
                    .iter()
                    .flat_map(|group| &group.options)
                    .any(|option| option.value == *value),
                _ => false,
            },
            _ => false,
        };
        let Some(session) = self.session.clone().filter(|_| fits) else {
            return self
                .refuse("session/set_config_option", format!("option {id} has no such value"));
        };
        if let Some(set) = self
            .call(event, SetSessionConfigOptionRequest::new(session, id.to_owned(), value))
            .await
        {
            self.state.replace_options(set.config_options);
        }
    }

    /// Requests every page, with unchanged cursors (LIST-06, LIST-07).
    async fn list(&self) {
        if self.capabilities.session_capabilities.list.is_none() {
            return self.events.error("session/list", &not_offered());
        }
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let listed = self.call("sessions", ListSessionsRequest::new().cursor(cursor)).await;
            cursor = listed.and_then(|listed| listed.next_cursor);
            if cursor.is_none() {
                return;
            }
        }
        self.refuse("session/list", format!("the list has more than {MOST_PAGES} pages"));
    }

    /// Logs in. Returns whether the agent must be restarted, which is necessary after a terminal
    /// login because that login is a separate process (AUTH-06, AUTH-08).
    async fn login(&self, id: &str) -> bool {
        let offered = self.auth_methods.iter().find(|method| &*method.id().0 == id);
        match offered {
            None => self.refuse("authenticate", format!("the agent offers no login {id}")),
            Some(AuthMethod::Terminal(terminal)) => {
                if self.login_in_terminal(terminal).await {
                    self.events.print("logged-in", json!({}));
                    return true;
                }
                self.refuse("authenticate", format!("the login {id} failed"));
            }
            Some(_) => drop(self.call("logged-in", AuthenticateRequest::new(id.to_owned())).await),
        }
        false
    }

    /// Runs the same program with the method's additional arguments and variables; exit code 0
    /// means success.
    async fn login_in_terminal(&self, method: &AuthMethodTerminal) -> bool {
        let AgentPlace::Process { program, arguments } = &self.work.agent else { return false };
        let mut command = tokio::process::Command::new(program);
        command.args(arguments).args(&method.args).envs(&method.env);
        command.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        command.status().await.is_ok_and(|status| status.success())
    }
}

fn value_id(value: String) -> SessionConfigOptionValue {
    SessionConfigOptionValue::ValueId { value: value.into() }
}

fn not_offered() -> Error {
    Error::method_not_found().data("the agent does not offer this")
}
