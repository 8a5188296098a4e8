//! Shared code for judging agents and clients: probes, verdicts, and the conversation of a probe.

pub(crate) mod boxed;
pub(crate) mod conversation;
pub(crate) mod mask;
pub(crate) mod probe;
pub(crate) mod probe_run;
pub(crate) mod support;
pub(crate) mod traffic;
pub(crate) mod verdict;
