//! The tasks of one connection.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use tokio::task::{AbortHandle, JoinSet};

/// The tasks of one connection. They are aborted with it.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<Option<JoinSet<()>>>);

impl Tasks {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Some(JoinSet::new())))
    }

    /// Starts a task; `None` once the connection has ended.
    pub(super) fn spawn(
        &self,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Option<AbortHandle> {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tasks = tasks.as_mut()?;
        while tasks.try_join_next().is_some() {}
        Some(tasks.spawn(task))
    }

    /// Aborts all tasks. No further task starts.
    pub(super) fn end(&self) {
        let tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(tasks);
    }
}
