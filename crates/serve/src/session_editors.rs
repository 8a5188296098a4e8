//! Which connection serves the files and the terminals of each open session.

use crate::acp_sessions::SessionName;
use attache_client::{EditorTerminals, HubSession, UnsavedText};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What an editor serves for the agent of a session.
pub(crate) struct Offer {
    pub(crate) texts: Option<Arc<dyn UnsavedText>>,
    pub(crate) terminals: Option<Arc<dyn EditorTerminals>>,
}

/// Why a connection may serve a session.
#[derive(Debug)]
pub(crate) enum Claim {
    /// It opened the session. With a key, the editor can claim the session from a later connection.
    Opened(Option<String>),
    /// Its editor has this key, as it had when it opened the session from an earlier connection.
    Again(String),
}

/// Which connection serves each open session.
#[derive(Debug, Default)]
pub(crate) struct SessionEditors(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of the last connection that began to serve.
    last: u64,
    /// The editors that serve a session, or may do so again.
    editors: HashMap<SessionName, Editor>,
}

#[derive(Debug)]
struct Editor {
    /// The number of the connection that serves now.
    connection: Option<u64>,
    key: Option<String>,
}

impl SessionEditors {
    /// Lets a connection serve a session until the returned value is dropped. Returns `None` if the
    /// session belongs to another editor. `is_open` says which sessions are remembered.
    pub(crate) fn serve(
        self: &Arc<Self>,
        (name, session): (SessionName, &HubSession),
        claim: Claim,
        offer: Offer,
        is_open: impl Fn(&SessionName) -> bool,
    ) -> Option<Serving> {
        let mut state = self.state();
        state.editors.retain(|known, _| is_open(known));
        let key = match claim {
            Claim::Opened(key) => key,
            Claim::Again(key) => {
                let known = state.editors.get(&name);
                if known.is_some_and(|editor| editor.key.as_ref() != Some(&key)) {
                    return None;
                }
                Some(key)
            }
        };
        state.last += 1;
        let number = state.last;
        state.editors.insert(name.clone(), Editor { connection: Some(number), key });
        // While the state is locked: an earlier connection that ends now must not undo it.
        session.set_unsaved_text(offer.texts);
        session.set_editor_terminals(offer.terminals);
        Some(Serving { editors: Arc::clone(self), name, session: session.clone(), number })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that serves a session, unless a later one took its place.
#[derive(Debug)]
pub(crate) struct Serving {
    editors: Arc<SessionEditors>,
    name: SessionName,
    session: HubSession,
    number: u64,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let mut state = self.editors.state();
        let Some(editor) = state.editors.get_mut(&self.name) else { return };
        if editor.connection != Some(self.number) {
            return;
        }
        editor.connection = None;
        // Nobody could claim the session with a key.
        if editor.key.is_none() {
            state.editors.remove(&self.name);
        }
        self.session.set_unsaved_text(None);
        self.session.set_editor_terminals(None);
    }
}
