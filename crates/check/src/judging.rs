//! What judging an agent and judging a client share: probes, verdicts, and the conversation in which
//! a probe talks.

pub(crate) mod boxed;
pub(crate) mod conversation;
pub(crate) mod mask;
pub(crate) mod probe;
pub(crate) mod probe_run;
pub(crate) mod support;
pub(crate) mod traffic;
pub(crate) mod verdict;
