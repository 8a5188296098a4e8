//! Faults in what is told of usage.

use crate::fault::{Fault, change, fault};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("USE-02", &["DEC-20"], |h, s| {
        if h.is("session/prompt") {
            change(s, "used", |used| *used = json!(-1))
        }
    }),
    fault("USE-05", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "cost", |cost| cost["currency"] = json!("usd"))
        }
    }),
];
