//! Signals that end, suspend and continue the screen.

use rustix::process::{Signal, getpid, kill_process};
use std::io;
use tokio::signal::unix::{self, SignalKind, signal};

/// A signal to the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signalled {
    /// End: SIGTERM, SIGINT, SIGQUIT.
    End,
    /// The terminal is gone: SIGHUP.
    HangUp,
    /// Suspend: SIGTSTP.
    Suspend,
    /// Continue after a stop: SIGCONT.
    Continue,
}

/// The signals of this process.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: unix::Signal,
    interrupt: unix::Signal,
    quit: unix::Signal,
    hang_up: unix::Signal,
    suspend: unix::Signal,
    proceed: unix::Signal,
}

impl Signals {
    /// Begins to receive the signals in place of their usual effects.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hang_up: signal(SignalKind::hangup())?,
            suspend: signal(SignalKind::from_raw(Signal::TSTP.as_raw()))?,
            proceed: signal(SignalKind::from_raw(Signal::CONT.as_raw()))?,
        })
    }

    /// Waits for the next signal. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Signalled {
        tokio::select! {
            _ = self.terminate.recv() => Signalled::End,
            _ = self.interrupt.recv() => Signalled::End,
            _ = self.quit.recv() => Signalled::End,
            _ = self.hang_up.recv() => Signalled::HangUp,
            _ = self.suspend.recv() => Signalled::Suspend,
            _ = self.proceed.recv() => Signalled::Continue,
        }
    }
}

/// Stops this process until a shell continues it.
pub(crate) fn stop_this_process() {
    // SIGTSTP has a handler, so the process stops itself. If that fails, it goes on.
    let _ = kill_process(getpid(), Signal::STOP);
}
