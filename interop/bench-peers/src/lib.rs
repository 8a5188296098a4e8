//! Shared code of the peers of the speed table: counters of this process, the prompt for floods,
//! and the extension request that reads the agent's counters.

pub mod allocation;
pub mod flood;
pub mod process;
pub mod runtime;
pub mod span;
pub mod stats;
