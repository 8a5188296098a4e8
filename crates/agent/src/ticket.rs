//! A prompt's place in its session: accepted, perhaps cancelled, in the end answered.

use attache_connection::Cancelled;
use tokio::sync::watch;

/// Where an accepted prompt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Wanted: it runs, or waits for its turn.
    Wanted,
    /// `session/cancel` came.
    Cancelled,
    /// Its reply is queued.
    Over,
}

/// Held by whoever works on the prompt.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    /// Unique in the session; later prompts have higher numbers.
    pub(crate) number: u64,
    stage: watch::Receiver<Stage>,
    /// `$/cancel_request` on the prompt itself means the same as `session/cancel` (CANCEL-20).
    request: Cancelled,
}

impl Ticket {
    pub(crate) fn new(number: u64, stage: watch::Receiver<Stage>, request: Cancelled) -> Self {
        Self { number, stage, request }
    }

    /// Whether the prompt is over.
    pub(crate) fn is_over(&self) -> bool {
        *self.stage.borrow() == Stage::Over
    }

    /// Whether the client took the prompt back.
    pub(crate) fn is_cancelled(&self) -> bool {
        *self.stage.borrow() == Stage::Cancelled || self.request.is_cancelled()
    }

    /// Waits until nobody wants the prompt's work any more: cancelled or over.
    pub(crate) async fn unwanted(&self) {
        let mut stage = self.stage.clone();
        let mut changed = std::pin::pin!(stage.wait_for(|stage| *stage != Stage::Wanted));
        let mut request = std::pin::pin!(self.request.clone().wait());
        std::future::poll_fn(|context| {
            if changed.as_mut().poll(context).is_ready() {
                return std::task::Poll::Ready(());
            }
            request.as_mut().poll(context)
        })
        .await;
    }
}
