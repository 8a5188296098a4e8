//! The smallest agent with a memory: it repeats each prompt with the number of earlier prompts. Its
//! sessions are in the user's store (`ATTACHE_STORE` selects another one), so a client can load
//! them later.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
use attache_store::Sqlite;

struct Echo;

impl Author for Echo {
    type Memory = Vec<String>; // one value per session
    fn about(&self) -> About {
        About::new("echo", "0.1.0")
    }
    async fn open(&self, opening: Opening<'_>) -> Result<Self::Memory> {
        opening.remembered() // the values that `remember` stored; empty in a new session
    }
    async fn turn(&self, memory: &mut Self::Memory, turn: &Turn) -> Result<StopReason> {
        memory.push(turn.text().to_owned());
        // Waits if the client is slow; returns `Err(Cancelled)` after a cancel.
        turn.say(&format!("{}: {}", memory.len(), turn.text())).await?;
        turn.remember(turn.text()).await?; // stored with the turn, not sent
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    serve(Echo).store(Sqlite::user()?).stdio().await
}
