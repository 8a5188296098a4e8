//! The smallest agent with a memory: it says what it is told, and how often it was told something.
//! Its sessions are kept in the user's store (`ATTACHE_STORE` names another), so a client can load
//! them tomorrow.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
use attache_store::Sqlite;

struct Echo;

impl Author for Echo {
    type Memory = Vec<String>; // one value per session
    fn about(&self) -> About {
        About::new("echo", "0.1.0")
    }
    async fn open(&self, opening: Opening<'_>) -> Result<Self::Memory> {
        opening.remembered() // nothing in a new session; in one that is loaded, what `remember` stored
    }
    async fn turn(&self, memory: &mut Self::Memory, turn: &Turn) -> Result<StopReason> {
        memory.push(turn.text().to_owned());
        turn.say(&format!("{}: {}", memory.len(), turn.text())).await?; // Err(Cancelled) once cancelled; waits while the client is slow
        turn.remember(turn.text()).await?; // stored with the turn, never sent
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    serve(Echo).store(Sqlite::user()?).stdio().await
}
