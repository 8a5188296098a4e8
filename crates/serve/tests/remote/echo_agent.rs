//! An agent that answers with the prompt.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
use attache_connection::transport::Transport;
use attache_connection::{ConnectionEnd, Limits};
use attache_session::MemoryStore;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// The agents of a server. They share a store, so that a new connection finds the sessions of an
/// earlier one.
#[derive(Clone)]
pub(crate) struct EchoAgents {
    store: MemoryStore,
    /// Lets a turn with the prompt `wait` end.
    pub(crate) go_on: Arc<Notify>,
}

impl EchoAgents {
    pub(crate) fn new() -> Self {
        Self { store: MemoryStore::new(), go_on: Arc::new(Notify::new()) }
    }

    /// Serves one connection.
    pub(crate) async fn serve(self, transport: Box<dyn Transport>) -> ConnectionEnd {
        let echo = Echo { go_on: self.go_on };
        let limits = Limits { stall: Duration::from_secs(1), ..Limits::default() };
        let serving = serve(echo).store(self.store).limits(limits);
        let (_, run) = serving.connect_over(transport);
        run.await
    }
}

struct Echo {
    go_on: Arc<Notify>,
}

impl Author for Echo {
    type Memory = ();

    fn about(&self) -> About {
        About::new("echo", "0.1.0")
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    /// `wait` sends a part, and the rest when the test lets it; `flood` sends text until it is
    /// cancelled.
    async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
        match turn.text() {
            "wait" => {
                turn.say("first half, ").await?;
                self.go_on.notified().await;
                turn.say("second half").await?;
            }
            "flood" => loop {
                turn.say(&"x".repeat(10_000)).await?;
            },
            text => turn.say(&format!("echo: {text}")).await?,
        }
        Ok(StopReason::EndTurn)
    }
}
