//! An agent on stdio written with the official Rust SDK only; its prompts are `official_peers::command`.
//!
//! The SDK waits for each handler before it looks at the next message, so a turn runs in a task of the
//! connection and its handler only registers it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ClientCapabilities, ConfigOptionUpdate, Content, ContentBlock,
    ContentChunk, Cost, CurrentModeUpdate, Implementation, InitializeRequest, InitializeResponse,
    NewSessionRequest, NewSessionResponse, PermissionOption, PermissionOptionKind, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, PromptRequest, PromptResponse, ReadTextFileRequest,
    RequestPermissionOutcome, RequestPermissionRequest, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigOptionValue, SessionConfigSelectOption, SessionId, SessionInfoUpdate, SessionMode,
    SessionModeState, SessionNotification, SessionUpdate, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse, StopReason, ToolCall,
    ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
    UsageUpdate, WriteTextFileRequest,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{
    Agent, Client, Error, Result, Stdio, on_receive_notification, on_receive_request,
};
use official_peers::command::Command;
use tokio::sync::watch;

const MODES: [&str; 2] = ["ask", "code"];
const MODELS: [&str; 2] = ["m1", "m2"];

/// What the agent knows of its client and its sessions.
#[derive(Default)]
struct Official {
    boolean_options: AtomicBool,
    reads: AtomicBool,
    writes: AtomicBool,
    opened: AtomicU64,
    sessions: Mutex<HashMap<SessionId, Session>>,
}

struct Session {
    cwd: PathBuf,
    mode: String,
    model: String,
    /// `None` when the client takes no boolean options.
    fast: Option<bool>,
    tool_calls: u64,
    /// Set while a turn runs.
    cancel: Option<watch::Sender<bool>>,
}

impl Session {
    fn config_options(&self) -> Vec<SessionConfigOption> {
        let values = |ids: [&'static str; 2]| ids.map(|id| SessionConfigSelectOption::new(id, id)).to_vec();
        let model = SessionConfigOption::select("model", "Model", self.model.clone(), values(MODELS))
            .category(SessionConfigOptionCategory::Model);
        let mode = SessionConfigOption::select("mode", "Mode", self.mode.clone(), values(MODES))
            .category(SessionConfigOptionCategory::Mode);
        let fast = self.fast.map(|fast| SessionConfigOption::boolean("fast", "Fast", fast));
        [model, mode].into_iter().chain(fast).collect()
    }

    /// Sets one option; true when that changed the mode.
    fn set(&mut self, id: &str, value: &SessionConfigOptionValue) -> Result<bool> {
        match (id, value) {
            ("model", SessionConfigOptionValue::ValueId { value }) if MODELS.contains(&&*value.0) => {
                self.model = value.to_string();
            }
            ("mode", SessionConfigOptionValue::ValueId { value }) if MODES.contains(&&*value.0) => {
                let changed = self.mode != *value.0;
                self.mode = value.to_string();
                return Ok(changed);
            }
            ("fast", SessionConfigOptionValue::Boolean { value }) if self.fast.is_some() => {
                self.fast = Some(*value);
            }
            _ => return Err(Error::invalid_params().data(format!("option {id} has no such value"))),
        }
        Ok(false)
    }
}

impl Official {
    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_session<T>(&self, id: &SessionId, act: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        let mut sessions = self.sessions();
        act(sessions.get_mut(id).ok_or_else(|| Error::invalid_params().data(format!("no session {id}")))?)
    }

    fn initialize(&self, client: &ClientCapabilities) -> InitializeResponse {
        let options = client.session.as_ref().and_then(|session| session.config_options.as_ref());
        self.boolean_options.store(options.is_some_and(|options| options.boolean.is_some()), Relaxed);
        self.reads.store(client.fs.read_text_file, Relaxed);
        self.writes.store(client.fs.write_text_file, Relaxed);
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(AgentCapabilities::new())
            .agent_info(Implementation::new("official-agent", "5.0.0").title("Official Rust SDK"))
    }

    fn open(&self, request: &NewSessionRequest) -> Result<NewSessionResponse> {
        if !request.cwd.is_absolute() {
            return Err(Error::invalid_params().data("cwd must be absolute"));
        }
        let number = self.opened.fetch_add(1, Relaxed) + 1;
        let id = SessionId::new(format!("official-{}-{number}", std::process::id()));
        let session = Session {
            cwd: request.cwd.clone(),
            mode: "ask".into(),
            model: "m1".into(),
            fast: self.boolean_options.load(Relaxed).then_some(false),
            tool_calls: 0,
            cancel: None,
        };
        let modes = SessionModeState::new("ask", MODES.map(|id| SessionMode::new(id, id)).to_vec());
        let response =
            NewSessionResponse::new(id.clone()).modes(modes).config_options(session.config_options());
        self.sessions().insert(id, session);
        Ok(response)
    }

    fn set_mode(&self, request: &SetSessionModeRequest, client: &ConnectionTo<Client>) -> Result<()> {
        let value = SessionConfigOptionValue::ValueId { value: request.mode_id.0.clone().into() };
        let (changed, options) = self.with_session(&request.session_id, |session| {
            Ok((session.set("mode", &value)?, session.config_options()))
        })?;
        if changed {
            let mode = CurrentModeUpdate::new(request.mode_id.clone());
            notify(client, &request.session_id, SessionUpdate::CurrentModeUpdate(mode))?;
            let options = ConfigOptionUpdate::new(options);
            notify(client, &request.session_id, SessionUpdate::ConfigOptionUpdate(options))?;
        }
        Ok(())
    }

    fn set_config_option(
        &self,
        request: &SetSessionConfigOptionRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<SetSessionConfigOptionResponse> {
        let (new_mode, options) = self.with_session(&request.session_id, |session| {
            let changed = session.set(&request.config_id.0, &request.value)?;
            Ok((changed.then(|| session.mode.clone()), session.config_options()))
        })?;
        if let Some(mode) = new_mode {
            let update = SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode));
            notify(client, &request.session_id, update)?;
        }
        Ok(SetSessionConfigOptionResponse::new(options))
    }

    /// Registers a turn. From here on `session/cancel` reaches it.
    fn begin(self: &Arc<Self>, request: &PromptRequest, client: &ConnectionTo<Client>) -> Result<Turn> {
        let texts = request.prompt.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        let prompt = texts.collect::<Vec<_>>().join("\n");
        let commands = Command::parse_all(&prompt).map_err(|error| Error::invalid_params().data(error))?;
        let cancel = watch::Sender::new(false);
        let cwd = self.with_session(&request.session_id, |session| {
            if session.cancel.is_some() {
                return Err(Error::invalid_request().data("a turn of this session is running"));
            }
            session.cancel = Some(cancel.clone());
            Ok(session.cwd.clone())
        })?;
        let (agent, client, session_id) = (self.clone(), client.clone(), request.session_id.clone());
        Ok(Turn { agent, client, session_id, cwd, cancel, commands })
    }
}

fn notify(client: &ConnectionTo<Client>, session_id: &SessionId, update: SessionUpdate) -> Result<()> {
    client.send_notification(SessionNotification::new(session_id.clone(), update))
}

/// One running prompt.
struct Turn {
    agent: Arc<Official>,
    client: ConnectionTo<Client>,
    session_id: SessionId,
    cwd: PathBuf,
    cancel: watch::Sender<bool>,
    commands: Vec<Command>,
}

impl Turn {
    /// Runs to the end and answers. An error of a task would end the connection, so it goes into the answer.
    async fn answer(self, responder: Responder<PromptResponse>) -> Result<()> {
        let cancellation = responder.cancellation();
        let outcome = {
            let mut run = std::pin::pin!(self.run());
            tokio::select! {
                outcome = &mut run => outcome,
                () = cancellation.cancelled() => {
                    self.cancel.send_replace(true);
                    run.await
                }
            }
        };
        self.agent.with_session(&self.session_id, |session| {
            session.cancel = None;
            Ok(())
        })?;
        responder.respond_with_result(outcome.map(PromptResponse::new))
    }

    async fn run(&self) -> Result<StopReason> {
        for command in &self.commands {
            if *self.cancel.borrow() {
                break;
            }
            self.perform(command).await?;
        }
        Ok(if *self.cancel.borrow() { StopReason::Cancelled } else { StopReason::EndTurn })
    }

    async fn perform(&self, command: &Command) -> Result<()> {
        match command {
            Command::Say(text) => self.say(text),
            Command::Think(text) => self.update(SessionUpdate::AgentThoughtChunk(chunk(text))),
            Command::Tool(title) => self.tool(title),
            Command::Ask => self.ask().await,
            Command::Read(path) => self.read(path).await,
            Command::Write(path, text) => self.write(path, text).await,
            Command::Plan => self.plan(),
            Command::Usage(used, size) => {
                let usage = UsageUpdate::new(*used, *size).cost(Cost::new(0.25, "USD"));
                self.update(SessionUpdate::UsageUpdate(usage))
            }
            Command::Title(title) => {
                self.update(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title.clone())))
            }
            Command::Flood(count, size) => self.flood(*count, *size).await,
            Command::Sleep(ms) => {
                // Ending early is no error: the caller looks at `cancel` before the next command.
                let _ = tokio::time::timeout(Duration::from_millis(*ms), self.cancelled()).await;
                Ok(())
            }
            Command::Wait => {
                self.cancelled().await;
                Ok(())
            }
            Command::Error => Err(Error::internal_error().data("the prompt asked for an error")),
            Command::Exit(code) => std::process::exit(*code),
            Command::Stderr(text) => {
                eprintln!("{text}");
                Ok(())
            }
        }
    }

    async fn cancelled(&self) {
        // The sender is ours, so the channel cannot close before the value comes.
        let _ = self.cancel.subscribe().wait_for(|cancelled| *cancelled).await;
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        notify(&self.client, &self.session_id, update)
    }

    fn say(&self, text: &str) -> Result<()> {
        self.update(SessionUpdate::AgentMessageChunk(chunk(text)))
    }

    fn begin_tool_call(&self, title: &str) -> Result<ToolCallUpdate> {
        let number = self.agent.with_session(&self.session_id, |session| {
            session.tool_calls += 1;
            Ok(session.tool_calls)
        })?;
        let id = format!("call-{number}");
        let location = ToolCallLocation::new(self.cwd.join("notes.txt")).line(1);
        let call = ToolCall::new(id.clone(), title)
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .locations(vec![location]);
        self.update(SessionUpdate::ToolCall(call))?;
        Ok(ToolCallUpdate::new(id, ToolCallUpdateFields::new()))
    }

    fn patch(&self, call: &ToolCallUpdate, fields: ToolCallUpdateFields) -> Result<()> {
        let update = ToolCallUpdate::new(call.tool_call_id.clone(), fields);
        self.update(SessionUpdate::ToolCallUpdate(update))
    }

    fn tool(&self, title: &str) -> Result<()> {
        let call = self.begin_tool_call(title)?;
        self.patch(&call, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress))?;
        let output = ToolCallContent::Content(Content::new(format!("{title}: done")));
        let done = ToolCallUpdateFields::new().status(ToolCallStatus::Completed).content(vec![output]);
        self.patch(&call, done)
    }

    /// A cancelled turn still waits here: the client owes an answer with the outcome `cancelled` (PERM-06).
    async fn ask(&self) -> Result<()> {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let mut call = self.begin_tool_call("ask")?;
        call.fields.title = Some("ask".into());
        let options = [
            ("allow_once", "Allow once", AllowOnce),
            ("allow_always", "Allow always", AllowAlways),
            ("reject_once", "Reject once", RejectOnce),
            ("reject_always", "Reject always", RejectAlways),
        ];
        let options = options.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec();
        let request = RequestPermissionRequest::new(self.session_id.clone(), call.clone(), options);
        let outcome = self.client.send_request(request).block_task().await?.outcome;
        let answer = match outcome {
            RequestPermissionOutcome::Selected(selected) => selected.option_id.to_string(),
            _ => "cancelled".into(),
        };
        let allowed = answer.starts_with("allow_");
        let status = if allowed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        self.patch(&call, ToolCallUpdateFields::new().status(status))?;
        self.say(&format!("permission: {answer}"))
    }

    async fn read(&self, path: &Path) -> Result<()> {
        if !self.agent.reads.load(Relaxed) {
            return self.say("read: not offered");
        }
        let request = ReadTextFileRequest::new(self.session_id.clone(), self.cwd.join(path));
        match self.client.send_request(request).block_task().await {
            Ok(file) => self.say(&format!("read: {}", file.content.len())),
            Err(error) => self.say(&format!("read: error {}", i32::from(error.code))),
        }
    }

    async fn write(&self, path: &Path, text: &str) -> Result<()> {
        if !self.agent.writes.load(Relaxed) {
            return self.say("write: not offered");
        }
        let request = WriteTextFileRequest::new(self.session_id.clone(), self.cwd.join(path), text);
        match self.client.send_request(request).block_task().await {
            Ok(_) => self.say("write: done"),
            Err(error) => self.say(&format!("write: error {}", i32::from(error.code))),
        }
    }

    fn plan(&self) -> Result<()> {
        use PlanEntryPriority::{High, Low, Medium};
        use PlanEntryStatus::{Completed, InProgress, Pending};
        let entries = [("look", High, Completed), ("change", Medium, InProgress), ("test", Low, Pending)];
        let entries = entries.map(|(content, priority, status)| PlanEntry::new(content, priority, status));
        self.update(SessionUpdate::Plan(Plan::new(entries.to_vec())))
    }

    async fn flood(&self, count: u64, size: usize) -> Result<()> {
        let text = "0123456789abcdef".chars().cycle().take(size).collect::<String>();
        for _ in 0..count {
            if *self.cancel.borrow() {
                break;
            }
            self.say(&text)?;
            // Sending never waits, and the connection reads a cancel only when this task lets it.
            tokio::task::yield_now().await;
        }
        Ok(())
    }
}

fn chunk(text: &str) -> ContentChunk {
    ContentChunk::new(ContentBlock::from(text))
}

#[tokio::main]
async fn main() -> Result<()> {
    let agent = Arc::new(Official::default());
    let (initialize, open, set_mode) = (agent.clone(), agent.clone(), agent.clone());
    let (set_config_option, cancel) = (agent.clone(), agent.clone());
    Agent
        .v1()
        .name("official-agent")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _client| {
                responder.respond(initialize.initialize(&request.client_capabilities))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(open.open(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, client| {
                let set = set_mode.set_mode(&request, &client);
                responder.respond_with_result(set.map(|()| SetSessionModeResponse::new()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionConfigOptionRequest, responder, client| {
                responder.respond_with_result(set_config_option.set_config_option(&request, &client))
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _client| {
                if let Some(session) = cancel.sessions().get(&request.session_id)
                    && let Some(cancel) = &session.cancel
                {
                    cancel.send_replace(true);
                }
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client| match agent.begin(&request, &client) {
                Ok(turn) => client.spawn(turn.answer(responder)),
                Err(error) => responder.respond_with_error(error),
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
