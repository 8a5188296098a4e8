//! The information that a session reports: its title, tags, status and progress, the use of its
//! context, and its cost.
//!
//! Each prompt is treated as a task with three steps.

use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
use attache_protocol::v1::{Cost, Usage};
use attache_session::Labels;

/// The context size, in tokens, of the model that this agent would use.
const CONTEXT: u64 = 8_000;

struct Worker;

/// The tokens and the cost of the session so far.
#[derive(Default)]
struct Taken {
    tokens: u64,
    cost: f64,
}

impl Author for Worker {
    type Memory = Taken;

    fn about(&self) -> About {
        About::new("worker", "0.1.0")
    }

    async fn open(&self, opening: Opening<'_>) -> Result<Taken> {
        // The handle can be kept: it works between turns too.
        let _handle = opening.handle();
        Ok(Taken::default())
    }

    async fn turn(&self, taken: &mut Taken, turn: &Turn) -> Result<StopReason> {
        // This does not replace a title that the user set, so it can be called for each prompt.
        let words: Vec<&str> = turn.text().split_whitespace().take(6).collect();
        turn.title(&words.join(" ")).await?;
        for step in 1..=3_u64 {
            // Frequent calls are fine: the kit sends at most ten lines a second, and always sends
            // the last state.
            let status = Some(format!("step {step}"));
            turn.labels(Labels {
                tags: vec!["example".to_owned()],
                status,
                progress: Some((step, 3)),
            })
            .await?;
            turn.say(&format!("Step {step} is done.\n")).await?;
        }
        // Tokens of this turn, in parts; the kit computes the total. See `Turn::add_usage` for what
        // each part means.
        let mut tokens = Usage::new(0_u64, 900_u64, 100_u64);
        tokens.cached_read_tokens = Some(1_000);
        turn.add_usage(tokens);
        // The context as it is now, and the cost of the session since it began.
        taken.tokens += 2_000;
        taken.cost += 0.01;
        turn.usage(taken.tokens, CONTEXT, Some(Cost::new(taken.cost, "EUR"))).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    serve(Worker).stdio().await
}
