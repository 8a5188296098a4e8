//! The cancellation of one incoming call: a switch and what watches it.

use attache_protocol::Error;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Whether a call was cancelled; cheap to clone.
#[derive(Debug, Clone)]
pub struct Cancelled(Arc<Switch>);

/// Tells one incoming call's work that the caller does not want it any more.
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
    /// Whether it has been.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// What `work` comes to; once cancelled it is dropped where it stands (CANCEL-14).
    pub(crate) async fn or<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
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

    /// Waits until it is; for ever if that never happens.
    pub async fn wait(self) {
        loop {
            // Waiting begins before the look, so a cancel in between is not missed.
            let turned = self.0.turned.notified();
            if self.is_cancelled() {
                return;
            }
            turned.await;
        }
    }
}
