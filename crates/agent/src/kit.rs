//! What an agent answers: every method the kit serves, in the order in which lines arrive.

use crate::auth::AuthStatusHandle;
use crate::guard::calmly;
use crate::kept::Kept;
use crate::log::Log;
use crate::options::Told;
use crate::sessions::Sessions;
use crate::{About, Author, Result, World};
use crate::{option_call, prompt};
use attache_connection::{
    Agent, AgentHandler, End, Handler, IncomingCall, Peer, Responder, Unhandled, Work,
};
use attache_protocol::method::{self, Side};
use attache_protocol::v1::*;
use attache_protocol::{DecodeError, Error as Refusal, Raw};
use attache_session::{ConfigOptions, EventBody, Store};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// The handler of a connection: lets nothing but `initialize` through until that succeeded
/// (INIT-02).
pub(crate) struct Kit<A: Author>(AgentHandler<Served<A>>);

/// What serves the methods.
struct Served<A: Author> {
    parts: Arc<Parts<A>>,
    initialized: bool,
    /// What the client was told; calls behind anything else are unknown here (INIT-17).
    advertised: AgentCapabilities,
    /// How the client learns of logins; only if that is advertised (AUTHS-03).
    auth_status: Option<AuthStatusHandle>,
    log: Log,
}

/// What the work of calls shares.
pub(crate) struct Parts<A: Author> {
    pub(crate) author: A,
    pub(crate) about: About,
    pub(crate) world: Arc<dyn World>,
    /// Those that are open on this connection.
    pub(crate) sessions: Sessions<A::Memory>,
    /// All of them.
    pub(crate) kept: Kept,
    pub(crate) cancel_grace: Duration,
}

impl<A: Author> Kit<A> {
    pub(crate) fn new(
        author: A,
        world: Arc<dyn World>,
        store: Option<Arc<dyn Store>>,
        cancel_grace: Duration,
        log: Log,
    ) -> Self {
        let about = author.about();
        let (sessions, kept) = (Sessions::new(), Kept::new(store, about.name()));
        let parts = Arc::new(Parts { author, about, world, sessions, kept, cancel_grace });
        Self(AgentHandler(Served {
            parts,
            initialized: false,
            advertised: AgentCapabilities::default(),
            auth_status: None,
            log,
        }))
    }

    pub(crate) fn parts(&self) -> Arc<Parts<A>> {
        Arc::clone(&self.0.0.parts)
    }
}

impl<A: Author> Handler for Kit<A> {
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
            "{} came before initialize: call that first",
            call.name
        ));
        call.refuse(&error)
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_ready(context)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.0.unhandled(unhandled);
    }

    fn ended(&mut self, end: &End) {
        self.0.ended(end);
    }
}

impl<A: Author> Served<A> {
    /// Why a call is refused that needs a login (AUTH-01). Calls that are not served at all are
    /// refused as such.
    fn login_missing(&self, call: &IncomingCall<'_>) -> Option<Refusal> {
        let row = method::Row::received_by(Side::Agent, call.name, method::Kind::Call)?;
        let served = self.initialized && self.advertises(&row.gate);
        let client = call.peer().client_capabilities().unwrap_or_default();
        served.then(|| self.parts.login_missing(row, &client)).flatten()
    }

    /// Answers with what `work` comes to, whatever becomes of the caller: what was begun is carried
    /// through.
    fn answered<M: method::Call>(
        &self,
        answer: Responder<M>,
        work: impl Future<Output = Result<M::Result>> + Send + 'static,
    ) -> Work {
        answer.by(|answer| async move {
            let outcome = work.await;
            let _ = answer.send(outcome.map_err(|error| error.to_reply()));
        })
    }
}

impl<A: Author> Agent for Served<A> {
    fn advertises(&self, gate: &method::Gate) -> bool {
        gate.opened_by_agent(&self.advertised)
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.log.misfit(&unhandled);
    }

    fn reports_dropped(&self) -> bool {
        true
    }

    fn initialize(
        &mut self,
        params: InitializeRequest,
        answer: Responder<method::Initialize>,
    ) -> Work {
        let mut response = self.parts.about.initialized(&params.client_capabilities);
        self.parts.kept.advertise(&mut response.agent_capabilities);
        self.advertised = response.agent_capabilities.clone();
        answer.peer().offered_by_client(params.client_capabilities);
        self.initialized = true;
        let (parts, peer) = (Arc::clone(&self.parts), answer.peer().clone());
        answer.send(Ok(response));
        if parts.about.tells_auth_status()
            && let Ok(status) = parts.auth_status()
        {
            let handle = AuthStatusHandle::new(peer, status);
            self.auth_status = Some(handle.clone());
            // What the author does with it is the author's, and not this client's concern.
            let _ = calmly(|| {
                parts.author.auth_status_handle(handle);
                Ok(())
            });
        }
        None
    }

    fn authenticate(
        &mut self,
        params: AuthenticateRequest,
        answer: Responder<method::Authenticate>,
    ) -> Work {
        crate::auth::authenticate(&self.parts, self.auth_status.as_ref(), params, answer)
    }

    fn logout(&mut self, _: LogoutRequest, answer: Responder<method::Logout>) -> Work {
        crate::auth::logout(&self.parts, self.auth_status.as_ref(), answer)
    }

    fn auth_status(&mut self, _: AuthStatusRequest, answer: Responder<method::AuthStatus>) -> Work {
        crate::auth::status(&self.parts, answer)
    }

    fn providers_list(
        &mut self,
        _: ListProvidersRequest,
        answer: Responder<method::ProvidersList>,
    ) -> Work {
        crate::providers::list(&self.parts, answer)
    }

    fn providers_set(
        &mut self,
        params: SetProviderRequest,
        answer: Responder<method::ProvidersSet>,
    ) -> Work {
        crate::providers::set(&self.parts, params, answer)
    }

    fn providers_disable(
        &mut self,
        params: DisableProviderRequest,
        answer: Responder<method::ProvidersDisable>,
    ) -> Work {
        crate::providers::disable(&self.parts, params, answer)
    }

    fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
        crate::extension::call(&self.parts, call)
    }

    fn extension_notification(&mut self, name: &str, params: Option<Raw>, _: &Peer) {
        crate::extension::notification(&self.parts, name, params);
    }

    fn session_new(
        &mut self,
        params: NewSessionRequest,
        answer: Responder<method::SessionNew>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| crate::new::new(parts, params, answer))
    }

    fn session_load(
        &mut self,
        params: LoadSessionRequest,
        answer: Responder<method::SessionLoad>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| crate::load::load(parts, params, answer))
    }

    fn session_resume(
        &mut self,
        params: ResumeSessionRequest,
        answer: Responder<method::SessionResume>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| crate::resume::resume(parts, params, answer))
    }

    fn session_fork(
        &mut self,
        params: ForkSessionRequest,
        answer: Responder<method::SessionFork>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| crate::fork::fork(parts, params, answer))
    }

    fn session_list(
        &mut self,
        params: ListSessionsRequest,
        answer: Responder<method::SessionList>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        self.answered(answer, async move {
            parts.sessions.tell_info()?;
            crate::list::list(&parts.kept, parts.about.hides_empty_sessions(), params).await
        })
    }

    fn session_status(
        &mut self,
        params: SessionStatusRequest,
        answer: Responder<method::SessionStatusQuery>,
    ) -> Work {
        let parts = Arc::clone(&self.parts);
        self.answered(answer, async move { parts.status(&params.session_id).await })
    }

    fn session_close(
        &mut self,
        params: CloseSessionRequest,
        answer: Responder<method::SessionClose>,
    ) -> Work {
        let Some(held) = self.parts.take_out(&params.session_id) else {
            return answer
                .send(Err(Refusal::resource_not_found_session(params.session_id.as_str())));
        };
        let parts = Arc::clone(&self.parts);
        self.answered(answer, async move {
            parts.close(held, None).await.map(|()| CloseSessionResponse::new())
        })
    }

    fn session_delete(
        &mut self,
        params: DeleteSessionRequest,
        answer: Responder<method::SessionDelete>,
    ) -> Work {
        let (parts, held) = (Arc::clone(&self.parts), self.parts.take_out(&params.session_id));
        self.answered(answer, async move {
            parts.delete(params.session_id, held).await.map(|()| DeleteSessionResponse::new())
        })
    }

    fn session_archive(
        &mut self,
        params: ArchiveSessionRequest,
        answer: Responder<method::SessionArchive>,
    ) -> Work {
        let (parts, held) = (Arc::clone(&self.parts), self.parts.take_out(&params.session_id));
        self.answered(answer, async move {
            parts.archive(params.session_id, held).await.map(|()| ArchiveSessionResponse::new())
        })
    }

    fn session_unarchive(
        &mut self,
        params: UnarchiveSessionRequest,
        answer: Responder<method::SessionUnarchive>,
    ) -> Work {
        let (body, reply) = (EventBody::Archived(false), UnarchiveSessionResponse::new());
        self.parts.note(params.session_id, body, answer, reply)
    }

    fn session_set_title(
        &mut self,
        params: SetSessionTitleRequest,
        answer: Responder<method::SessionSetTitle>,
    ) -> Work {
        let Some(title) = attache_session::title(&params.title) else {
            return answer.send(Err(Refusal::invalid_params("a title must not be blank")));
        };
        let body = EventBody::StoredTitle { title: title.clone(), by_person: true };
        self.parts.note(params.session_id, body, answer, SetSessionTitleResponse::new(title))
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        answer: Responder<method::SessionSetMode>,
    ) -> Work {
        let (category, mode) =
            (SessionConfigOptionCategory::Mode, params.mode_id.as_str().to_owned());
        let reply = SetSessionModeResponse::new();
        option_call::choose(&self.parts, &params.session_id, category, mode, answer, reply)
    }

    fn session_set_model(
        &mut self,
        params: SetSessionModelRequest,
        answer: Responder<method::SessionSetModel>,
    ) -> Work {
        let (category, model) =
            (SessionConfigOptionCategory::Model, params.model_id.as_str().to_owned());
        let reply = SetSessionModelResponse::new();
        option_call::choose(&self.parts, &params.session_id, category, model, answer, reply)
    }

    fn session_set_config_option(
        &mut self,
        params: SetSessionConfigOptionRequest,
        answer: Responder<method::SessionSetConfigOption>,
    ) -> Work {
        let client = answer.peer().client_capabilities().unwrap_or_default();
        let pick = |_: &ConfigOptions| Ok((params.config_id, params.value));
        let reply = move |options: Vec<SessionConfigOption>| {
            SetSessionConfigOptionResponse::new(attache_session::options_for(&options, &client))
        };
        option_call::change(&self.parts, &params.session_id, Told::ByReply, answer, pick, reply)
    }

    fn session_prompt(
        &mut self,
        params: PromptRequest,
        answer: Responder<method::SessionPrompt>,
    ) -> Work {
        let held = match self.parts.sessions.get(&params.session_id) {
            Ok(held) => held,
            Err(error) => return answer.send(Err(error)),
        };
        if let Err(error) = prompt::check(&params.prompt, self.parts.about.prompt_capabilities()) {
            return answer.send(Err(error.to_reply()));
        }
        let ticket = held.session.accept(answer.cancelled().clone());
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| prompt::serve(parts, held, (ticket, params.prompt), answer))
    }

    fn session_cancel(&mut self, params: CancelNotification, _peer: &Peer) {
        // A cancel for a session that is not open has nothing to cancel (CANCEL-08).
        if let Ok(held) = self.parts.sessions.get(&params.session_id) {
            held.session.cancel();
        }
    }
}
