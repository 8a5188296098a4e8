//! The probes, faults and tests of each rule, and the reasons why some rules are not judged.

pub(crate) mod fault;
pub(crate) mod mutation_name;
pub(crate) mod probe_name;
