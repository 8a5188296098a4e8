//! The tasks of one connection. They end with it.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use tokio::task::JoinSet;

/// Owns every task of a connection: its driver, and one for each turn in flight.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    /// Starts a task; it runs until it ends or [`Tasks::abort`].
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }

    /// Aborts all tasks.
    pub(crate) fn abort(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}
