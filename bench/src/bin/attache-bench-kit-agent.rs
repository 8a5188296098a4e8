//! The measured agent, written with the kit as an author would write it. If it is started with the
//! argument FILE, it stores its sessions in that file. It answers a prompt "N SIZE" with N chunks
//! of SIZE bytes.
#![allow(clippy::unwrap_used, reason = "a benchmark stops at the first error")]

use attache_agent::{
    About, Author, Error, Extensions, Opening, OptionalParts, Result, StopReason, Turn, serve,
};
use attache_bench::{filler, runtime, stats, stored};
use attache_protocol::Raw;
use attache_store::Sqlite;
use std::sync::Arc;

struct Bench;

impl Author for Bench {
    type Memory = ();

    fn about(&self) -> About {
        About::new(stored::AGENT, "0")
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

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().extensions(self)
    }
}

impl Extensions for Bench {
    async fn call(&self, _method: &str, _params: Option<Raw>) -> Result<Raw> {
        Raw::from_text(&stats()).map_err(|error| Error::caused("the figures are not JSON", error))
    }
}

fn main() {
    let serving = match std::env::args_os().nth(1) {
        Some(file) => serve(Bench).store(Sqlite::open(file).unwrap()),
        None => serve(Bench),
    };
    runtime().block_on(serving.stdio()).unwrap();
}
