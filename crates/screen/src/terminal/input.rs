//! Events of the terminal: keys, pastes, the mouse, focus, sizes.

use super::modes;
use crossterm::event::{self, Event, EventStream};
use futures_core::Stream as _;
use rustix::termios;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::time::Duration;

/// The number of events after which other work of the screen gets a turn. The reply of a clipboard
/// can be millions of events.
const BURST: u32 = 256;

/// The events of the terminal.
#[derive(Debug)]
pub(crate) struct Input {
    /// `None` while another program has the terminal.
    events: Option<EventStream>,
    /// How many events are left until other work of the screen gets a turn.
    burst: u32,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self { events: Some(EventStream::new()), burst: BURST }
    }

    /// Waits for the next event; `None` if the terminal is closed. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Event>> {
        if self.burst == 0 {
            self.burst = BURST;
            tokio::task::yield_now().await;
        }
        self.burst -= 1;
        match &mut self.events {
            Some(events) => poll_fn(|context| Pin::new(&mut *events).poll_next(context)).await,
            None => pending().await,
        }
    }

    /// Stops reading, so that another program can read.
    pub(crate) fn pause(&mut self) {
        self.events = None;
        take_wake_up();
    }

    /// Reads again after [`Input::pause`].
    pub(crate) fn resume(&mut self) {
        take_wake_up();
        self.events.get_or_insert_with(EventStream::new);
    }
}

/// Takes the wake-up that a stream sends to its reader when it is dropped. If the reader did not
/// wait, the wake-up would remain, and hide a key that is pressed before the next read: the source
/// reports both at once, stops at the wake-up, and is not told about the key again.
fn take_wake_up() {
    // An error comes again with the next event.
    let _ = event::poll(Duration::ZERO);
}

/// Lets the reader of events go on if it left bytes in the terminal. It reads once for each report
/// that bytes came, and at most 1 KiB: of many bytes that came at once, the rest would remain until
/// the next key. Setting the modes of the terminal, even to what they are, repeats the report.
pub(crate) fn read_rest() {
    let Ok(terminal) = modes::terminal() else { return };
    if rustix::io::ioctl_fionread(terminal).is_ok_and(|left| left > 0)
        && let Ok(now) = termios::tcgetattr(terminal)
    {
        // Without the report, the rest is read after the next key.
        let _ = termios::tcsetattr(terminal, termios::OptionalActions::Now, &now);
    }
}
