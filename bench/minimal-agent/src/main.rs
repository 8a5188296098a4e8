//! Answers every prompt with one chunk.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};

struct Minimal;

impl Author for Minimal {
    type Memory = ();

    fn about(&self) -> About {
        About::new("minimal-agent", "0.0.0")
    }

    async fn open(&self, _opening: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _memory: &mut (), turn: &Turn) -> Result<StopReason> {
        turn.say("hello").await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    serve(Minimal).stdio().await
}
