//! What both versions serve in the same way.

use super::context::{Attached, Context};
use super::following::Following;
use super::opening::Stored;
use super::{agent_option, asking, editor, opening, refusal};
use crate::Scope;
use attache_connection::{Peer, Responder, Work};
use attache_protocol::method::{self, Gate, Method as _};
use attache_protocol::v1::{
    AgentCapabilities, Implementation, InitializeResponse, ProtocolVersion,
    SessionAdditionalDirectoriesCapabilities, SessionArchiveCapabilities, SessionCloseCapabilities,
    SessionConfigOption, SessionDeleteCapabilities, SessionForkCapabilities,
    SessionListCapabilities, SessionModeState, SessionResumeCapabilities, SessionTitleCapabilities,
};
use attache_protocol::{Error, Meta, v2};
use std::future::Future;
use std::sync::Arc;

/// The methods of one connection.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) context: Arc<Context>,
    /// Whether the handshake has succeeded.
    pub(super) initialized: bool,
}

/// A session that is open for a client.
pub(super) struct Opened {
    pub(super) attached: Arc<Attached>,
    pub(super) modes: Option<SessionModeState>,
    pub(super) options: Vec<SessionConfigOption>,
}

/// How much of the history a client gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    /// All of it, before the reply.
    Replayed,
    /// Only the state outside of the history, before the reply.
    Skipped,
    /// A new session: everything, after the reply, which tells the client the id.
    New,
    /// A copy: only the state outside of the history, after the reply.
    Copied,
}

/// The scope that a method needs. Methods that are not part of the protocol check it themselves.
pub(super) fn needed_scope(name: &str) -> Scope {
    let reading = [
        method::Initialize::ROW.name,
        method::SessionList::ROW.name,
        method::SessionLoad::ROW.name,
        method::SessionResume::ROW.name,
        method::SessionClose::ROW.name,
    ];
    match reading.contains(&name) || name.starts_with('_') {
        true => Scope::Watch,
        false => Scope::Control,
    }
}

/// What the hub can carry for some agent. What the agent of a session does not support is refused
/// when it is used.
pub(super) fn capabilities() -> AgentCapabilities {
    let mut all = AgentCapabilities { load_session: true, ..AgentCapabilities::default() };
    all.prompt_capabilities.image = true;
    all.prompt_capabilities.audio = true;
    all.prompt_capabilities.embedded_context = true;
    all.mcp_capabilities.http = true;
    all.mcp_capabilities.sse = true;
    let sessions = &mut all.session_capabilities;
    sessions.list = Some(SessionListCapabilities::default());
    sessions.resume = Some(SessionResumeCapabilities::default());
    sessions.close = Some(SessionCloseCapabilities::default());
    sessions.fork = Some(SessionForkCapabilities::default());
    sessions.delete = Some(SessionDeleteCapabilities::default());
    sessions.archive = Some(SessionArchiveCapabilities::default());
    sessions.title = Some(SessionTitleCapabilities::default());
    sessions.additional_directories = Some(SessionAdditionalDirectoriesCapabilities::default());
    all
}

impl Served {
    /// Takes the handshake of a client, and returns the reply in version 1. There are no login
    /// methods: whoever reaches the hub has logged in.
    pub(super) fn initialized(
        &mut self,
        client: Option<&Implementation>,
        meta: Option<&Meta>,
    ) -> InitializeResponse {
        if let Some(client) = client {
            let name = client.title.as_deref().filter(|title| !title.is_empty());
            self.context.client.introduce(name.unwrap_or(&client.name));
        }
        self.initialized = true;
        let mut info = Implementation::new("attache", env!("CARGO_PKG_VERSION"));
        info.title = Some("Attaché".to_owned());
        let mut response = InitializeResponse::new(ProtocolVersion::V1);
        response.agent_capabilities = capabilities();
        response.agent_capabilities.meta =
            meta.and_then(|meta| self.context.extension.negotiate(meta));
        response.agent_info = Some(info);
        response
    }

    pub(super) fn advertises(&self, gate: &Gate) -> bool {
        gate.opened_by_agent(&capabilities())
    }

    pub(super) fn advertises_v2(&self, gate: &Gate) -> bool {
        gate.opened_by_v2_agent(&v2::AgentCapabilities::from(capabilities()))
    }

    /// Opens a session with `open`, and lets the client follow it.
    pub(super) fn open<M, F>(
        &self,
        responder: Responder<M>,
        history: History,
        open: impl FnOnce(Arc<Context>) -> F + Send + 'static,
        reply: impl FnOnce(Opened) -> M::Result + Send + 'static,
    ) -> Work
    where
        M: method::Call,
        M::Result: Send,
        F: Future<Output = Result<Arc<Attached>, Error>> + Send + 'static,
    {
        let context = Arc::clone(&self.context);
        responder.later_with(move |responder| async move {
            let peer = responder.peer().clone();
            let opened = tokio::select! {
                opened = open(Arc::clone(&context)) => opened,
                () = responder.cancelled().clone().wait() => Err(Error::request_cancelled()),
            };
            let attached = match opened {
                Ok(attached) => attached,
                Err(error) => return drop(responder.send(Err(error))),
            };
            let mut following =
                Following::new(Arc::clone(&context), Arc::clone(&attached), peer.clone());
            let sent = match history {
                History::Replayed => following.replay().await,
                History::Skipped => following.skip_history().await,
                History::New | History::Copied => Ok(()),
            };
            let opened = opened_reply(&context, &attached, &peer);
            let _ = responder.send(Ok(reply(opened)));
            let sent = match history {
                History::Copied => following.skip_history().await,
                _ => sent,
            };
            match history {
                History::New | History::Copied => editor::serve(&context, &attached, &peer),
                History::Replayed | History::Skipped => {
                    editor::serve_again(&context, &attached, &peer);
                }
            }
            // Otherwise the connection has ended.
            if sent.is_ok() {
                start(&context, attached, following, peer);
            }
        })
    }

    /// Attaches a session, opens it if necessary, and sends its history before the reply.
    pub(super) fn attach<M>(
        &self,
        responder: Responder<M>,
        history: History,
        stored: Stored,
        reply: impl FnOnce(Opened) -> M::Result + Send + 'static,
    ) -> Work
    where
        M: method::Call,
        M::Result: Send,
    {
        let open = |context: Arc<Context>| async move { opening::attach(&context, stored).await };
        self.open(responder, history, open, reply)
    }

    /// Replies with the outcome of `work`, which continues if the client cancels the call.
    pub(super) fn change<M, F>(
        &self,
        responder: Responder<M>,
        work: impl FnOnce(Arc<Context>) -> F + Send + 'static,
    ) -> Work
    where
        M: method::Call,
        M::Result: Send,
        F: Future<Output = Result<M::Result, Error>> + Send + 'static,
    {
        let context = Arc::clone(&self.context);
        responder.later_with(|responder| async move {
            let outcome = work(context).await;
            let _ = responder.send(outcome);
        })
    }

    /// The error for a method that the client's scope does not allow.
    pub(super) fn scope_missing(&self, method: &str) -> Option<Error> {
        refusal::scope(&self.context.client, method, needed_scope(method))
    }
}

fn opened_reply(context: &Context, attached: &Arc<Attached>, peer: &Peer) -> Opened {
    Opened {
        modes: attached.session.snapshot().config().modes(),
        options: agent_option::options(context, attached, peer),
        attached: Arc::clone(attached),
    }
}

/// Starts to follow the session and to ask its questions.
fn start(context: &Arc<Context>, attached: Arc<Attached>, following: Following, peer: Peer) {
    let asking = asking::run(Arc::clone(context), Arc::clone(&attached), peer);
    let tasks = [context.tasks.spawn(following.run()), context.tasks.spawn(asking)];
    attached.own_tasks(tasks.into_iter().flatten());
}

/// Starts to follow a session that replaces another one under the same id.
pub(super) fn follow_moved(context: &Arc<Context>, attached: Arc<Attached>, peer: Peer) {
    editor::serve(context, &attached, &peer);
    let following = Following::new(Arc::clone(context), Arc::clone(&attached), peer.clone());
    start(context, attached, following, peer);
}
