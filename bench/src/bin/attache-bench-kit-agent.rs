//! The measured agent as an author writes it with the kit. A prompt "N SIZE" is answered with N chunks of SIZE bytes.
#![allow(clippy::unwrap_used, reason = "a benchmark stops at the first surprise")]

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
use attache_bench::{filler, runtime};

struct Bench;

impl Author for Bench {
    type Memory = ();

    fn about(&self) -> About {
        About::new("bench", "0")
    }

    async fn open(&self, _opening: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _memory: &mut (), turn: &Turn) -> Result<StopReason> {
        let mut words = turn.text().split(' ').map(|word| word.parse::<usize>().unwrap_or(0));
        let (count, text) = (words.next().unwrap_or(0), filler(words.next().unwrap_or(0)));
        for _ in 0..count {
            turn.say(&text).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

fn main() {
    runtime().block_on(serve(Bench).stdio()).unwrap();
}
