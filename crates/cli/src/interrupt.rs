//! What the person wants to stop: Ctrl-C cancels the turn, a second one ends the run, and so do
//! SIGTERM and SIGHUP at once.

use std::io;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long an end in good order may take. Then the process ends where it stands; the guardian ends
/// the agent.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the person wants to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wish {
    Nothing,
    /// The turn.
    Cancel,
    /// Everything.
    End,
}

/// Signals of this process, from now on.
pub(crate) struct Interrupts {
    wish: watch::Receiver<Wish>,
    _listening: JoinSet<()>,
}

impl Interrupts {
    /// Listens from now on; must be called inside a runtime.
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
            // The output may be blocked, by a pager for example: then nothing else gets here.
            tokio::time::sleep(PATIENCE).await;
            std::process::exit(i32::from(crate::exit::Exit::Cancelled.code()));
        });
        Ok(Self { wish, _listening: listening })
    }

    /// Waits until the turn is to be cancelled.
    pub(crate) async fn cancel(&self) {
        self.wished(Wish::Cancel).await;
    }

    /// Waits until everything is to end.
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
