//! Opening a session: what `session/new`, `load`, `resume` and `fork` have in common.

use crate::guard::{after_reading, calmly, guarded};
use crate::kit::Parts;
use crate::line_up::Place;
use crate::open_session::{OpenSession, State};
use crate::opening::Chosen;
use crate::past::{Past, Records};
use crate::remember::SYSTEM_PROMPT;
use crate::setup::Setup;
use crate::{Author, Opening, Result, SessionHandle};
use attache_connection::{Peer, Responder};
use attache_protocol::method::Call;
use attache_protocol::v1::{SessionConfigOption, SessionId, SessionModeState, SessionUpdate};
use attache_protocol::{Raw, encode};
use attache_session::{Commit, Event, EventBody, Log, Origin, Session};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session whose author has opened it, and which the client does not know yet. Dropped, it was
/// never there.
pub(crate) struct Opened<M> {
    session: Arc<OpenSession>,
    /// Dropped before the place, as nothing must leave a session that was not opened after all.
    unfinished: Unfinished,
    /// That of the reply.
    place: Place,
    memory: M,
    chosen: Chosen,
    /// As it was before its author opened it.
    before: Session,
}

/// What the reply says of the session.
pub(crate) struct Shown {
    pub(crate) config_options: Option<Vec<SessionConfigOption>>,
    pub(crate) modes: Option<SessionModeState>,
}

/// Gives the log back if the session was not opened after all, whoever else has a handle to it.
struct Unfinished(Option<Arc<OpenSession>>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            session.settle_on_drop(|_, state| state.close());
        }
    }
}

/// Answers a call that opens a session: behind everything that `begun` sends, and only then does
/// the session take prompts. One that was cancelled or failed leaves no trace: a session `made` for
/// this call is deleted, since nobody knows its id.
pub(crate) async fn answer<A: Author, M: Call>(
    parts: &Parts<A>,
    answer: Responder<M>,
    made: Option<&SessionId>,
    begun: impl Future<Output = Result<(Opened<A::Memory>, Shown)>>,
    reply: impl FnOnce(Shown) -> M::Result + Send + 'static,
) {
    after_reading().await;
    match guarded(begun, answer.cancelled().clone().wait()).await {
        Ok((opened, shown)) => opened.announce(parts, || {
            let _ = answer.send(Ok(reply(shown)));
        }),
        Err(error) => {
            if let Some(made) = made {
                let _ = parts.kept.delete(made).await;
            }
            let _ = answer.send(Err(error.to_reply()));
        }
    }
}

/// Lets the author open a session with this past, which goes on in `log`.
pub(crate) async fn open<A: Author>(
    parts: &Parts<A>,
    (setup, roots): (&Setup, Vec<PathBuf>),
    origin: Origin,
    past: Past,
    (log, peer): (Box<dyn Log>, &Peer),
) -> Result<Opened<A::Memory>> {
    let Past { session: before, records } = past;
    let world = Arc::clone(&parts.world);
    let (session, place) = OpenSession::opening(before.clone(), roots, peer.clone(), world, log);
    let unfinished = Unfinished(Some(Arc::clone(&session)));
    let system_prompt = setup.system_prompt.as_ref().or(records.system_prompt.as_ref());
    // One that the agent of today cannot apply whole is not applied in part.
    let system_prompt =
        system_prompt.filter(|prompt| crate::system_prompt::check(prompt, &parts.about).is_ok());
    begin(&mut session.state(), setup, &origin, &records);
    let mut chosen = Chosen::default();
    let opening = Opening {
        session_id: &session.id,
        cwd: session.roots.first().map_or(Path::new("/"), PathBuf::as_path),
        roots: &session.roots,
        mcp_servers: &setup.mcp_servers,
        client: &peer.client_capabilities().unwrap_or_default(),
        origin: &origin,
        remembered: &records.remembered,
        session: &before,
        system_prompt,
        handle: SessionHandle::of(&session),
        chosen: &mut chosen,
    };
    let memory = parts.author.open(opening).await?;
    if let Some(options) = &mut chosen.options {
        crate::options::check(options)?;
        *options = restored(parts, &before, std::mem::take(options));
        crate::options::check(options)?;
    }
    Ok(Opened { session, place, memory, chosen, before, unfinished })
}

impl<A: Author> Parts<A> {
    /// The log of a stored session that is not open. What a client sees of a session comes from one
    /// place only, so one that is open is refused: it can be closed first.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it is open on this connection; [`Error::Store`] if it is open
    /// elsewhere or cannot be had.
    pub(crate) async fn log_of(&self, session: &SessionId) -> Result<Box<dyn Log>> {
        self.sessions.is_free(session)?;
        let log = self.kept.open(session).await;
        if log.is_err() {
            // Another call may have opened it meanwhile.
            self.sessions.is_free(session)?;
        }
        log
    }
}

/// What happens first: a turn that a dead writer left open is settled, and the session is here with
/// what the client asked for.
fn begin(state: &mut State, setup: &Setup, origin: &Origin, records: &Records) {
    for body in state.session.recovery_events() {
        state.record(body);
    }
    state.record(EventBody::Opened {
        cwd: setup.cwd.clone(),
        additional_directories: setup.additional_directories.clone(),
        origin: origin.clone(),
        agent: None,
    });
    if let Some(system_prompt) = &setup.system_prompt
        && records.system_prompt.as_ref() != Some(system_prompt)
        // What `encode` writes is JSON.
        && let Ok(value) = Raw::from_text(&encode(system_prompt))
    {
        state.record(EventBody::Record { name: SYSTEM_PROMPT.to_owned(), value });
    }
    // A fork is nobody's archive yet (FORK-02).
    if matches!(origin, Origin::Forked(_)) && state.session.is_archived() {
        state.record(EventBody::Archived(false));
    }
}

/// The author's options of today with the values that were stored; what depends on them is the
/// author's to say, as if each were set anew. A value that the author refuses gives way to the
/// option's own.
fn restored<A: Author>(
    parts: &Parts<A>,
    before: &Session,
    now: Vec<SessionConfigOption>,
) -> Vec<SessionConfigOption> {
    let own = now.clone();
    attache_session::restored_options(now, before.config().options(), |id, options| {
        let mut changed = options.clone();
        match calmly(|| parts.author.option_set(before.id(), id, &mut changed)) {
            Ok(()) => {
                *options = changed;
                true
            }
            Err(_) => {
                let refused = options.iter_mut().find(|option| option.id == *id);
                let own = own.iter().find(|option| option.id == *id);
                if let (Some(refused), Some(own)) = (refused, own) {
                    *refused = own.clone();
                }
                false
            }
        }
    })
}

impl<M> Opened<M> {
    /// The session is open from now on: options and commands are set, and its log goes on with what
    /// happened since it was opened. That is given back, with what the reply says.
    pub(crate) fn settle(&mut self) -> (Vec<Event>, Shown) {
        let mut state = self.session.state();
        let stored = self.before.config().options();
        let options = match self.chosen.options.take() {
            Some(options) => Some(options),
            // Options of a session whose author has none today are gone, unless they were set while
            // it was opened.
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
        let client = self.session.peer.client_capabilities().unwrap_or_default();
        let config = state.session.config();
        let shown = match config.options() {
            [] => Shown { config_options: None, modes: None },
            options => Shown {
                config_options: Some(attache_session::options_for(options, &client)),
                modes: config.modes(),
            },
        };
        (state.opened(), shown)
    }

    /// Forgets what was said meanwhile and is in the replay; notices are in none.
    pub(crate) fn replayed(&self) {
        self.session.state().line_up.retain(|update| matches!(update, SessionUpdate::Notice(_)));
    }

    /// Tells the commands behind the reply: there is no place for them in it (CMD-01).
    pub(crate) fn tell_commands(&self) {
        let mut state = self.session.state();
        let commands = EventBody::Commands(state.session.commands().to_vec());
        if let (false, Some(update)) = (state.session.commands().is_empty(), commands.to_update()) {
            state.line_up.push(update);
        }
    }

    /// Tells how full the context is, behind the reply (USE-09).
    pub(crate) fn tell_usage(&self) {
        let mut state = self.session.state();
        let usage = state.session.usage();
        let Some(used) = usage.used() else { return };
        let client = self.session.peer.client_capabilities().unwrap_or_default();
        let costs = usage.costs().iter().cloned().map(Some);
        let costs: Vec<_> = if usage.costs().is_empty() { vec![None] } else { costs.collect() };
        let size = usage.size();
        for cost in costs {
            let update = EventBody::Usage { used, size, cost }.to_update_for(&client);
            update.into_iter().for_each(|update| state.line_up.push(update));
        }
    }

    /// Is done when the session is stored as the reply will say.
    pub(crate) fn stored(&self) -> Commit {
        self.session.state().commit()
    }

    /// The session takes prompts, and `reply` is queued before anything else of it.
    pub(crate) fn announce<A>(self, parts: &Parts<A>, reply: impl FnOnce() + Send + 'static)
    where
        A: Author<Memory = M>,
    {
        let Self { session, mut unfinished, place, memory, .. } = self;
        unfinished.0 = None;
        parts.sessions.insert(session, memory);
        place.leave(|_, _| reply());
    }
}
