//! The time of day, which tests can set.

use std::fmt;
use std::time::SystemTime;

/// Says what time it is.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}
