//! Signals from the person: Ctrl-C cancels the turn; a second Ctrl-C, SIGTERM and SIGHUP end the
//! run.

use std::io;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The time limit for an orderly end. After it, the process exits at once, and the guardian ends
/// the agent.
const PATIENCE: Duration = Duration::from_secs(5);

/// The part of the run to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    Nothing,
    /// Only the turn.
    Cancel,
    /// The whole run.
    End,
}

/// A listener for signals to this process.
pub(crate) struct Interrupts {
    stop: watch::Receiver<Stop>,
    _listening: JoinSet<()>,
}

impl Interrupts {
    /// Starts to listen. It must be called inside a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let (stopped, stop) = watch::channel(Stop::Nothing);
        let mut listening = JoinSet::new();
        listening.spawn(async move {
            while *stopped.borrow() < Stop::End {
                let stop = tokio::select! {
                    _ = interrupt.recv() => match *stopped.borrow() {
                        Stop::Nothing => Stop::Cancel,
                        Stop::Cancel | Stop::End => Stop::End,
                    },
                    _ = terminate.recv() => Stop::End,
                    _ = hang_up.recv() => Stop::End,
                };
                stopped.send_replace(stop);
            }
            // If writing the output blocks, for example because of a pager, only this task can end
            // the process.
            tokio::time::sleep(PATIENCE).await;
            std::process::exit(i32::from(crate::exit::Exit::Cancelled.code()));
        });
        Ok(Self { stop, _listening: listening })
    }

    /// Waits for a signal that cancels the turn or ends the run.
    pub(crate) async fn cancel(&self) {
        self.stopped(Stop::Cancel).await;
    }

    /// Waits for a signal that ends the run.
    pub(crate) async fn end(&self) {
        self.stopped(Stop::End).await;
    }

    async fn stopped(&self, at_least: Stop) {
        let mut stop = self.stop.clone();
        let gone = stop.wait_for(|stop| *stop >= at_least).await.is_err();
        if gone {
            // This cannot happen, because the listener lives as long as this value.
            std::future::pending::<()>().await;
        }
    }
}
