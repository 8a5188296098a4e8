//! The methods that an agent serves, in the order in which lines arrive.

use crate::serve::context::Context;
use crate::serve::unused_input_log::UnusedInputLog;
use crate::serve::{
    auth, extensions, fork, list, load, new, option_call, prompt, providers, resume,
};
use crate::session::config_options::OptionNotice;
use crate::{AuthStatusHandle, Result};
use attache_connection::{
    Agent, AgentHandler, ConnectionEnd, Handler, IncomingCall, Peer, Responder, Unhandled, Work,
};
use attache_protocol::method::{self, Side};
use attache_protocol::v1::*;
use attache_protocol::{DecodeError, Error as Refusal, Raw};
use attache_session::{ConfigOptions, EventBody};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

/// The handler of a connection. It refuses every other call until `initialize` has succeeded
/// (INIT-02).
pub(crate) struct KitHandler(AgentHandler<Served>);

/// Serves the methods after the checks that [`KitHandler`] makes.
struct Served {
    context: Arc<Context>,
    initialized: bool,
    /// The capabilities in the reply to `initialize`; calls that need any other capability are
    /// answered as unknown methods (INIT-17).
    advertised: AgentCapabilities,
    /// Reports logins to the client; present only if that is advertised (AUTHS-03).
    auth_status: Option<AuthStatusHandle>,
    log: UnusedInputLog,
}

impl KitHandler {
    pub(crate) fn new(context: Arc<Context>, log: UnusedInputLog) -> Self {
        Self(AgentHandler(Served {
            context,
            initialized: false,
            advertised: AgentCapabilities::default(),
            auth_status: None,
            log,
        }))
    }
}

impl Handler for KitHandler {
    const SIDE: Side = Side::Agent;

    fn notification(
        &mut self,
        peer: &Peer,
        name: &str,
        params: Option<&str>,
    ) -> std::result::Result<(), DecodeError> {
        self.0.notification(peer, name, params)
    }

    fn call(&mut self, call: IncomingCall<'_>) -> Work {
        if let Some(refusal) = self.0.0.login_missing(&call) {
            return call.refuse(&refusal);
        }
        if self.0.0.initialized || call.name == <method::Initialize as method::Method>::ROW.name {
            return self.0.call(call);
        }
        let error = Refusal::invalid_request(format!(
            "{} came before initialize: call initialize first",
            call.name
        ));
        call.refuse(&error)
    }

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<()> {
        self.0.poll_ready(context)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.0.unhandled(unhandled);
    }

    fn ended(&mut self, end: &ConnectionEnd) {
        self.0.ended(end);
    }
}

impl Served {
    /// Returns the error for a call that needs a login, if the user is not logged in (AUTH-01).
    /// Returns `None` for a call that is not served anyway (before `initialize`, or of a method
    /// that is not advertised): it gets another error later.
    fn login_missing(&self, call: &IncomingCall<'_>) -> Option<Refusal> {
        let row = method::Row::received_by(Side::Agent, call.name, method::Kind::Call)?;
        let served = self.initialized && self.advertises(&row.gate);
        let client = call.peer().client_capabilities().unwrap_or_default();
        served.then(|| self.context.login_missing(row, &client)).flatten()
    }

    /// Replies with the result of `work`, which is not interrupted when the call is cancelled.
    fn reply_with<M: method::Call>(
        &self,
        responder: Responder<M>,
        work: impl Future<Output = Result<M::Result>> + Send + 'static,
    ) -> Work {
        responder.later_with(|responder| async move {
            let outcome = work.await;
            let _ = responder.send(outcome.map_err(|error| error.to_reply()));
        })
    }
}

impl Agent for Served {
    fn advertises(&self, gate: &method::Gate) -> bool {
        gate.opened_by_agent(&self.advertised)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.log.unhandled(&unhandled);
    }

    fn reports_dropped(&self) -> bool {
        true
    }

    fn initialize(
        &mut self,
        params: InitializeRequest,
        responder: Responder<method::Initialize>,
    ) -> Work {
        let mut response = self.context.about.initialized(&params.client_capabilities);
        let capabilities = &mut response.agent_capabilities;
        self.context.stored.advertise(capabilities);
        capabilities.providers =
            self.context.parts.providers.as_ref().map(|_| ProvidersCapabilities::default());
        self.advertised = response.agent_capabilities.clone();
        responder.peer().set_client_capabilities(params.client_capabilities);
        self.initialized = true;
        let (context, peer) = (Arc::clone(&self.context), responder.peer().clone());
        responder.send(Ok(response));
        if context.about.reports_auth_status()
            && let Ok(status) = context.auth_status()
        {
            let handle = AuthStatusHandle::new(peer, status);
            self.auth_status = Some(handle.clone());
            context.give_status_handle(handle);
        }
        None
    }

    fn authenticate(
        &mut self,
        params: AuthenticateRequest,
        responder: Responder<method::Authenticate>,
    ) -> Work {
        auth::authenticate(&self.context, self.auth_status.as_ref(), params, responder)
    }

    fn logout(&mut self, _: LogoutRequest, responder: Responder<method::Logout>) -> Work {
        auth::logout(&self.context, self.auth_status.as_ref(), responder)
    }

    fn auth_status(
        &mut self,
        _: AuthStatusRequest,
        responder: Responder<method::AuthStatus>,
    ) -> Work {
        auth::status(&self.context, responder)
    }

    fn providers_list(
        &mut self,
        _: ListProvidersRequest,
        responder: Responder<method::ProvidersList>,
    ) -> Work {
        providers::list(&self.context, responder)
    }

    fn providers_set(
        &mut self,
        params: SetProviderRequest,
        responder: Responder<method::ProvidersSet>,
    ) -> Work {
        providers::set(&self.context, params, responder)
    }

    fn providers_disable(
        &mut self,
        params: DisableProviderRequest,
        responder: Responder<method::ProvidersDisable>,
    ) -> Work {
        providers::disable(&self.context, params, responder)
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        extensions::call(&self.context, call)
    }

    fn extension_notification(&mut self, name: &str, params: Option<Raw>, _: &Peer) {
        extensions::notification(&self.context, name, params);
    }

    fn session_new(
        &mut self,
        params: NewSessionRequest,
        responder: Responder<method::SessionNew>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| new::new(context, params, responder))
    }

    fn session_load(
        &mut self,
        params: LoadSessionRequest,
        responder: Responder<method::SessionLoad>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| load::load(context, params, responder))
    }

    fn session_resume(
        &mut self,
        params: ResumeSessionRequest,
        responder: Responder<method::SessionResume>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| resume::resume(context, params, responder))
    }

    fn session_fork(
        &mut self,
        params: ForkSessionRequest,
        responder: Responder<method::SessionFork>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| fork::fork(context, params, responder))
    }

    fn session_list(
        &mut self,
        params: ListSessionsRequest,
        responder: Responder<method::SessionList>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        self.reply_with(responder, async move {
            context.sessions.send_info()?;
            list::list(&context.stored, context.about.hides_empty_sessions(), params).await
        })
    }

    fn session_status(
        &mut self,
        params: SessionStatusRequest,
        responder: Responder<method::SessionStatusQuery>,
    ) -> Work {
        let context = Arc::clone(&self.context);
        self.reply_with(responder, async move { context.status(&params.session_id).await })
    }

    fn session_close(
        &mut self,
        params: CloseSessionRequest,
        responder: Responder<method::SessionClose>,
    ) -> Work {
        let Some(served) = self.context.remove(&params.session_id) else {
            return responder
                .send(Err(Refusal::resource_not_found_session(params.session_id.as_str())));
        };
        let context = Arc::clone(&self.context);
        self.reply_with(responder, async move {
            context.close(served, None).await.map(|()| CloseSessionResponse::new())
        })
    }

    fn session_delete(
        &mut self,
        params: DeleteSessionRequest,
        responder: Responder<method::SessionDelete>,
    ) -> Work {
        let (context, served) =
            (Arc::clone(&self.context), self.context.remove(&params.session_id));
        self.reply_with(responder, async move {
            context.delete(params.session_id, served).await.map(|()| DeleteSessionResponse::new())
        })
    }

    fn session_archive(
        &mut self,
        params: ArchiveSessionRequest,
        responder: Responder<method::SessionArchive>,
    ) -> Work {
        let (context, served) =
            (Arc::clone(&self.context), self.context.remove(&params.session_id));
        self.reply_with(responder, async move {
            context.archive(params.session_id, served).await.map(|()| ArchiveSessionResponse::new())
        })
    }

    fn session_unarchive(
        &mut self,
        params: UnarchiveSessionRequest,
        responder: Responder<method::SessionUnarchive>,
    ) -> Work {
        let (body, reply) = (EventBody::Archived(false), UnarchiveSessionResponse::new());
        self.context.note(params.session_id, body, responder, reply)
    }

    fn session_set_title(
        &mut self,
        params: SetSessionTitleRequest,
        responder: Responder<method::SessionSetTitle>,
    ) -> Work {
        let Some(title) = attache_session::title(&params.title) else {
            return responder.send(Err(Refusal::invalid_params("a title must not be blank")));
        };
        let body = EventBody::StoredTitle { title: title.clone(), by_person: true };
        self.context.note(params.session_id, body, responder, SetSessionTitleResponse::new(title))
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        responder: Responder<method::SessionSetMode>,
    ) -> Work {
        let (category, mode) =
            (SessionConfigOptionCategory::Mode, params.mode_id.as_str().to_owned());
        let reply = SetSessionModeResponse::new();
        option_call::choose(&self.context, &params.session_id, category, mode, responder, reply)
    }

    fn session_set_model(
        &mut self,
        params: SetSessionModelRequest,
        responder: Responder<method::SessionSetModel>,
    ) -> Work {
        let (category, model) =
            (SessionConfigOptionCategory::Model, params.model_id.as_str().to_owned());
        let reply = SetSessionModelResponse::new();
        option_call::choose(&self.context, &params.session_id, category, model, responder, reply)
    }

    fn session_set_config_option(
        &mut self,
        params: SetSessionConfigOptionRequest,
        responder: Responder<method::SessionSetConfigOption>,
    ) -> Work {
        let client = responder.peer().client_capabilities().unwrap_or_default();
        let pick = |_: &ConfigOptions| Ok((params.config_id, params.value));
        let reply = move |options: Vec<SessionConfigOption>| {
            SetSessionConfigOptionResponse::new(attache_session::options_for(&options, &client))
        };
        option_call::change(
            &self.context,
            &params.session_id,
            OptionNotice::Reply,
            responder,
            pick,
            reply,
        )
    }

    fn session_prompt(
        &mut self,
        params: PromptRequest,
        responder: Responder<method::SessionPrompt>,
    ) -> Work {
        let served = match self.context.sessions.get(&params.session_id) {
            Ok(served) => served,
            Err(error) => return responder.send(Err(error)),
        };
        if let Err(error) = prompt::check(&params.prompt, self.context.about.prompt_capabilities())
        {
            return responder.send(Err(error.to_reply()));
        }
        let accepted = served.session.state().accept_prompt(responder.cancelled().clone());
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| {
            prompt::serve(context, served, accepted, params.prompt, responder)
        })
    }

    fn session_cancel(&mut self, params: CancelNotification, _peer: &Peer) {
        // In a session that is not open there is nothing to cancel (CANCEL-08).
        if let Ok(served) = self.context.sessions.get(&params.session_id) {
            served.session.state().cancel_prompts();
        }
    }
}
