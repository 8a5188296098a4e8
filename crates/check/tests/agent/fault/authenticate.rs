//! Faults in logging in.

use crate::fault::{Fault, fault, give};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[fault("AUTH-03", &[], |h, s| {
    if h.is("authenticate") && h.is_initialized {
        give(h, s, json!({}))
    }
})];
