//! Runs blocking work on its own thread, and cancels it when its future is dropped.

use attache_agent::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether the result of the work is still wanted. Long work checks this flag between its
/// parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Whether the work should stop, because its result is no longer wanted.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

struct CancelOnDrop(CancelFlag);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread where it may block. If the future is dropped, the [`CancelFlag`] is set,
/// and the result is discarded.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
) -> Result<T> {
    let wanted = CancelFlag::default();
    let _waiting = CancelOnDrop(wanted.clone());
    let done = tokio::task::spawn_blocking(move || work(&wanted)).await;
    done.map_err(|error| Error::caused("a tool of the agent failed", error))
}

#[cfg(test)]
mod tests {
    use super::blocking;
    use std::sync::mpsc::channel;

    #[tokio::test]
    async fn work_learns_that_its_future_was_dropped() {
        let (begun, begins) = tokio::sync::oneshot::channel();
        let (ended, ends) = channel();
        let work = blocking(move |wanted| {
            begun.send(()).unwrap();
            while !wanted.is_cancelled() {
                std::thread::yield_now();
            }
            ended.send(()).unwrap();
        });
        tokio::select! {
            _ = work => panic!("the work ended by itself"),
            _ = begins => {}
        }
        ends.recv().unwrap();
    }
}
