//! The cancellation of one incoming call.

use attache_protocol::Error;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Tells whether a call was cancelled. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Cancelled(Arc<Switch>);

/// Cancels one incoming call.
#[derive(Debug)]
pub(crate) struct CancelSwitch(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    cancelled: AtomicBool,
    turned: Notify,
}

impl CancelSwitch {
    pub(crate) fn new() -> (Self, Cancelled) {
        let switch = Arc::<Switch>::default();
        (Self(switch.clone()), Cancelled(switch))
    }

    pub(crate) fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.turned.notify_waiters();
    }
}

impl Cancelled {
    /// Returns whether the caller cancelled the call.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Runs `work` to its end, or drops it when the call is cancelled (CANCEL-14).
    ///
    /// # Errors
    /// Returns the error of `work`, or `-32800` if the call is cancelled first.
    pub async fn or<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut work = std::pin::pin!(work);
        let mut cancelled = std::pin::pin!(self.clone().wait());
        std::future::poll_fn(|context| {
            if let std::task::Poll::Ready(outcome) = work.as_mut().poll(context) {
                return std::task::Poll::Ready(outcome);
            }
            cancelled.as_mut().poll(context).map(|()| Err(Error::request_cancelled()))
        })
        .await
    }

    /// Waits until the call is cancelled. If it is never cancelled, this never returns.
    pub async fn wait(self) {
        loop {
            // Start waiting before the check, so that a cancellation in between is not missed.
            let turned = self.0.turned.notified();
            if self.is_cancelled() {
                return;
            }
            turned.await;
        }
    }
}
