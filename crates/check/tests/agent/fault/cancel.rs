//! Faults in cancelling.

use crate::fault::{Fault, fault, only};
use serde_json::Value;

pub(super) const FAULTS: &[Fault] = &[
    fault("CANCEL-08", &[], |h, s| {
        if h.is("session/cancel") && h.params()["sessionId"] == "attache-no-such-session" {
            only(s, Value::Null)
        }
    }),
    fault("CANCEL-16", &[], |h, s| {
        if h.is("$/cancel_request") {
            only(s, Value::Null)
        }
    }),
];
