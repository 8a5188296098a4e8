//! The lock of an open session. Destructors never wait for it: what they settle may have to be
//! settled by the thread that holds the lock, and that thread may be their own.

use crate::open_session::OpenSession;
use crate::state::State;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Something that a destructor left to be settled.
type Step = Box<dyn FnOnce(&OpenSession, &mut State) + Send>;

/// The state of a session, and what destructors could not settle because it was locked.
pub(crate) struct SessionLock {
    state: Mutex<State>,
    left: Mutex<Vec<Step>>,
}

/// The locked state. Whatever was left to be settled before is settled.
pub(crate) struct Locked<'s> {
    state: MutexGuard<'s, State>,
    /// Dropped behind the guard: what was left meanwhile is settled then.
    _settles: Settles<'s>,
}

struct Settles<'s>(&'s OpenSession);

impl SessionLock {
    pub(crate) fn new(state: State) -> Self {
        Self { state: Mutex::new(state), left: Mutex::default() }
    }

    fn next_step(&self) -> Option<Step> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        // In the order in which they were left.
        (!left.is_empty()).then(|| left.remove(0))
    }

    fn is_settled(&self) -> bool {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl OpenSession {
    /// A panic under the lock can only be one of ours, between two whole steps; the state is used
    /// as it is.
    pub(crate) fn state(&self) -> Locked<'_> {
        let mut state = self.lock.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.settle_left(&mut state);
        Locked { state, _settles: Settles(self) }
    }

    /// Settles something in a destructor: now if the session is not locked, else before anything
    /// else happens in it.
    pub(crate) fn settle_on_drop(&self, step: impl FnOnce(&Self, &mut State) + Send + 'static) {
        self.lock.left.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(step));
        self.settle_if_free();
    }

    /// Whoever holds the lock looks once more behind its release, so nothing is left for longer
    /// than the lock is held.
    fn settle_if_free(&self) {
        while !self.lock.is_settled() {
            let mut state = match self.lock.state.try_lock() {
                Ok(state) => state,
                Err(TryLockError::Poisoned(state)) => state.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            self.settle_left(&mut state);
        }
    }

    fn settle_left(&self, state: &mut State) {
        while let Some(step) = self.lock.next_step() {
            step(self, state);
        }
    }
}

impl Drop for Settles<'_> {
    fn drop(&mut self) {
        self.0.settle_if_free();
    }
}

impl Deref for Locked<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}
