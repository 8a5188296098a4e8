//! How long taking a checkpoint may last.

use crate::take::control::TakeControl;
use crate::take::stamp::nanos;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// How much of a budget is set aside for storing what was found, at most.
const LONGEST_RESERVE: Duration = Duration::from_secs(1);

/// How long taking a checkpoint may last, and since when changes may be the agent's.
#[derive(Debug, Clone)]
pub struct Budget {
    /// When to stop. The checkpoint is then incomplete and lists what it lacks.
    pub until: Instant,
    /// When the prompt was sent, if it was sent before the checkpoint is complete. A file counts as
    /// kept only if its size, modification time and change time are from before.
    pub sent_at: Option<SystemTime>,
    /// Says so while the checkpoint is taken: that the prompt is sent, or that taking must stop.
    pub control: Arc<TakeControl>,
}

impl Budget {
    /// Returns a budget of this duration from now.
    pub fn lasting(duration: Duration) -> Self {
        Self { until: Instant::now() + duration, sent_at: None, control: Arc::default() }
    }

    /// Returns the same budget for a checkpoint that is completed after the prompt was sent.
    #[must_use]
    pub fn after_prompt(self, sent_at: SystemTime) -> Self {
        Self { sent_at: Some(sent_at), ..self }
    }

    /// Returns the same budget with this control.
    #[must_use]
    pub fn with_control(self, control: Arc<TakeControl>) -> Self {
        Self { control, ..self }
    }

    /// Since when changes may be the agent's; `None` if the prompt was not sent yet. Read this
    /// after the content of a file, because the prompt may be sent meanwhile.
    fn sent_at(&self) -> Option<SystemTime> {
        self.sent_at.or_else(|| self.control.sent_at())
    }

    /// Since when changes may be the agent's, and the time now, in nanoseconds.
    pub(crate) fn sent(&self) -> Option<(i64, i64)> {
        self.sent_at().map(|sent| (nanos(sent), nanos(SystemTime::now())))
    }

    /// Returns the part of the budget for finding and reading files. The rest is for storing what
    /// was found.
    pub(crate) fn for_reading(&self) -> Self {
        let left = self.until.saturating_duration_since(Instant::now());
        let reserve = (left * 2 / 5).min(LONGEST_RESERVE);
        Self { until: self.until.checked_sub(reserve).unwrap_or(self.until), ..self.clone() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.control.is_stopped() || Instant::now() >= self.until
    }
}
