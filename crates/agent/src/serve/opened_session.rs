//! Opening a session: the steps that `session/new`, `load`, `resume` and `fork` have in common.

use crate::author::erased_author::Memory;
use crate::author::erased_parts::BoxFuture;
use crate::author::opening::Chosen;
use crate::serve::context::Context;
use crate::serve::guard::{catch_panic, read_first, run_guarded};
use crate::serve::session_request::SessionRequest;
use crate::session::client_update::ClientUpdate;
use crate::session::config_options;
use crate::session::open_session::OpenSession;
use crate::session::outgoing_slot::OutgoingSlot;
use crate::session::state::{Reply, State};
use crate::store::records::SYSTEM_PROMPT;
use crate::store::stored_session::{Records, StoredSession};
use crate::{Error, Opening, Result, SessionHandle, trace};
use attache_connection::{Cancelled, Peer};
use attache_protocol::v1::{SessionConfigOption, SessionId, SessionModeState};
use attache_protocol::v2::IdleStateUpdate;
use attache_protocol::{Error as Refusal, Patch, Raw, encode};
use attache_session::{Commit, Event, EventBody, Log, Origin, Session};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session that its author has opened and that the client does not know yet. Dropping it leaves
/// the session unopened.
pub(crate) struct OpenedSession {
    session: Arc<OpenSession>,
    /// Dropped before the slot, so that a session that was not opened sends nothing.
    close_on_drop: CloseOnDrop,
    /// The place of the reply.
    slot: OutgoingSlot,
    memory: Memory,
    chosen: Chosen,
    /// The session as it was before its author opened it.
    before: Session,
}

/// The options and modes in the reply.
pub(crate) struct ReplyOptions {
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) modes: Option<SessionModeState>,
}

/// Sends the reply to a call that opens a session.
pub(crate) type OpenReply = Box<dyn FnOnce(std::result::Result<ReplyOptions, Refusal>) + Send>;

/// Releases the log if the session was not opened, even if other handles to it exist.
struct CloseOnDrop(Option<Arc<OpenSession>>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            session.defer(|state| state.close());
        }
    }
}

/// Finishes a call that opens a session: waits for `opening`, replies after everything that it
/// sends, and only then lets the session accept prompts. A call that was cancelled or failed leaves
/// no trace: the session that was `created` for it is deleted, because no client knows its id.
pub(crate) async fn reply_when_open(
    context: &Context,
    created: Option<&SessionId>,
    opening: BoxFuture<'_, Result<(OpenedSession, ReplyOptions)>>,
    cancelled: Cancelled,
    reply: OpenReply,
) {
    read_first().await;
    match run_guarded(opening, Box::pin(cancelled.wait())).await {
        Ok((opened, options)) => opened.announce(context, Box::new(|_| reply(Ok(options)))),
        Err(error) => {
            trace::session_not_opened(&error);
            if let Some(created) = created {
                let _ = context.stored.delete(created).await;
            }
            reply(Err(error.to_reply()));
        }
    }
}

/// Lets the author open a session with this history. New events go to `log`.
pub(crate) async fn open(
    context: &Context,
    request: &SessionRequest,
    roots: Vec<PathBuf>,
    origin: Origin,
    past: StoredSession,
    log: Box<dyn Log>,
    peer: &Peer,
) -> Result<OpenedSession> {
    let StoredSession { session: before, records } = past;
    let environment = Arc::clone(&context.environment);
    let session = OpenSession::new(before.clone(), roots, peer.clone(), environment, log);
    let session = Arc::new(session);
    // Updates that are made before the reply are sent after it (SESS-26).
    let slot = OutgoingSlot::new(&session, &mut session.state());
    let close_on_drop = CloseOnDrop(Some(Arc::clone(&session)));
    let system_prompt = request.system_prompt.as_ref().or(records.system_prompt.as_ref());
    // Instructions that this version of the agent cannot apply as a whole are not applied in part.
    let system_prompt = system_prompt
        .filter(|prompt| crate::author::system_prompt::check(prompt, &context.about).is_ok());
    {
        let mut state = session.state();
        state.records = records.numbers.clone();
        state.keep_checkpoint = context.store_methods.map(|methods| methods.keep_checkpoint());
        record_opening(&mut state, request, &origin, &records);
    }
    let mut chosen = Chosen::default();
    let opening = Opening {
        session_id: &session.id,
        cwd: session.roots.first().map_or(Path::new("/"), PathBuf::as_path),
        roots: &session.roots,
        mcp_servers: &request.mcp_servers,
        client: &session.client(),
        origin: &origin,
        remembered: &records.remembered,
        session: &before,
        system_prompt,
        handle: SessionHandle::of(&session),
        chosen: &mut chosen,
    };
    let memory = context.author.open(opening).await?;
    if let Some(options) = &mut chosen.options {
        config_options::check(options)?;
        *options = restored(context, &before, std::mem::take(options));
        config_options::check(options)?;
    }
    trace::session_opened(&session.id, &origin);
    Ok(OpenedSession { session, slot, memory, chosen, before, close_on_drop })
}

impl Context {
    /// Returns the error of a request to open a stored session, for an agent without a store. In
    /// version 2, such an agent also serves `session/resume`.
    pub(crate) fn not_stored(&self, request: SessionRequest, session: &SessionId) -> Error {
        match request.check(&self.about).and_then(|_| self.sessions.check_free(session)) {
            Ok(()) => self.stored.not_found(session),
            Err(error) => error,
        }
    }

    /// Returns the log of a stored session that is not open. An open session is refused, because
    /// the client must not receive updates of one session from two sources.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`](crate::Error::Invalid) if the session is open on this connection,
    /// or [`Error::Store`](crate::Error::Store) if it is open elsewhere or cannot be read.
    pub(crate) async fn open_log(&self, session: &SessionId) -> Result<Box<dyn Log>> {
        self.sessions.check_free(session)?;
        let log = self.stored.open(session).await;
        if log.is_err() {
            // Another call may have opened it meanwhile.
            self.sessions.check_free(session)?;
        }
        log
    }
}

/// Records the first events: the end of a turn that a killed process left open, and the values of
/// the client's request.
fn record_opening(state: &mut State, request: &SessionRequest, origin: &Origin, records: &Records) {
    for body in state.session.recovery_events() {
        state.record(body);
    }
    state.record(EventBody::Opened {
        cwd: request.cwd.clone(),
        additional_directories: request.additional_directories.clone(),
        origin: origin.clone(),
        agent: None,
    });
    if let Some(system_prompt) = &request.system_prompt
        && records.system_prompt.as_ref() != Some(system_prompt)
        // `encode` always writes JSON.
        && let Ok(value) = Raw::from_text(&encode(system_prompt))
    {
        state.record(EventBody::Record { name: SYSTEM_PROMPT.to_owned(), value });
    }
    // A fork is not archived (FORK-02).
    if matches!(origin, Origin::Forked(_)) && state.session.is_archived() {
        state.record(EventBody::Archived(false));
    }
}

/// Returns the author's current options with the stored values, as if each value were set now, so
/// that the author can change dependent options. A value that the author refuses is replaced by the
/// default.
fn restored(
    context: &Context,
    before: &Session,
    current: Vec<SessionConfigOption>,
) -> Vec<SessionConfigOption> {
    let defaults = current.clone();
    attache_session::restored_options(current, before.config().options(), |id, options| {
        let mut changed = options.clone();
        match catch_panic(|| context.author.option_set(before.id(), id, &mut changed)) {
            Ok(()) => {
                *options = changed;
                true
            }
            Err(_) => {
                let refused = options.iter_mut().find(|option| option.id == *id);
                let default = defaults.iter().find(|option| option.id == *id);
                if let (Some(refused), Some(default)) = (refused, default) {
                    *refused = default.clone();
                }
                false
            }
        }
    })
}

impl OpenedSession {
    /// Marks the session as open: options and commands are set, and its log continues with the
    /// events since opening began. Returns these events and the options in the reply.
    pub(crate) fn settle(&mut self) -> (Vec<Event>, ReplyOptions) {
        let mut state = self.session.state();
        let stored = self.before.config().options();
        let options = match self.chosen.options.take() {
            Some(options) => Some(options),
            // If the author no longer has options, the stored ones are removed, unless they were
            // set while the session was opened.
            None => {
                (!stored.is_empty() && state.session.config().options() == stored).then(Vec::new)
            }
        };
        if let Some(options) =
            options.filter(|options| *options != state.session.config().options())
        {
            state.record(EventBody::ConfigOptions(options));
        }
        let commands = std::mem::take(&mut self.chosen.commands);
        if state.session.commands() != commands {
            state.record(EventBody::Commands(commands));
        }
        let config = state.session.config();
        let options = match config.options() {
            [] => ReplyOptions { config_options: None, modes: None },
            options => ReplyOptions {
                config_options: Some(attache_session::options_for(options, &self.session.client())),
                modes: config.modes(),
            },
        };
        (state.opened(), options)
    }

    /// Removes the waiting updates that the replay contains. A replay never contains notices.
    pub(crate) fn replayed(&self) {
        self.session.state().outgoing.retain(ClientUpdate::is_notice);
    }

    /// Sends the commands after the reply, which has no field for them (CMD-01).
    pub(crate) fn send_commands(&self) {
        let mut state = self.session.state();
        let commands = EventBody::Commands(state.session.commands().to_vec());
        if let (false, Some(update)) =
            (state.session.commands().is_empty(), state.update(&commands))
        {
            state.outgoing.push(update);
        }
    }

    /// Sends how full the context is, after the reply (USE-09).
    pub(crate) fn send_usage(&self) {
        let mut state = self.session.state();
        let usage = state.session.usage();
        let Some(used) = usage.used() else { return };
        let costs = usage.costs().iter().cloned().map(Patch::Set);
        let costs: Vec<_> =
            if usage.costs().is_empty() { vec![Patch::Keep] } else { costs.collect() };
        let size = usage.size();
        for cost in costs {
            let update = state.update(&EventBody::Usage { used, size, cost });
            update.into_iter().for_each(|update| state.outgoing.push(update));
        }
    }

    /// Tells a client of version 2 before the reply that no turn runs in the session (V2-25).
    pub(crate) fn send_idle(&self) -> Result<()> {
        self.session.state().send_work_state(IdleStateUpdate::new().into())
    }

    /// Stores the session in the state that the reply will confirm.
    pub(crate) fn stored(&self) -> Commit {
        self.session.state().commit()
    }

    /// Lets the session accept prompts, and queues `reply` before everything else of the session.
    fn announce(self, context: &Context, reply: Reply) {
        let Self { session, mut close_on_drop, slot, memory, .. } = self;
        close_on_drop.0 = None;
        context.sessions.insert(session, memory);
        slot.leave(reply);
    }
}
