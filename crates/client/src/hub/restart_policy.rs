//! How often a hub restarts an agent that died, and when it tries again to reach a remote one.

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
    /// The longest pause between two attempts to reach a remote agent: 1 min. These attempts go on,
    /// with pauses that grow from `pause`, until the agent answers or a person stops it: a server
    /// or a network that is away is no fault of the agent.
    pub longest_pause: Duration,
}

impl Default for RestartPolicy {
    fn default() -> Self {
        Self {
            at_most: 3,
            within: Duration::from_secs(300),
            pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
        }
    }
}

impl RestartPolicy {
    /// No restarts, and no further attempts to reach a remote agent.
    pub const NEVER: Self = Self {
        at_most: 0,
        within: Duration::ZERO,
        pause: Duration::ZERO,
        longest_pause: Duration::ZERO,
    };
}

/// The restarts of one agent.
#[derive(Debug)]
pub(crate) struct Restarts {
    policy: RestartPolicy,
    begun: VecDeque<Instant>,
    /// The attempts to reach a remote agent since it was last reached.
    attempts: u32,
}

impl Restarts {
    pub(crate) fn new(policy: RestartPolicy) -> Self {
        Self { policy, begun: VecDeque::new(), attempts: 0 }
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
            before => self.grown(before - 1),
        };
        self.begun.push_back(now);
        Some(pause)
    }

    /// Returns how long to wait before the next attempt to reach a remote agent; `None` if the
    /// policy is to restart nothing.
    pub(crate) fn next_attempt(&mut self) -> Option<Duration> {
        if self.policy.at_most == 0 {
            return None;
        }
        let pause = self.grown(self.attempts).min(self.policy.longest_pause);
        self.attempts = self.attempts.saturating_add(1);
        Some(pause)
    }

    /// Notes that the agent answered: the next pause is the shortest again.
    pub(crate) fn reached(&mut self) {
        self.attempts = 0;
    }

    fn grown(&self, times: u32) -> Duration {
        self.policy.pause.saturating_mul(4_u32.saturating_pow(times))
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

    #[test]
    fn attempts_to_reach_an_agent_go_on_with_pauses_up_to_the_longest() {
        let mut restarts = Restarts::new(RestartPolicy::default());
        let mut pauses = || restarts.next_attempt().unwrap().as_secs();
        assert_eq!([pauses(), pauses(), pauses(), pauses()], [1, 4, 16, 60]);
        assert!((0..1000).all(|_| pauses() == 60));
        restarts.reached();
        assert_eq!(restarts.next_attempt(), Some(Duration::from_secs(1)));
        assert_eq!(Restarts::new(RestartPolicy::NEVER).next_attempt(), None);
    }
}
