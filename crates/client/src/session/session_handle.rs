//! A handle to a session of one connection.

use crate::agent::shared_connection::SharedConnection;
use crate::observe::watch::{Watch, WatchUpdate};
use crate::observe::watch_position::WatchPosition;
use crate::session::live_session::LiveSession;
use crate::session::prompt::{Prompt, PromptError};
use crate::session::prompting::begin_turn;
use crate::session::set_error::SetError;
use crate::session::turn::Turn;
use crate::session::watched_session;
use attache_connection::CallError;
use attache_protocol::ErrorCode;
use attache_protocol::method::v2::{TerminalCancel, ToolCallCancel};
use attache_protocol::method::{
    Call, Method, SessionClose, SessionSetConfigOption, SessionSetMode, SessionSetModel,
};
use attache_protocol::v1::{
    CloseSessionRequest, SessionConfigOptionValue, SessionId, SetSessionConfigOptionRequest,
    SetSessionModeRequest, SetSessionModelRequest, TerminalExitStatus, TerminalId,
    TerminalOutputResponse, ToolCallId,
};
use attache_protocol::v2::{CancelTerminalRequest, CancelToolCallRequest};
use attache_session::{EventBody, OptionSource, Session, ToolCall};
use std::sync::Arc;

/// A session of one connection. Clones are handles to the same session. When the last handle, turn
/// and watch of a session is dropped, the client forgets the session; the agent keeps it unless it
/// was closed.
#[derive(Clone)]
pub struct SessionHandle {
    pub(crate) live: Arc<LiveSession>,
    pub(crate) shared: Arc<SharedConnection>,
}

impl SessionHandle {
    /// The session's id.
    pub fn id(&self) -> &SessionId {
        &self.live.id
    }

    /// Returns the session as it is now. A snapshot shares its texts with the live session and
    /// holds no lock.
    pub fn snapshot(&self) -> Session {
        self.live.fold.session()
    }

    /// Returns the output of a terminal that a tool call names: a terminal of this client, even a
    /// released one, or a terminal that the agent runs itself and describes in the metadata of its
    /// tool calls or, in version 2, in updates. Returns `None` for an unknown terminal. The client
    /// keeps the last 32 terminals that are not open, each with the last 256 KiB of its output. See
    /// [`crate::Options::terminals`].
    pub fn terminal(&self, id: &TerminalId) -> Option<TerminalOutputResponse> {
        self.live
            .terminals
            .output(id)
            .or_else(|| self.live.fold.with(|session| output(session, id)))
    }

    /// Watches the session from now on, during turns and between them.
    pub fn watch(&self) -> Watch {
        watched_session::watch(&self.live)
    }

    /// Returns what changed since a position, such as that of a [`WatchUpdate`]; everything since
    /// the beginning for the default position.
    pub fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        watched_session::changes_since(&self.live.fold, position)
    }

    /// Sends a prompt and begins a turn. A prompt is a text, a content block or a list of blocks.
    ///
    /// # Errors
    /// Returns an error if a turn is running, the agent does not accept this kind of content, or it
    /// is gone. In these cases, nothing was sent.
    pub async fn prompt(&self, prompt: impl Into<Prompt>) -> Result<Turn, PromptError> {
        begin_turn(&self.live, &self.shared, prompt.into(), &Arc::default(), || ()).await
    }

    /// Cancels the running turn, if there is one; see [`Turn::cancel`]. Without a turn, withdraws
    /// the open questions, and cancels work that an agent of version 2 began by itself.
    pub fn cancel(&self) {
        self.live.cancel(None);
    }

    /// Asks the agent to cancel one tool call, if the call has the capability for it. The turn goes
    /// on. The agent confirms with the status of the call.
    ///
    /// # Errors
    /// Returns an error if the call cannot be cancelled (nothing was sent then), or if the agent
    /// refuses, does not answer in time, or is gone. Only agents of version 2 can cancel a call.
    pub async fn cancel_tool_call(&self, id: &ToolCallId) -> Result<(), CallError> {
        let offered =
            self.live.fold.with(|session| session.tool_call(id).is_some_and(ToolCall::can_cancel));
        let params = CancelToolCallRequest::new(self.live.id.clone(), id.clone());
        self.cancel_one::<ToolCallCancel>(offered, &params).await
    }

    /// Asks the agent to cancel the command in one of its terminals, if the terminal has the
    /// capability for it. The turn goes on. The agent confirms with the exit status.
    ///
    /// # Errors
    /// Returns the same errors as [`SessionHandle::cancel_tool_call`].
    pub async fn cancel_terminal(&self, id: &TerminalId) -> Result<(), CallError> {
        let offered = self.live.fold.with(|session| {
            let mut terminals = session.terminals().iter();
            let terminal = terminals.find(|terminal| terminal.terminal_id == *id);
            terminal.is_some_and(|terminal| terminal.can_cancel())
        });
        let params = CancelTerminalRequest::new(self.live.id.clone(), id.clone());
        self.cancel_one::<TerminalCancel>(offered, &params).await
    }

    async fn cancel_one<M: Call>(
        &self,
        offered: bool,
        params: &M::Params,
    ) -> Result<(), CallError> {
        // A session that began in version 2 may go on in version 1.
        if !offered || !self.shared.is_v2() {
            let (method, capability) = (M::ROW.name, "capabilities.cancel for it");
            return Err(CallError::NotOffered { method, capability });
        }
        self.live.peer.call::<M>(params).within(self.shared.options.quick).await.map(drop)
    }

    /// Sets the config option with this id or, if there is none, the first option of this category,
    /// such as `model`. The value is that of a choice, or a boolean for a switch: `true` or
    /// `false`. If the agent has modes or models instead of options, this function sets those. It
    /// works during turns and between them. Afterwards the session shows the value that the agent
    /// settled on.
    ///
    /// # Errors
    /// Returns an error if there is no such option, or if it does not accept the value. The error
    /// names the valid options or values, and nothing was sent.
    pub async fn set(
        &self,
        name: &str,
        value: impl Into<SessionConfigOptionValue>,
    ) -> Result<(), SetError> {
        let (request, source) = self.live.fold.with(|session| {
            let request = session.config().check_set(name, value)?;
            let source = session.config().source(&request.config_id);
            Ok::<_, SetError>((request, source))
        })?;
        match (source, &request.value) {
            (OptionSource::Modes, SessionConfigOptionValue::ValueId(mode)) => {
                self.send_mode(mode.as_str()).await
            }
            (OptionSource::Models, SessionConfigOptionValue::ValueId(model)) => {
                self.send_model(model.as_str()).await
            }
            _ => self.send_option(&request).await,
        }
    }

    /// Sets the mode: by the config option for it, or by `session/set_mode` if the agent offers
    /// only modes.
    ///
    /// # Errors
    /// Returns the same errors as [`SessionHandle::set`].
    pub async fn set_mode(&self, mode: &str) -> Result<(), SetError> {
        match self.set("mode", mode).await {
            // Some agents have options and also modes that are not options.
            Err(SetError::Value(attache_session::SetError::UnknownOption { .. }))
                if self.has_mode(mode) =>
            {
                self.send_mode(mode).await
            }
            outcome => outcome,
        }
    }

    /// Sets the session's title, if the agent offers that. Returns the title as the agent stored
    /// it, which the session shows from then on. The agent may replace it later.
    ///
    /// # Errors
    /// Returns the same errors as [`crate::AgentConnection::set_title`].
    pub async fn set_title(&self, title: impl Into<String>) -> Result<String, CallError> {
        self.shared.set_title(self.live.id.clone(), title.into()).await
    }

    /// Closes the session, if the agent offers that. The agent ends its running work, and the
    /// client ignores later updates. A session that the agent does not know counts as closed.
    ///
    /// # Errors
    /// Returns an error if the agent does not offer it (nothing was sent then), refuses, does not
    /// answer in time, or is gone.
    pub async fn close(&self) -> Result<(), CallError> {
        let (sessions, id) = (self.shared.sessions.clone(), self.live.id.clone());
        let params = CloseSessionRequest::new(id.clone());
        let fold_reply = move |reply: &Result<(), CallError>| {
            if reply.as_ref().map_or_else(is_unknown, |()| true) {
                sessions.remove(&id);
            }
        };
        let quick = Some(self.shared.options.quick);
        match self.shared.call::<SessionClose>(&params, quick, fold_reply).await {
            Err(error) if !is_unknown(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn has_mode(&self, mode: &str) -> bool {
        let modes = self.live.fold.with(|session| session.config().modes());
        modes.is_some_and(|modes| {
            modes.available_modes.iter().any(|available| available.id == *mode)
        })
    }

    async fn send_option(&self, request: &SetSessionConfigOptionRequest) -> Result<(), SetError> {
        let live = self.live.clone();
        let fold_reply = move |options: &Result<EventBody, CallError>| {
            if let Ok(options) = options {
                // CONF-04, CONF-24.
                live.apply([options.clone()]);
            }
        };
        let quick = Some(self.shared.options.quick);
        let set = self.shared.call::<SessionSetConfigOption>(request, quick, fold_reply);
        set.await.map(drop).map_err(SetError::Call)
    }

    /// Fails on a connection of version 2, which has only config options. A session that began in
    /// version 1 may still show modes or models.
    fn check_version_1(&self, method: &'static str) -> Result<(), SetError> {
        match self.shared.is_v2() {
            true => {
                let capability = "modes and models, which version 2 does not have";
                Err(SetError::Call(CallError::NotOffered { method, capability }))
            }
            false => Ok(()),
        }
    }

    async fn send_mode(&self, mode: &str) -> Result<(), SetError> {
        self.check_version_1(SessionSetMode::ROW.name)?;
        let (live, chosen) = (self.live.clone(), mode.into());
        let params = SetSessionModeRequest::new(self.live.id.clone(), mode);
        let reply = self.live.peer.call_with_callback::<SessionSetMode>(&params, move |reply| {
            if reply.is_ok() {
                live.apply([EventBody::CurrentMode(chosen)]);
            }
        });
        reply.within(self.shared.options.quick).await.map(drop).map_err(SetError::Call)
    }

    async fn send_model(&self, model: &str) -> Result<(), SetError> {
        self.check_version_1(SessionSetModel::ROW.name)?;
        let (live, chosen) = (self.live.clone(), model.into());
        let params = SetSessionModelRequest::new(self.live.id.clone(), model);
        let reply = self.live.peer.call_with_callback::<SessionSetModel>(&params, move |reply| {
            let models = live.fold.with(|session| session.config().models().cloned());
            if let (Ok(_), Some(mut models)) = (reply, models) {
                models.current_model_id = chosen;
                live.apply([EventBody::Models(models)]);
            }
        });
        reply.within(self.shared.options.quick).await.map(drop).map_err(SetError::Call)
    }
}

/// The output of a terminal of the agent, in the form of a terminal of this client.
pub(crate) fn output(session: &Session, id: &TerminalId) -> Option<TerminalOutputResponse> {
    let terminal = session.terminals().iter().find(|terminal| terminal.terminal_id == *id)?;
    let mut output = TerminalOutputResponse::new(terminal.text(), terminal.dropped() > 0);
    output.exit_status = terminal.exit_status.as_ref().map(|ended| {
        let mut status = TerminalExitStatus::new();
        status.exit_code = ended.exit_code.and_then(|code| u32::try_from(code).ok());
        status.signal.clone_from(&ended.signal);
        status
    });
    Some(output)
}

/// Whether the error says that the agent does not know the session (SESS-21).
fn is_unknown(error: &CallError) -> bool {
    error.error_response().is_some_and(|refusal| refusal.code == ErrorCode::RESOURCE_NOT_FOUND)
}

impl std::fmt::Debug for SessionHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionHandle").field("id", self.id()).finish_non_exhaustive()
    }
}
