//! How often a hub restarts an agent that died.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How often a hub restarts an agent that ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestartPolicy {
    /// The maximum number of restarts: 3.
    pub at_most: usize,
    /// The period that the maximum applies to: 5 min.
    pub within: Duration,
    /// The pause before the second restart: 1 s. Each later pause is four times as long as the one
    /// before. The first restart is immediate.
    pub pause: Duration,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self { at_most: 3, within: Duration::from_secs(300), pause: Duration::from_secs(1) }
    }
}

impl RestartPolicy {
    /// No restarts.
    pub const NEVER: Self = Self { at_most: 0, within: Duration::ZERO, pause: Duration::ZERO };
}

/// The restarts of one agent.
#[derive(Debug)]
pub(crate) struct Restarts {
    policy: RestartPolicy,
    begun: VecDeque<Instant>,
}

impl Restarts {
    pub(crate) fn new(policy: RestartPolicy) -> Self {
        Self { policy, begun: VecDeque::new() }
    }

    /// Returns how long to wait before the next restart, and counts that restart; `None` if there
    /// were too many restarts.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Duration> {
        let old = |begun: &Instant| now.saturating_duration_since(*begun) > self.policy.within;
        while self.begun.front().is_some_and(old) {
            self.begun.pop_front();
        }
        if self.begun.len() >= self.policy.at_most {
            return None;
        }
        let pause = match u32::try_from(self.begun.len()).unwrap_or(u32::MAX) {
            0 => Duration::ZERO,
            before => self.policy.pause.saturating_mul(4_u32.saturating_pow(before - 1)),
        };
        self.begun.push_back(now);
        Some(pause)
    }

    /// Notes that the agent works: earlier failures no longer count.
    pub(crate) fn succeeded(&mut self) {
        self.begun.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_the_budget_is_used_up_and_time_or_success_restores_it() {
        let policy = RestartPolicy::default();
        let mut restarts = Restarts::new(policy);
        let start = Instant::now();
        let pauses: Vec<_> = (0..4).map(|_| restarts.next(start)).collect();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(pauses, [seconds(0), seconds(1), seconds(4), None]);
        assert_eq!(restarts.next(start + policy.within), None);
        assert_eq!(restarts.next(start + policy.within + Duration::from_millis(1)), seconds(0));
        restarts.succeeded();
        assert_eq!(restarts.next(start), seconds(0));
        assert_eq!(Restarts::new(RestartPolicy::NEVER).next(start), None);
    }
}
