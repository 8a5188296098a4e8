//! Finds out that a peer is gone although its connection looks open.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Asks for a ping when nothing arrived for a while, and gives the peer up when nothing arrived
/// after that either.
pub(super) struct KeepAlive {
    interval: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    last: Instant,
    pinged: bool,
}

/// What is due.
pub(super) enum Due {
    Ping,
    Gone,
}

impl KeepAlive {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, timer: None, last: Instant::now(), pinged: false }
    }

    /// Notes that something arrived. The timer finds out when it rings, so that this costs little.
    pub(super) fn received(&mut self) {
        self.last = Instant::now();
        self.pinged = false;
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Due> {
        loop {
            let waits = if self.pinged { 2 } else { 1 };
            let deadline = self.last + self.interval * waits;
            let timer =
                self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
            ready!(timer.as_mut().poll(context));
            if timer.deadline() >= deadline {
                break;
            }
            timer.as_mut().reset(deadline);
        }
        self.timer = None;
        let pinged = std::mem::replace(&mut self.pinged, true);
        Poll::Ready(if pinged { Due::Gone } else { Due::Ping })
    }
}
