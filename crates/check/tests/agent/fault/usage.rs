//! Faults in reports of usage.

use crate::fault::{Fault, change, fault};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("USE-02", &["DEC-20"], |h, s| {
        if h.is("session/prompt") {
            change(s, "used", |used| *used = json!(-1))
        }
    }),
    fault("USE-03", &[], |h, s| {
        if h.prompts_with("attache-usage") {
            change(s, "size", |size| *size = json!(0))
        }
    }),
    fault("USE-04", &[], |h, s| {
        if h.prompts_with("\"input\":10,") {
            change(s, "cost", |cost| cost["amount"] = json!(0.25))
        }
    }),
    fault("USE-06", &[], |h, s| {
        if h.prompts_with("attache-cached") {
            change(s, "used", |used| *used = json!(110))
        }
    }),
    fault("USE-09", &[], |h, s| {
        if h.is("session/load") {
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "usage_update")
        }
    }),
    fault("USE-10", &["DEC-20"], |h, s| {
        if h.prompts_with("attache-used") {
            change(s, "usage", |usage| *usage = json!({"inputTokens": 1}))
        }
    }),
    fault("USE-11", &["META-03", "RPC-30"], |h, s| {
        if h.prompts_with("attache-used") {
            change(s, "usage", |usage| usage["total_tokens"] = json!(2))
        }
    }),
    fault("USE-05", &[], |h, s| {
        if h.is("session/prompt") {
            change(s, "cost", |cost| cost["currency"] = json!("usd"))
        }
    }),
];
