//! What an agent answers: every method the kit serves, in the order in which lines arrive.

use crate::guard::{after_reading, calmly, guarded};
use crate::options::{Told, of_category};
use crate::prompt;
use crate::sessions::{Held, Sessions};
use crate::{About, Author, Error, Result, Turn, World};
use attache_connection::{Agent, AgentHandler, Answer, End, Handler, IncomingCall, Misfit, Peer, Work};
use attache_protocol::method::{self, Side};
use attache_protocol::v1::*;
use attache_protocol::{DecodeError, Error as Refusal};
use attache_session::{ConfigOptions, EventBody};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// The handler of a connection: lets nothing but `initialize` through until that succeeded (INIT-02).
pub(crate) struct Kit<A: Author>(AgentHandler<Served<A>>);

/// What serves the methods.
struct Served<A: Author> {
    parts: Arc<Parts<A>>,
    initialized: bool,
    /// What the client was told; calls behind anything else are unknown here (INIT-17).
    advertised: AgentCapabilities,
}

/// What the work of calls shares.
pub(crate) struct Parts<A: Author> {
    pub(crate) author: A,
    pub(crate) about: About,
    pub(crate) world: Arc<dyn World>,
    pub(crate) sessions: Sessions<A::Memory>,
    pub(crate) cancel_grace: Duration,
}

impl<A: Author> Kit<A> {
    pub(crate) fn new(author: A, world: Arc<dyn World>, cancel_grace: Duration) -> Self {
        let about = author.about();
        let parts = Arc::new(Parts { author, about, world, sessions: Sessions::new(), cancel_grace });
        Self(AgentHandler(Served { parts, initialized: false, advertised: AgentCapabilities::default() }))
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
        if self.0.0.initialized || call.name == <method::Initialize as method::Method>::ROW.name {
            return self.0.call(call);
        }
        let error =
            Refusal::invalid_request(format!("{} came before initialize: call that first", call.name));
        call.refuse(&error)
    }

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.0.poll_ready(context)
    }

    fn misfit(&mut self, misfit: Misfit<'_>) {
        self.0.misfit(misfit);
    }

    fn ended(&mut self, end: &End) {
        self.0.ended(end);
    }
}

impl<A: Author> Served<A> {
    /// A client's change of options, and its reply (CONF-02, CONF-18): both before the next line is looked at.
    fn change_options<M: method::Call>(
        &self,
        session: &SessionId,
        told: Told,
        answer: Answer<M>,
        pick: impl FnOnce(&ConfigOptions) -> Result<(SessionConfigId, SessionConfigOptionValue)>,
        reply: impl FnOnce(Vec<SessionConfigOption>) -> M::Result,
    ) -> Work {
        let held = match self.parts.sessions.get(session) {
            Ok(held) => held,
            Err(error) => return answer.send(Err(error)),
        };
        let client = answer.peer().client_capabilities().unwrap_or_default();
        let change = |config: &ConfigOptions| {
            let (id, value) = pick(config)?;
            let mut options = config
                .with_value(id.as_str(), &value, &client)
                .map_err(|error| Error::Invalid(error.to_string()))?;
            calmly(|| self.parts.author.option_set(session, &id, &mut options))?;
            Ok(options)
        };
        held.session.change_options(told, change, |outcome| {
            answer.send(outcome.map(reply).map_err(|error| error.to_reply()))
        })
    }

    /// What `session/set_mode` and the retired `session/set_model` mean: a value of the select of that category.
    fn choose<M: method::Call>(
        &self,
        session: &SessionId,
        category: &SessionConfigOptionCategory,
        value: &str,
        answer: Answer<M>,
        reply: M::Result,
    ) -> Work {
        let pick = |config: &ConfigOptions| match of_category(config, category) {
            Some(option) => Ok((option.id.clone(), SessionConfigOptionValue::from(value))),
            None => Err(Error::invalid(format!("this session has no {category} to choose"))),
        };
        self.change_options(session, Told::ByUpdate, answer, pick, |_| reply)
    }

    /// Ends what runs in a session and takes it out, then replies: behind the replies of its prompts (SESS-23, SESS-25).
    fn end_session<M: method::Call>(
        &self,
        held: Arc<Held<A::Memory>>,
        answer: Answer<M>,
        reply: M::Result,
    ) -> Work
    where
        M::Result: Send,
    {
        self.parts.sessions.remove(&held.session.id);
        held.session.cancel();
        answer.by(|answer| async move {
            held.session.front_is(None).await;
            let memory = held.memory.lock().await.take();
            // What an author's destructor does is the author's, and not this client's concern.
            let _ = calmly(|| {
                drop(memory);
                Ok(())
            });
            let _ = answer.send(Ok(reply));
        })
    }
}

impl<A: Author> Agent for Served<A> {
    fn advertises(&self, gate: &method::Gate) -> bool {
        gate.opened_by_agent(&self.advertised)
    }

    fn initialize(&mut self, params: InitializeRequest, answer: Answer<method::Initialize>) -> Work {
        let response = self.parts.about.initialized(&params.client_capabilities);
        self.advertised = response.agent_capabilities.clone();
        answer.peer().offered_by_client(params.client_capabilities);
        self.initialized = true;
        answer.send(Ok(response))
    }

    fn authenticate(&mut self, params: AuthenticateRequest, answer: Answer<method::Authenticate>) -> Work {
        let parts = Arc::clone(&self.parts);
        if parts.about.login(params.method_id.as_str()).is_none() {
            let message = format!("{} is no login that authenticate can carry out here", params.method_id);
            return answer.send(Err(Refusal::invalid_params(message)));
        }
        answer.later(async move {
            after_reading().await;
            let login =
                guarded(async { parts.author.authenticate(&params.method_id).await }, std::future::pending());
            login.await.map(|()| AuthenticateResponse::new()).map_err(|error| error.to_reply())
        })
    }

    fn session_new(&mut self, params: NewSessionRequest, answer: Answer<method::SessionNew>) -> Work {
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| crate::opening::open(parts, params, answer))
    }

    fn session_list(&mut self, params: ListSessionsRequest, answer: Answer<method::SessionList>) -> Work {
        answer.send(self.parts.sessions.list(&params).map_err(|error| error.to_reply()))
    }

    fn session_close(&mut self, params: CloseSessionRequest, answer: Answer<method::SessionClose>) -> Work {
        match self.parts.sessions.get(&params.session_id) {
            Ok(held) => self.end_session(held, answer, CloseSessionResponse::new()),
            Err(error) => answer.send(Err(error)),
        }
    }

    fn session_delete(
        &mut self,
        params: DeleteSessionRequest,
        answer: Answer<method::SessionDelete>,
    ) -> Work {
        match self.parts.sessions.get(&params.session_id) {
            Ok(held) => self.end_session(held, answer, DeleteSessionResponse::new()),
            // One that is gone already counts as deleted (DEL-03).
            Err(_) => answer.send(Ok(DeleteSessionResponse::new())),
        }
    }

    fn session_set_title(
        &mut self,
        params: SetSessionTitleRequest,
        answer: Answer<method::SessionSetTitle>,
    ) -> Work {
        let held = match self.parts.sessions.get(&params.session_id) {
            Ok(held) => held,
            Err(error) => return answer.send(Err(error)),
        };
        let Some(title) = attache_session::title(&params.title) else {
            return answer.send(Err(Refusal::invalid_params("a title must not be blank")));
        };
        let mut state = held.session.state();
        state.record(EventBody::StoredTitle { title: title.clone(), by_person: true });
        answer.send(Ok(SetSessionTitleResponse::new(title)))
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        answer: Answer<method::SessionSetMode>,
    ) -> Work {
        let (category, mode) = (SessionConfigOptionCategory::Mode, params.mode_id.as_str());
        self.choose(&params.session_id, &category, mode, answer, SetSessionModeResponse::new())
    }

    fn session_set_model(
        &mut self,
        params: SetSessionModelRequest,
        answer: Answer<method::SessionSetModel>,
    ) -> Work {
        let (category, model) = (SessionConfigOptionCategory::Model, params.model_id.as_str());
        self.choose(&params.session_id, &category, model, answer, SetSessionModelResponse::new())
    }

    fn session_set_config_option(
        &mut self,
        params: SetSessionConfigOptionRequest,
        answer: Answer<method::SessionSetConfigOption>,
    ) -> Work {
        let client = answer.peer().client_capabilities().unwrap_or_default();
        let pick = |_: &ConfigOptions| Ok((params.config_id, params.value));
        self.change_options(&params.session_id, Told::ByReply, answer, pick, |options| {
            SetSessionConfigOptionResponse::new(attache_session::options_for(&options, &client))
        })
    }

    fn session_prompt(&mut self, params: PromptRequest, answer: Answer<method::SessionPrompt>) -> Work {
        let held = match self.parts.sessions.get(&params.session_id) {
            Ok(held) => held,
            Err(error) => return answer.send(Err(error)),
        };
        if let Err(error) = prompt::check(&params.prompt, self.parts.about.prompt_capabilities()) {
            return answer.send(Err(error.to_reply()));
        }
        let ticket = held.session.accept(answer.cancelled().clone());
        let parts = Arc::clone(&self.parts);
        answer.by(|answer| async move {
            after_reading().await;
            let turn = Turn::new(Arc::clone(&held.session), ticket, params.prompt);
            let outcome = prompt::run(&parts, &held, &turn).await;
            held.session.answer(turn.ticket(), outcome, answer);
        })
    }

    fn session_cancel(&mut self, params: CancelNotification, _peer: &Peer) {
        // A cancel for a session that is not open has nothing to cancel (CANCEL-08).
        if let Ok(held) = self.parts.sessions.get(&params.session_id) {
            held.session.cancel();
        }
    }
}
