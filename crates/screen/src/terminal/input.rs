//! Events of the terminal: keys, pastes, the mouse, focus, sizes.

use crossterm::event::{Event, EventStream};
use futures_core::Stream as _;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;

/// The events of the terminal.
#[derive(Debug)]
pub(crate) struct Input {
    /// `None` while another program has the terminal.
    events: Option<EventStream>,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self { events: Some(EventStream::new()) }
    }

    /// Waits for the next event; `None` if the terminal is closed. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Event>> {
        match &mut self.events {
            Some(events) => poll_fn(|context| Pin::new(&mut *events).poll_next(context)).await,
            None => pending().await,
        }
    }

    /// Stops reading, so that another program can read.
    pub(crate) fn pause(&mut self) {
        self.events = None;
    }

    /// Reads again after [`Input::pause`].
    pub(crate) fn resume(&mut self) {
        self.events.get_or_insert_with(EventStream::new);
    }
}
