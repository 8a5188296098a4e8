//! How each rule is judged, which faults show that its judge can fail, and why a rule is not
//! judged.

pub(crate) mod fault;
pub(crate) mod mutation_name;
pub(crate) mod probe_name;
