//! What the agent knows of its client and its sessions: modes and options in step, one turn at a time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, ClientCapabilities, ConfigOptionUpdate, ContentBlock, CurrentModeUpdate,
    Implementation, InitializeResponse, NewSessionRequest, NewSessionResponse, PromptRequest,
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigOptionValue, SessionConfigSelectOption,
    SessionId, SessionMode, SessionModeState, SessionNotification, SessionUpdate,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
};
use agent_client_protocol::{Client, Error, Result};
use official_peers::command::Command;
use tokio::sync::watch;

use crate::turn::Turn;

const MODES: [&str; 2] = ["ask", "code"];
const MODELS: [&str; 2] = ["m1", "m2"];

/// What the agent knows of its client and its sessions.
#[derive(Default)]
pub(crate) struct Sessions {
    boolean_options: AtomicBool,
    pub(crate) reads: AtomicBool,
    pub(crate) writes: AtomicBool,
    opened: AtomicU64,
    open: Mutex<HashMap<SessionId, Session>>,
}

pub(crate) struct Session {
    cwd: PathBuf,
    mode: String,
    model: String,
    /// `None` when the client takes no boolean options.
    fast: Option<bool>,
    pub(crate) tool_calls: u64,
    /// Set while a turn runs.
    pub(crate) cancel: Option<watch::Sender<bool>>,
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

impl Sessions {
    fn open_sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn with_session<T>(
        &self,
        id: &SessionId,
        act: impl FnOnce(&mut Session) -> Result<T>,
    ) -> Result<T> {
        let mut sessions = self.open_sessions();
        act(sessions.get_mut(id).ok_or_else(|| Error::invalid_params().data(format!("no session {id}")))?)
    }

    pub(crate) fn initialize(&self, client: &ClientCapabilities) -> InitializeResponse {
        let options = client.session.as_ref().and_then(|session| session.config_options.as_ref());
        self.boolean_options.store(options.is_some_and(|options| options.boolean.is_some()), Relaxed);
        self.reads.store(client.fs.read_text_file, Relaxed);
        self.writes.store(client.fs.write_text_file, Relaxed);
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(AgentCapabilities::new())
            .agent_info(Implementation::new("official-agent", "5.0.0").title("Official Rust SDK"))
    }

    pub(crate) fn open(&self, request: &NewSessionRequest) -> Result<NewSessionResponse> {
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
        self.open_sessions().insert(id, session);
        Ok(response)
    }

    pub(crate) fn set_mode(
        &self,
        request: &SetSessionModeRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<()> {
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

    pub(crate) fn set_config_option(
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

    /// A session that is unknown or idle has nothing to cancel (CANCEL-08).
    pub(crate) fn cancel(&self, id: &SessionId) {
        if let Some(cancel) = self.open_sessions().get(id).and_then(|session| session.cancel.as_ref()) {
            cancel.send_replace(true);
        }
    }

    /// Registers a turn. From here on `session/cancel` reaches it.
    pub(crate) fn begin(
        self: &Arc<Self>,
        request: &PromptRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<Turn> {
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
        let (sessions, client, session_id) = (self.clone(), client.clone(), request.session_id.clone());
        Ok(Turn { sessions, client, session_id, cwd, cancel, commands })
    }
}

pub(crate) fn notify(
    client: &ConnectionTo<Client>,
    session_id: &SessionId,
    update: SessionUpdate,
) -> Result<()> {
    client.send_notification(SessionNotification::new(session_id.clone(), update))
}
