//! What the peers of the speed table share: counters of this process, the prompt both sides agree
//! on, and the extension request by which a client reads the agent's counters.

pub mod allocation;
pub mod flood;
pub mod process;
pub mod runtime;
pub mod span;
pub mod stats;
