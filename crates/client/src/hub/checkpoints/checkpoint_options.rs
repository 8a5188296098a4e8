//! How a hub takes checkpoints.

use attache_checkpoint::Store;
use std::time::Duration;

/// How long a prompt waits for its checkpoint, unless the options say otherwise.
const WAIT: Duration = Duration::from_millis(300);

/// How a hub takes checkpoints of the folders of its sessions.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CheckpointOptions {
    /// The store of the checkpoints.
    pub store: Store,
    /// The longest time that a prompt waits for the checkpoint before it. The hub then sends the
    /// prompt and completes the checkpoint meanwhile. Files that change after the prompt was sent
    /// count as not kept.
    pub wait: Duration,
}

impl CheckpointOptions {
    /// Keeps checkpoints in `store`. A prompt waits at most 300 ms.
    pub fn new(store: Store) -> Self {
        Self { store, wait: WAIT }
    }

    /// Sets the longest time that a prompt waits.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}
