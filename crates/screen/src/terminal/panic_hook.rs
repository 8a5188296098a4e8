//! Panics: the terminal is given back before the message, or, for a task in the background, the
//! message does not disturb the screen.

use super::modes;
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// The number of messages that are kept.
const KEPT: usize = 8;

/// The messages of panics in the background.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundPanics(Arc<Mutex<Vec<String>>>);

impl BackgroundPanics {
    /// Takes the messages since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, message: String) {
        let mut messages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() < KEPT {
            messages.push(message);
        }
    }
}

/// Installs the hook. A panic of the calling thread leaves the screen and is then reported as
/// usual; a panic of another thread ends only its task, and its message is kept.
pub(crate) fn install() -> BackgroundPanics {
    let screen: ThreadId = thread::current().id();
    let kept = BackgroundPanics::default();
    let (background, usual) = (kept.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == screen || !modes::is_entered() {
            modes::leave();
            usual(info);
        } else {
            background.push(info.to_string());
        }
    }));
    kept
}
