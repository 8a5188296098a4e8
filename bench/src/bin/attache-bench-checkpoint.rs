//! Takes a checkpoint of a folder, or restores it: `attache-bench-checkpoint WORK STORE FOLDER`.
//! WORK is one of
//!
//! - a number, which takes a checkpoint within so many milliseconds;
//! - `before-turn` and `after-turn`, which take the checkpoints around a turn;
//! - `restore`, which makes the preview of reverting the last turn, and reverts it.
//!
//! Prints the time, the peak memory of this process and the bytes of the store.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::memory_kb;
use attache_checkpoint::{
    Budget, Goal, Label, Reason, RestoreRequest, Restorer, Roots, Store, StoreOptions,
};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// The owner of the checkpoints.
const OWNER: &str = "bench";

/// The time for a checkpoint around a turn.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let store = Store::open(Path::new(&words[2]), StoreOptions::default()).unwrap();
    let roots = Roots::new([&words[3]]).unwrap();
    let begun = Instant::now();
    let take = |label: Label, time: Duration| {
        let taken = store.take(&roots, &label, &Budget::lasting(time)).unwrap();
        json!({"complete": taken.complete, "changed": taken.changed})
    };
    let around = |reason: Reason, turn: u64| {
        take(Label { turn: Some(turn), ..Label::new(OWNER, reason) }, PATIENCE)
    };
    let mut report = match words[1].as_str() {
        "before-turn" => around(Reason::BeforePrompt, last_turn(&store) + 1),
        "after-turn" => around(Reason::AfterTurn, last_turn(&store)),
        "restore" => restore(&store),
        time => {
            let time = Duration::from_millis(time.parse().unwrap());
            take(Label::new(OWNER, Reason::Asked), time)
        }
    };
    report["ms"] = (begun.elapsed().as_secs_f64() * 1e3).into();
    report["peak_kb"] = memory_kb("VmHWM:").into();
    report["store_bytes"] = store.usage().unwrap().bytes.into();
    println!("{report}");
}

fn restore(store: &Store) -> Value {
    let restorer = Restorer::new(store);
    let turn = last_turn(store);
    let goal = Goal::Turns { first: turn, last: turn };
    let plan = restorer.plan(&RestoreRequest::new(OWNER, goal)).unwrap();
    let restored = restorer.restore(&plan).unwrap();
    json!({"restored": restored.done.len()})
}

/// Returns the number of the last turn, or 0.
fn last_turn(store: &Store) -> u64 {
    let taken = store.list(Some(OWNER)).unwrap();
    taken.iter().filter_map(|each| each.label.turn).max().unwrap_or_default()
}
