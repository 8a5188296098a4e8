//! What a connection serves, in either version: the author, the sessions, and what was advertised.

use crate::serve::context::Context;
use crate::serve::prompt::{self, ServedPrompt};
use crate::serve::unused_input_log::UnusedInputLog;
use crate::{AuthStatusHandle, Result};
use attache_connection::{Cancelled, Responder, Work};
use attache_protocol::Error as Refusal;
use attache_protocol::method::{self, Row};
use attache_protocol::v1::{
    AgentCapabilities, ClientCapabilities, InitializeResponse, PromptRequest, ProvidersCapabilities,
};
use attache_protocol::v2;
use std::sync::Arc;

/// Serves the methods after the checks that [`KitHandler`] makes.
///
/// [`KitHandler`]: crate::serve::kit_handler::KitHandler
#[derive(Clone)]
pub(crate) struct Served {
    pub(crate) context: Arc<Context>,
    /// Whether the handshake has succeeded.
    pub(crate) initialized: bool,
    /// The capabilities in the reply to `initialize`; calls that need any other capability are
    /// answered as unknown methods (INIT-17).
    pub(crate) advertised: AgentCapabilities,
    /// The same capabilities in version 2.
    pub(crate) advertised_v2: v2::AgentCapabilities,
    /// Reports logins to the client; present only if that is advertised (AUTHS-03).
    pub(crate) auth_status: Option<AuthStatusHandle>,
    pub(crate) log: UnusedInputLog,
}

impl Served {
    pub(crate) fn new(context: Arc<Context>, log: UnusedInputLog) -> Self {
        Self {
            context,
            initialized: false,
            advertised: AgentCapabilities::default(),
            advertised_v2: v2::AgentCapabilities::default(),
            auth_status: None,
            log,
        }
    }

    /// Returns the reply to `initialize` for a client with these capabilities, and advertises what
    /// it says.
    pub(crate) fn initialized(&mut self, client: &ClientCapabilities) -> InitializeResponse {
        let mut response = self.context.about.initialized(client);
        let capabilities = &mut response.agent_capabilities;
        self.context.stored.advertise(capabilities);
        capabilities.providers =
            self.context.parts.providers.as_ref().map(|_| ProvidersCapabilities::default());
        self.advertised = response.agent_capabilities.clone();
        self.advertised_v2 = self.advertised.clone().into();
        self.initialized = true;
        response
    }

    /// Replies to `initialize`, and then reports logins.
    pub(crate) fn reply_to_initialize<M: method::Call>(
        &mut self,
        response: M::Result,
        responder: Responder<M>,
    ) -> Work {
        let peer = responder.peer().clone();
        responder.send(Ok(response));
        if self.context.about.reports_auth_status()
            && let Ok(status) = self.context.auth_status()
        {
            let handle = AuthStatusHandle::new(peer, status);
            self.auth_status = Some(handle.clone());
            self.context.give_status_handle(handle);
        }
        None
    }

    /// Returns the error for a call of this row that needs a login, if the user is not logged in
    /// (AUTH-01). Returns `None` for a call that is not served anyway (before `initialize`, or of a
    /// method that is not advertised): it gets another error later.
    pub(crate) fn login_missing(&self, row: &Row, client: &ClientCapabilities) -> Option<Refusal> {
        let advertised = match row.version {
            v2::ProtocolVersion::V2 => row.gate.opened_by_v2_agent(&self.advertised_v2),
            _ => row.gate.opened_by_agent(&self.advertised),
        };
        (self.initialized && advertised).then(|| self.context.login_missing(row, client)).flatten()
    }

    /// Accepts a prompt if its session is open and the agent supports its content.
    pub(crate) fn accept_prompt(
        &self,
        params: &PromptRequest,
        cancelled: &Cancelled,
    ) -> std::result::Result<ServedPrompt, Refusal> {
        let served = self.context.sessions.get(&params.session_id)?;
        prompt::check(&params.prompt, self.context.about.prompt_capabilities())
            .map_err(|error| error.to_reply())?;
        let accepted = served.session.state().accept_prompt(cancelled.clone());
        Ok(ServedPrompt { context: Arc::clone(&self.context), served, accepted })
    }
}

/// Replies with the result of `work`, which is not interrupted when the call is cancelled.
pub(crate) fn reply_with<M: method::Call>(
    responder: Responder<M>,
    work: impl Future<Output = Result<M::Result>> + Send + 'static,
) -> Work {
    responder.later_with(|responder| async move {
        let outcome = work.await;
        let _ = responder.send(outcome.map_err(|error| error.to_reply()));
    })
}
