//! One open session: a handle to its state, shared by everything that works on it.

use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::deferring_mutex::{DeferringMutex, Locked};
use crate::session::null_log::NullLog;
use crate::session::signals::SessionSignals;
use crate::session::state::State;
use crate::session::terminal_releaser::{PendingReleases, TerminalReleaser};
use crate::{Environment, Error, Result};
use attache_connection::Peer;
use attache_protocol::v1::{ClientCapabilities, SessionId};
use attache_session::{EventBody, Log, Session};
use std::path::PathBuf;
use std::sync::Arc;

/// A session that is open, or is being opened.
pub(crate) struct OpenSession {
    pub(crate) id: SessionId,
    /// The working directory, then the additional directories.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) peer: Peer,
    /// Held while options change, so that changes do not overtake one another. The lock is fair:
    /// changes are made in the order in which they were requested.
    pub(crate) changing_options: tokio::sync::Mutex<()>,
    pub(crate) signals: Arc<SessionSignals>,
    state: Arc<DeferringMutex<State>>,
}

impl OpenSession {
    /// Makes a session that is being opened, with the history `stored`. New events go to `log`.
    pub(crate) fn new(
        stored: Session,
        roots: Vec<PathBuf>,
        peer: Peer,
        environment: Arc<dyn Environment>,
        log: Box<dyn Log>,
    ) -> Self {
        Self::with(stored, roots, peer, environment, log, Arc::default())
    }

    /// Makes the session of a subagent: the client knows it, and its events are not stored.
    pub(crate) fn subagent(
        id: SessionId,
        parent: &Self,
        environment: Arc<dyn Environment>,
        pending: Arc<PendingReleases>,
        opened: EventBody,
    ) -> Self {
        let (roots, peer) = (parent.roots.clone(), parent.peer.clone());
        let empty = Session::new(id);
        let session = Self::with(empty, roots, peer, environment, Box::new(NullLog), pending);
        {
            let mut state = session.state();
            state.opened();
            state.outgoing.announce();
            state.record(opened);
        }
        session
    }

    fn with(
        stored: Session,
        roots: Vec<PathBuf>,
        peer: Peer,
        environment: Arc<dyn Environment>,
        log: Box<dyn Log>,
        pending: Arc<PendingReleases>,
    ) -> Self {
        let id = stored.id().clone();
        let signals = Arc::new(SessionSignals::new());
        let terminals = TerminalReleaser::new(peer.clone(), id.clone(), pending);
        let shared = Arc::clone(&signals);
        let state = State::new(stored, environment, log, shared, terminals, peer.clone());
        Self {
            id,
            roots,
            peer,
            changing_options: tokio::sync::Mutex::default(),
            signals,
            state: Arc::new(DeferringMutex::new(state)),
        }
    }

    /// Returns what the client supports.
    pub(crate) fn client(&self) -> Arc<ClientCapabilities> {
        self.peer.client_capabilities().unwrap_or_default()
    }

    /// Locks the state.
    pub(crate) fn state(&self) -> Locked<'_, State> {
        self.state.lock()
    }

    /// The lock itself, which the session of a subagent shares with its parent's turn.
    pub(crate) fn shared_state(&self) -> &Arc<DeferringMutex<State>> {
        &self.state
    }

    /// Runs `step` from a destructor: now if the state is not locked; otherwise before anything
    /// else happens in the session.
    pub(crate) fn defer(&self, step: impl FnOnce(&mut State) + Send + 'static) {
        self.state.defer(step);
    }

    /// Runs `step` under the lock, if the turn of `prompt` runs and is not cancelled.
    ///
    /// # Errors
    /// Returns [`Error::Cancelled`] or [`Error::Over`].
    pub(crate) fn in_turn<T>(
        &self,
        prompt: &AcceptedPrompt,
        step: impl FnOnce(&mut State) -> T,
    ) -> Result<T> {
        self.in_turn_even_cancelled(prompt, |state| match prompt.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(step(state)),
        })?
    }

    /// Runs `step` even after a cancel: it ends something that was begun (CANCEL-04).
    ///
    /// # Errors
    /// Returns [`Error::Over`] if the turn does not run.
    pub(crate) fn in_turn_even_cancelled<T>(
        &self,
        prompt: &AcceptedPrompt,
        step: impl FnOnce(&mut State) -> T,
    ) -> Result<T> {
        let mut state = self.state();
        match state.runs(prompt) {
            true => Ok(step(&mut state)),
            false => Err(Error::Over),
        }
    }

    /// Like [`OpenSession::in_turn_even_cancelled`], but for destructors: never waits, and does
    /// nothing after the turn.
    pub(crate) fn defer_in_turn(
        &self,
        prompt: &AcceptedPrompt,
        step: impl FnOnce(&mut State) + Send + 'static,
    ) {
        let prompt = prompt.clone();
        self.defer(move |state| {
            if state.runs(&prompt) {
                step(state);
            }
        });
    }

    /// Waits until fewer events wait to be stored, so that memory stays bounded with a slow disk.
    ///
    /// # Errors
    /// Returns [`Error::Store`] if the session cannot be stored.
    pub(crate) async fn wait_for_store(&self) -> Result<()> {
        if self.signals.is_backlogged() {
            let commit = {
                let state = self.state();
                // Another commit may have stored it meanwhile.
                state.is_backlogged().then(|| state.commit())
            };
            if let Some(commit) = commit {
                commit.await.map_err(Error::Store)?;
            }
            self.signals.set_backlogged(false);
        }
        Ok(())
    }

    /// Waits for room in the connection and for the store. Everything that sends outside of a turn
    /// awaits this first.
    ///
    /// # Errors
    /// Returns [`Error::Disconnected`] or [`Error::Store`].
    pub(crate) async fn wait_for_room(&self) -> Result<()> {
        self.peer.wait_for_room().await?;
        self.wait_for_store().await
    }
}

impl std::fmt::Debug for OpenSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSession").field("id", &self.id).finish_non_exhaustive()
    }
}
