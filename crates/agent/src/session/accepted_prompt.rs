//! A prompt that its session accepted: active, perhaps cancelled, finally answered.

use attache_connection::Cancelled;
use tokio::sync::watch;

/// The phase of an accepted prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptPhase {
    /// The prompt runs or waits for its turn.
    Active,
    /// `session/cancel` arrived.
    Cancelled,
    /// The reply is queued.
    Answered,
}

/// A handle to an accepted prompt, for everything that works on it.
#[derive(Debug, Clone)]
pub(crate) struct AcceptedPrompt {
    /// Unique in the session; later prompts have higher numbers.
    pub(crate) number: u64,
    phase: watch::Receiver<PromptPhase>,
    /// `$/cancel_request` on the prompt itself means the same as `session/cancel` (CANCEL-20).
    request: Cancelled,
}

impl AcceptedPrompt {
    pub(crate) fn new(
        number: u64,
        phase: watch::Receiver<PromptPhase>,
        request: Cancelled,
    ) -> Self {
        Self { number, phase, request }
    }

    /// Returns whether the reply to the prompt is queued.
    pub(crate) fn is_answered(&self) -> bool {
        *self.phase.borrow() == PromptPhase::Answered
    }

    /// Returns whether the client cancelled the prompt.
    pub(crate) fn is_cancelled(&self) -> bool {
        *self.phase.borrow() == PromptPhase::Cancelled || self.request.is_cancelled()
    }

    /// Waits until the prompt is cancelled or answered.
    pub(crate) async fn ended(&self) {
        let mut phase = self.phase.clone();
        let mut changed = std::pin::pin!(phase.wait_for(|phase| *phase != PromptPhase::Active));
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
