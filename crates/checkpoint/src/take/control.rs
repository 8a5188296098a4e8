//! Tells a checkpoint that is being taken what happens meanwhile.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// Tells a checkpoint that is being taken what happens meanwhile. Shared by the thread that takes
/// it and by others.
#[derive(Debug, Default)]
pub struct TakeControl {
    sent_at: OnceLock<SystemTime>,
    stopped: AtomicBool,
}

impl TakeControl {
    /// Notes that the prompt is sent at this time. Only the first call has an effect.
    pub fn prompt_sent(&self, at: SystemTime) {
        // The first prompt decides.
        let _ = self.sent_at.set(at);
    }

    /// Stops taking the checkpoint soon. It is then incomplete, as if the time had run out.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    pub(crate) fn sent_at(&self) -> Option<SystemTime> {
        self.sent_at.get().copied()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}
