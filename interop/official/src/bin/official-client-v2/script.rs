//! Runs a script in version 2: the handshake, one session unless disabled, then the steps in order.
//! Every error is an event.
//!
//! The reply to a prompt is printed as `accepted`, the idle state that ends the turn as `stop`, and
//! each state as `state`. After a turn and after a load, `messages` shows the conversation.
//! `--load` resumes with a replay, `--resume` without one. `mode` sets the option in the category
//! `mode`.

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v2::schema::{
    AgentCapabilities, ArchiveSessionRequest, AuthStatusRequest, CancelSessionNotification,
    CancelToolCallRequest, CloseSessionRequest, ContentBlock, DeleteSessionRequest,
    ForkSessionRequest, ImageContent, Implementation, InitializeRequest, ListProvidersRequest,
    ListSessionsRequest, LoginAuthRequest, LogoutAuthRequest, NewSessionRequest, PromptRequest,
    ReplayFrom, ReplayFromStart, ResumeSessionRequest, SessionCapabilities, SessionConfigKind,
    SessionConfigOptionValue, SessionConfigSelectOptions, SessionId, SessionStatusRequest,
    SetSessionConfigOptionRequest, SetSessionTitleRequest, UnarchiveSessionRequest,
};
use agent_client_protocol::v2::{ConnectionTo, InitializeOutcome};
use agent_client_protocol::{Agent, Error, JsonRpcRequest, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use official_peers::client::command_line::{Opening, Work};
use official_peers::client::events::Events;
use official_peers::script::{Step, When};
use serde::Serialize;
use serde_json::json;

use crate::questions::Questions;
use crate::state::State;

/// The maximum number of pages of a list, because an agent might never end it.
const MOST_PAGES: usize = 1000;

const STOP_REASONS: [&str; 6] =
    ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"];

/// What ends a turn early.
enum Due {
    Cancel(When),
    /// The first tool call that can be cancelled is cancelled.
    CancelCall,
}

/// One connection and its state.
pub(crate) struct Script<'a> {
    agent: &'a ConnectionTo<Agent>,
    work: &'a Work,
    events: &'a Events,
    state: &'a State,
    questions: &'a Questions,
    capabilities: AgentCapabilities,
    has_logins: bool,
    /// The ids of the logins by a call. A terminal login is a separate program (V2-08).
    logins: Vec<String>,
    session: Option<SessionId>,
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
            has_logins: false,
            logins: Vec::new(),
            session: None,
        }
    }

    /// Ends early if there is no session or the agent is gone.
    pub(crate) async fn run(&mut self) -> Option<()> {
        self.initialize().await?;
        if !matches!(self.work.opening, Opening::None) {
            self.open().await?;
        }
        for step in self.work.steps.clone() {
            if self.agent.is_incoming_closed() {
                return None;
            }
            self.step(step).await;
        }
        Some(())
    }

    /// Makes one call; prints its result as `event`, or its error as `error`.
    async fn call<R: JsonRpcRequest<Response: Serialize>>(
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
            let error = Error::method_not_found().data("the agent does not offer this");
            self.events.error(request.method(), &error);
        }
    }

    fn refuse(&self, method: &str, why: impl Into<String>) {
        self.events.error(method, &Error::invalid_params().data(why.into()));
    }

    async fn initialize(&mut self) -> Option<()> {
        let info = Implementation::new("official-client-v2", "5.0.0");
        let request = InitializeRequest::new(ProtocolVersion::V2, info);
        match self.agent.send_initialize(request).block_task().await {
            Ok(InitializeOutcome::Initialized(initialized)) => {
                self.events.print("initialized", &initialized);
                self.capabilities = initialized.capabilities;
                self.has_logins = !initialized.auth_methods.is_empty();
                let methods = initialized.auth_methods.iter().map(|method| json!(method));
                self.logins = methods
                    .filter(|method| method["type"] == "agent")
                    .filter_map(|method| method["methodId"].as_str().map(str::to_owned))
                    .collect();
                return Some(());
            }
            Ok(_) => self.refuse("initialize", "the agent does not speak version 2"),
            Err(error) => self.events.error("initialize", &error),
        }
        None
    }

    /// Opens the session. The id of a new or forked session is known only from the reply, so
    /// updates that arrive before the reply are buffered until it arrives.
    async fn open(&mut self) -> Option<()> {
        let cwd = self.work.cwd.clone();
        let Some(session) = self.capabilities.session.clone() else {
            self.refuse("session/new", "the agent does not offer sessions");
            return None;
        };
        let takes_directories = session.additional_directories.is_some();
        let directories =
            if takes_directories { self.work.directories.clone() } else { Vec::new() };
        let (id, options) = match self.work.opening.clone() {
            Opening::New | Opening::None => {
                let new = NewSessionRequest::new(cwd).additional_directories(directories);
                let opened = self.call("session", new).await?;
                (opened.session_id, opened.config_options)
            }
            Opening::Load(id) => {
                let load = ResumeSessionRequest::new(id.clone(), cwd)
                    .additional_directories(directories)
                    .replay_from(ReplayFrom::from(ReplayFromStart::new()));
                self.state.is_of(id.clone().into());
                let opened = self.call("session", load).await?;
                self.state.print_messages();
                (id.into(), opened.config_options)
            }
            Opening::Resume(id) => {
                let resume =
                    ResumeSessionRequest::new(id.clone(), cwd).additional_directories(directories);
                self.state.is_of(id.clone().into());
                (id.into(), self.call("session", resume).await?.config_options)
            }
            Opening::Fork(_) if session.fork.is_none() => {
                self.refuse("session/fork", "the agent does not offer this");
                return None;
            }
            Opening::Fork(id) => {
                let fork = ForkSessionRequest::new(id, cwd).additional_directories(directories);
                let opened = self.call("session", fork).await?;
                (opened.session_id, opened.config_options)
            }
        };
        self.state.replace_options(options);
        self.state.is_of(id.clone());
        self.session = Some(id);
        Some(())
    }

    async fn step(&self, step: Step) {
        let session = || self.session.clone().unwrap_or_else(|| SessionId::new(""));
        let offered = |gate: fn(&SessionCapabilities) -> bool| {
            self.capabilities.session.as_ref().is_some_and(gate)
        };
        match step {
            Step::Prompt(text) => {
                self.turn(vec![text.into()], Due::Cancel(When::Interrupt)).await;
            }
            Step::PromptCancel(when, text) => {
                self.turn(vec![text.into()], Due::Cancel(when)).await;
            }
            Step::PromptCancelCall(text) => self.turn(vec![text.into()], Due::CancelCall).await,
            Step::PromptImage(file, text) => self.prompt_image(&file, text).await,
            Step::Mode(mode) => match self.state.mode_option() {
                Some(option) => self.set(&option, mode.as_str().into(), "mode").await,
                None => self.refuse("session/set_config_option", "the agent has no modes"),
            },
            Step::Config(id, value) => self.set(&id, value.as_str().into(), "config").await,
            Step::Bool(id, value) => self.set(&id, value.into(), "config").await,
            Step::Permission(answer) => self.questions.set(answer),
            Step::Form(_) => self.refuse("elicitation/create", "this client offers no forms"),
            Step::List => self.list().await,
            Step::Close => {
                self.call("session-closed", CloseSessionRequest::new(session())).await;
            }
            Step::Delete(id) => {
                let offered = offered(|session| session.delete.is_some());
                self.call_if(offered, "deleted", DeleteSessionRequest::new(id)).await;
            }
            Step::Archive(id) => {
                let offered = offered(|session| session.archive.is_some());
                self.call_if(offered, "archived", ArchiveSessionRequest::new(id)).await;
            }
            Step::Unarchive(id) => {
                let offered = offered(|session| session.archive.is_some());
                self.call_if(offered, "unarchived", UnarchiveSessionRequest::new(id)).await;
            }
            Step::Status(id) => {
                let offered = offered(|session| session.status.is_some());
                self.call_if(offered, "status", SessionStatusRequest::new(id)).await;
            }
            Step::Title(id, title) => {
                let offered = offered(|session| session.title.is_some());
                self.call_if(offered, "title", SetSessionTitleRequest::new(id, title)).await;
            }
            Step::Login(id) => {
                let offered = self.logins.contains(&id);
                self.call_if(offered, "logged-in", LoginAuthRequest::new(id)).await;
            }
            Step::Logout => {
                self.call_if(self.has_logins, "logged-out", LogoutAuthRequest::new()).await;
            }
            Step::Account => {
                let auth = self.capabilities.auth.as_ref();
                let offered = auth.is_some_and(|auth| auth.status.is_some());
                self.call_if(offered, "account", AuthStatusRequest::new()).await;
            }
            Step::Providers => {
                let offered = self.capabilities.providers.is_some();
                self.call_if(offered, "providers", ListProvidersRequest::new()).await;
            }
        }
    }

    /// Runs one turn, up to the idle state; an interrupt cancels it.
    async fn turn(&self, prompt: Vec<ContentBlock>, due: Due) {
        let Some(session) = self.session.clone() else {
            return self.refuse("session/prompt", "there is no session");
        };
        self.questions.begin();
        self.state.begin();
        let mut turn = self.state.turn.subscribe();
        let mut seen = self.events.seen.subscribe();
        let before = *seen.borrow_and_update();
        let mut cancelled_call = None;
        let is_due = async {
            // The senders live as long as the connection, so the waits always end.
            let mut interrupts = seen.clone();
            let interrupted = interrupts.wait_for(|seen| seen.interrupts > before.interrupts);
            let (mut updates, mut calls) = (seen.clone(), self.state.turn.subscribe());
            let named = async {
                match due {
                    Due::Cancel(When::After(time)) => tokio::time::sleep(time).await,
                    Due::Cancel(When::Update) => {
                        drop(updates.wait_for(|seen| seen.updates > before.updates).await);
                    }
                    Due::Cancel(When::Permission) => {
                        drop(updates.wait_for(|seen| seen.questions > before.questions).await);
                    }
                    Due::Cancel(When::Interrupt) => std::future::pending().await,
                    Due::CancelCall => {
                        let found = calls.wait_for(|turn| turn.cancellable.is_some()).await;
                        cancelled_call = found.ok().and_then(|turn| turn.cancellable.clone());
                    }
                }
            };
            tokio::select! {
                _ = interrupted => {}
                () = named => {}
            }
        };
        let request = PromptRequest::new(session.clone(), prompt);
        let ended = async {
            self.call("accepted", request).await?;
            tokio::select! {
                stop = turn.wait_for(|turn| turn.stop.is_some()) => stop.ok()?.stop.clone(),
                () = self.agent.incoming_closed() => None,
            }
        };
        let mut ended = std::pin::pin!(ended);
        let early = tokio::select! {
            stop = &mut ended => Some(stop),
            () = is_due => None,
        };
        let stop = match early {
            Some(stop) => stop,
            None => {
                match cancelled_call {
                    Some(id) => {
                        let cancel = CancelToolCallRequest::new(session, id);
                        self.call("call-cancelled", cancel).await;
                    }
                    None => self.cancel(session),
                }
                ended.await
            }
        };
        if let Some(stop) = stop {
            let reason = stop["stopReason"].as_str().unwrap_or("end_turn").to_owned();
            self.events.print("stop", stop);
            if !STOP_REASONS.contains(&reason.as_str()) {
                let why = format!("the turn ended for a reason that is unknown: {reason}");
                self.refuse("session/prompt", why);
            }
            self.state.print_messages();
        }
    }

    fn cancel(&self, session: SessionId) {
        let sent: Result<()> =
            self.agent.send_notification(CancelSessionNotification::new(session));
        if let Err(error) = sent {
            return self.events.error("session/cancel", &error);
        }
        self.events.print("cancel", json!({}));
        self.questions.cancel();
    }

    async fn prompt_image(&self, file: &std::path::Path, text: String) {
        let mut prompt = vec![text.into()];
        let prompts =
            self.capabilities.session.as_ref().and_then(|session| session.prompt.as_ref());
        let takes_images = prompts.is_some_and(|prompts| prompts.image.is_some());
        match std::fs::read(file) {
            Ok(bytes) if takes_images => {
                let kind =
                    file.extension().and_then(|extension| extension.to_str()).unwrap_or("png");
                let kind = kind.replace("jpg", "jpeg");
                let image = ImageContent::new(STANDARD.encode(bytes), format!("image/{kind}"));
                prompt.push(ContentBlock::Image(image));
            }
            Ok(_) => self.refuse("session/prompt", "the agent takes no pictures"),
            Err(error) => self.refuse("session/prompt", format!("{}: {error}", file.display())),
        }
        self.turn(prompt, Due::Cancel(When::Interrupt)).await;
    }

    /// Sets only options of the last list, and only valid values.
    async fn set(&self, id: &str, value: SessionConfigOptionValue, event: &str) {
        let fits = match (self.state.option(id).map(|option| option.kind), &value) {
            (Some(SessionConfigKind::Boolean(_)), SessionConfigOptionValue::Boolean { .. }) => true,
            (Some(SessionConfigKind::Select(select)), SessionConfigOptionValue::Id { value }) => {
                match &select.options {
                    SessionConfigSelectOptions::Ungrouped(options) => {
                        options.iter().any(|option| option.value == *value)
                    }
                    SessionConfigSelectOptions::Grouped(groups) => groups
                        .iter()
                        .flat_map(|group| &group.options)
                        .any(|option| option.value == *value),
                    _ => false,
                }
            }
            _ => false,
        };
        let Some(session) = self.session.clone().filter(|_| fits) else {
            let why = format!("option {id} has no such value");
            return self.refuse("session/set_config_option", why);
        };
        let set = SetSessionConfigOptionRequest::new(session, id.to_owned(), value);
        if let Some(set) = self.call(event, set).await {
            self.state.replace_options(set.config_options);
        }
    }

    /// Requests every page, with unchanged cursors.
    async fn list(&self) {
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
}
