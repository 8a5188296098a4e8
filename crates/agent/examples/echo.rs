//! The smallest agent: it says what it is told.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};

struct Echo;

impl Author for Echo {
    type Memory = Vec<String>; // one value per session
    fn about(&self) -> About {
        About::new("echo", "0.1.0")
    }
    async fn open(&self, _opening: Opening<'_>) -> Result<Self::Memory> {
        Ok(Vec::new())
    }
    async fn turn(&self, memory: &mut Self::Memory, turn: &Turn) -> Result<StopReason> {
        memory.push(turn.text().to_owned());
        turn.say(turn.text()).await?; // Err(Cancelled) once cancelled; waits while the client is slow
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    serve(Echo).stdio().await
}
