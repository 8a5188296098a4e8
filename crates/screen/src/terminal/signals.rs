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
    /// The signals of the keyboard that have no effect once, because they may be meant for the
    /// program that had the terminal before.
    ignored: Ignored,
}

#[derive(Debug, Default)]
struct Ignored {
    interrupt: bool,
    quit: bool,
    suspend: bool,
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
            ignored: Ignored::default(),
        })
    }

    /// Waits for the next signal. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Signalled {
        loop {
            let ignored = &mut self.ignored;
            let (signal, is_ignored) = tokio::select! {
                biased;
                _ = self.terminate.recv() => return Signalled::End,
                _ = self.hang_up.recv() => return Signalled::HangUp,
                _ = self.interrupt.recv() => (Signalled::End, &mut ignored.interrupt),
                _ = self.quit.recv() => (Signalled::End, &mut ignored.quit),
                _ = self.suspend.recv() => (Signalled::Suspend, &mut ignored.suspend),
                _ = self.proceed.recv() => return Signalled::Continue,
            };
            if !std::mem::take(is_ignored) {
                return signal;
            }
        }
    }

    /// Waits for the next signal that ends the screen.
    pub(crate) async fn ended(&mut self) {
        while !matches!(self.next().await, Signalled::End | Signalled::HangUp) {}
    }

    /// Ignores the next signal of each kind from the keyboard. The program that had the terminal
    /// shares the process group of the screen, so the terminal sent its signals to both, and they
    /// may arrive late. While the screen has the terminal, the keyboard sends no signals.
    pub(crate) fn ignore_keyboard(&mut self) {
        self.ignored = Ignored { interrupt: true, quit: true, suspend: true };
    }
}

/// Stops this process until a shell continues it.
pub(crate) fn stop_this_process() {
    // SIGTSTP has a handler, so the process stops itself. If that fails, it goes on.
    let _ = kill_process(getpid(), Signal::STOP);
}
