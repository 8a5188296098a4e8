//! The watches of a connection.

use super::refusal;
use crate::live::LiveSession;
use attache_protocol::Error;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// The largest number of watches of a connection.
const MOST: usize = 64;

/// The watches of a connection. They end when this is dropped.
#[derive(Default)]
pub(super) struct Watches(Mutex<State>);

#[derive(Default)]
struct State {
    last: u64,
    has_ended: bool,
    watches: BTreeMap<u64, Watch>,
}

/// A watch. Ends when it is dropped.
struct Watch {
    session: Option<Arc<WatchedSession>>,
    /// Empty until the client has the number of the watch.
    task: JoinSet<()>,
}

/// A session that a client watches.
pub(super) struct WatchedSession {
    pub(super) live: Arc<LiveSession>,
    /// The first row that the client has. Changes of earlier rows are not sent.
    pub(super) floor: AtomicUsize,
    /// Held while rows are read and queued, so that the client gets them in order.
    pub(super) order: Arc<tokio::sync::Mutex<()>>,
}

impl Watches {
    /// Adds a watch and returns its number.
    pub(super) fn add(&self, session: Option<Arc<WatchedSession>>) -> Result<u64, Error> {
        let mut state = self.state();
        if state.watches.len() >= MOST {
            let what = "this connection has 64 watches: end one with `_attache/unwatch` first";
            return Err(refusal::wrong(what));
        }
        state.last += 1;
        let number = state.last;
        state.watches.insert(number, Watch { session, task: JoinSet::new() });
        Ok(number)
    }

    /// Begins a watch, unless the client ended it.
    pub(super) fn begin(&self, number: u64, watching: impl Future<Output = ()> + Send + 'static) {
        let mut state = self.state();
        let has_ended = state.has_ended;
        if let Some(watch) = state.watches.get_mut(&number).filter(|_| !has_ended) {
            watch.task.spawn(watching);
        }
    }

    /// Ends a watch.
    pub(super) fn remove(&self, number: u64) -> Result<(), Error> {
        let removed = self.state().watches.remove(&number);
        removed.map(drop).ok_or_else(|| no_watch(number))
    }

    /// Returns the session of a watch.
    pub(super) fn session(&self, number: u64) -> Result<Arc<WatchedSession>, Error> {
        let state = self.state();
        let watch = state.watches.get(&number).and_then(|watch| watch.session.clone());
        watch.ok_or_else(|| no_watch(number))
    }

    /// Ends all watches. No further one begins.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        state.watches.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn no_watch(number: u64) -> Error {
    refusal::wrong(format!(
        "no session is watched as {number} (field `watch`): begin with `_attache/watch_session`"
    ))
}
