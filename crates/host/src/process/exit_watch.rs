//! Reports how a process tree ended.

use std::sync::Arc;

use tokio::sync::watch;

use crate::process::exit::Exit;

/// Reports how a tree ended. Cheap to clone. It does not keep the tree alive.
#[derive(Debug, Clone)]
pub(crate) struct ExitWatch(Arc<watch::Sender<Option<Exit>>>);

impl ExitWatch {
    /// Returns the watch of a tree that runs.
    pub(crate) fn new() -> ExitWatch {
        ExitWatch(Arc::new(watch::Sender::new(None)))
    }

    /// Records how the program ended. The whole tree is gone.
    pub(crate) fn ended(&self, exit: Exit) {
        self.0.send_replace(Some(exit));
    }

    /// Returns how the program ended, once the whole tree is gone.
    pub(crate) fn exit(&self) -> Option<Exit> {
        *self.0.borrow()
    }

    /// Waits until the whole tree is gone. Cancel-safe, for any number of callers.
    pub(crate) async fn wait(&self) -> Exit {
        let mut changes = self.0.subscribe();
        match changes.wait_for(Option::is_some).await {
            Ok(exit) => exit.unwrap_or(Exit::UNKNOWN),
            // The sender is in `self`, so it cannot be gone.
            Err(_) => Exit::UNKNOWN,
        }
    }
}
