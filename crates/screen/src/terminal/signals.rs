//! Signals that end, suspend and continue the screen.

use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::time::{Duration, Instant};
use tokio::signal::unix::{self, SignalKind, signal};

/// The time in which a signal for an earlier program can arrive.
const LATE: Duration = Duration::from_secs(1);

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
    /// The time until which they have no effect.
    ignored_until: Option<Instant>,
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
            ignored_until: None,
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
            let is_late = self.ignored_until.is_some_and(|until| Instant::now() < until);
            if !std::mem::take(is_ignored) || !is_late {
                return signal;
            }
        }
    }

    /// Waits for the next signal that ends the screen.
    pub(crate) async fn ended(&mut self) {
        while !matches!(self.next().await, Signalled::End | Signalled::HangUp) {}
    }

    /// Ignores the next signal of each kind from the keyboard for a second. The program that had
    /// the terminal shares the process group of the screen, so the terminal sent its signals to
    /// both, and they may arrive late. While the screen has the terminal, the keyboard sends no
    /// signals.
    pub(crate) fn ignore_keyboard(&mut self) {
        self.ignored = Ignored { interrupt: true, quit: true, suspend: true };
        self.ignored_until = Some(Instant::now() + LATE);
    }
}

/// Stops this process until a shell continues it.
pub(crate) fn stop_this_process() {
    // SIGTSTP has a handler, so the process stops itself. If that fails, it goes on.
    let _ = kill_process(getpid(), Signal::STOP);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[tokio::test]
    async fn a_signal_is_ignored_only_for_a_moment() {
        let mut signals = Signals::listen().unwrap();
        let quit = || kill_process(getpid(), Signal::QUIT).unwrap();
        signals.ignore_keyboard();
        quit();
        let late = tokio::time::timeout(Duration::from_millis(200), signals.next());
        assert!(late.await.is_err());
        signals.ignore_keyboard();
        sleep(LATE);
        quit();
        assert_eq!(signals.next().await, Signalled::End);
    }
}
