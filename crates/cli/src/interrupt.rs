//! Signals of the person: Ctrl-C cancels the turn; a second Ctrl-C, SIGTERM and SIGHUP end the run.

use std::io;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The time limit for an orderly end. Then the process exits at once, and the guardian ends the
/// agent.
const PATIENCE: Duration = Duration::from_secs(5);

/// The extent of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Nothing,
    /// Only the turn.
    Cancel,
    /// The whole run.
    End,
}

/// A listener for signals of this process.
pub(crate) struct Interrupts {
    wish: watch::Receiver<Wish>,
    _listening: JoinSet<()>,
}

impl Interrupts {
    /// Starts to listen; must be called inside a runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let (wished, wish) = watch::channel(Wish::Nothing);
        let mut listening = JoinSet::new();
        listening.spawn(async move {
            while *wished.borrow() < Wish::End {
                let wish = tokio::select! {
                    _ = interrupt.recv() => if *wished.borrow() == Wish::Nothing { Wish::Cancel } else { Wish::End },
                    _ = terminate.recv() => Wish::End,
                    _ = hang_up.recv() => Wish::End,
                };
                wished.send_replace(wish);
            }
            // The output can be blocked, by a pager for example; then no other code runs.
            tokio::time::sleep(PATIENCE).await;
            std::process::exit(i32::from(crate::exit::Exit::Cancelled.code()));
        });
        Ok(Self { wish, _listening: listening })
    }

    /// Waits for a cancellation of the turn.
    pub(crate) async fn cancel(&self) {
        self.wished(Wish::Cancel).await;
    }

    /// Waits for the end of the run.
    pub(crate) async fn end(&self) {
        self.wished(Wish::End).await;
    }

    async fn wished(&self, at_least: Wish) {
        let mut wish = self.wish.clone();
        let gone = wish.wait_for(|wish| *wish >= at_least).await.is_err();
        if gone {
            // The listener lives as long as this value.
            std::future::pending::<()>().await;
        }
    }
}
