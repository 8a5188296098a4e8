//! Both sides written by hand, with blocking reads and writes and without an SDK: the cost of the
//! pipe and of parsing.
//!
//! `raw agent` and `raw client SCENARIO … -- COMMAND ARGS…` replace the official programs and
//! support the same scenarios. `PIPE=BYTES` gives the agent's stdout a pipe of that capacity. Each
//! client run prints one JSON object.

mod agent;
mod client;
mod lines;

fn main() -> std::io::Result<()> {
    let words = std::env::args().skip(1).collect::<Vec<_>>();
    match words.split_first().map(|(kind, rest)| (kind.as_str(), rest)) {
        Some(("agent", [])) => agent::run(),
        Some(("client", rest)) => client::run(rest),
        _ => {
            Err(std::io::Error::other("usage: raw agent | raw client SCENARIO … -- COMMAND ARGS…"))
        }
    }
}
