//! Takes one checkpoint of a folder: `attache-bench-checkpoint STORE FOLDER MILLISECONDS`, which is
//! the time budget. Prints its time, the peak memory of this process and the bytes of the store.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::memory_kb;
use attache_checkpoint::{Budget, Label, Reason, Roots, Store, StoreOptions};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let store = Store::open(Path::new(&words[1]), StoreOptions::default()).unwrap();
    let roots = Roots::new([&words[2]]).unwrap();
    let begun = Instant::now();
    let budget = Budget::lasting(Duration::from_millis(words[3].parse().unwrap()));
    let summary = store.take(&roots, &Label::new("bench", Reason::Asked), &budget).unwrap();
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    println!(
        "{}",
        serde_json::json!({
            "ms": milliseconds,
            "complete": summary.complete,
            "changed": summary.changed,
            "peak_kb": memory_kb("VmHWM:"),
            "store_bytes": store.usage().unwrap().bytes,
        })
    );
}
