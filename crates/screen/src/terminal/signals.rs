//! Signals that end, suspend and continue the screen.

use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::time::{Duration, Instant};
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
    /// The end of the time in which signals of the keyboard have no effect.
    quiet_until: Option<Instant>,
}

/// The time in which signals of the keyboard still arrive after another program had the terminal.
const QUIET: Duration = Duration::from_millis(200);

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
            quiet_until: None,
        })
    }

    /// Waits for the next signal. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Signalled {
        loop {
            let signal = tokio::select! {
                biased;
                _ = self.terminate.recv() => return Signalled::End,
                _ = self.hang_up.recv() => return Signalled::HangUp,
                _ = self.interrupt.recv() => Signalled::End,
                _ = self.quit.recv() => Signalled::End,
                _ = self.suspend.recv() => Signalled::Suspend,
                _ = self.proceed.recv() => Signalled::Continue,
            };
            if self.quiet_until.is_none_or(|until| Instant::now() >= until) {
                return signal;
            }
        }
    }

    /// Waits for the next signal that ends the screen.
    pub(crate) async fn ended(&mut self) {
        while !matches!(self.next().await, Signalled::End | Signalled::HangUp) {}
    }

    /// Ignores signals of the keyboard that arrived while another program had the terminal. The
    /// program shares the process group of the screen, so the terminal sends them to both.
    pub(crate) fn ignore_keyboard(&mut self) {
        self.quiet_until = Some(Instant::now() + QUIET);
    }
}

/// Stops this process until a shell continues it.
pub(crate) fn stop_this_process() {
    // SIGTSTP has a handler, so the process stops itself. If that fails, it goes on.
    let _ = kill_process(getpid(), Signal::STOP);
}
