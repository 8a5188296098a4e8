//! Stops a restore that is being planned or made.

use crate::take::control::TakeControl;
use std::sync::Arc;

/// Stops a restore that is being planned or made. Shared by the thread that restores and by others.
#[derive(Debug, Clone, Default)]
pub struct RestoreControl(Arc<TakeControl>);

impl RestoreControl {
    /// Stops the restore before the next file. Files that are restored already stay so, and the
    /// restore can be undone. A restore that has changed nothing yet fails with
    /// [`RestoreError::Stopped`](crate::RestoreError::Stopped).
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Returns whether [`stop`](Self::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }

    /// The control of the checkpoint before the restore.
    pub(crate) fn of_take(&self) -> Arc<TakeControl> {
        self.0.clone()
    }
}
