//! Forking a session without its last prompts, under a documented key of the metadata.

use attache_protocol::{Meta, Raw};

/// The key in the metadata of the capability `fork`, where `true` says that the agent takes the
/// number, and in the metadata of `session/fork`, where it is the number.
const KEY: &str = "attache/withoutLastPrompts";

/// Returns the metadata with which an agent says that its forks can leave out the last prompts:
/// `{"attache/withoutLastPrompts": true}`.
pub fn fork_capability_meta() -> Option<Meta> {
    meta("true")
}

/// Returns whether this metadata of the capability `fork` says so.
pub fn forks_without_prompts(capability: &Meta) -> bool {
    capability.get(KEY).unwrap_or(false)
}

/// Returns the metadata of a fork that leaves out this number of prompts at the end, each with its
/// turn.
pub fn fork_meta(prompts: u64) -> Option<Meta> {
    meta(&prompts.to_string())
}

/// Returns the number of prompts that a fork with this metadata leaves out.
pub fn prompts_left_out(fork: &Meta) -> u64 {
    fork.get(KEY).unwrap_or(0)
}

fn meta(value: &str) -> Option<Meta> {
    Meta::new(Raw::from_text(&format!("{{\"{KEY}\":{value}}}")).ok()?)
}
