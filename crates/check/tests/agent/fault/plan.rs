//! Faults in plans.

use crate::fault::{Fault, fault, updates};

pub(super) const FAULTS: &[Fault] = &[
    fault("PLAN-01", &[], |_, s| {
        s.retain(|line| line["params"]["update"]["sessionUpdate"] != "plan")
    }),
    fault("PLAN-02", &[], |_, s| {
        for plan in updates(s, "plan") {
            plan["entries"].as_array_mut().unwrap().retain(|entry| entry["status"] != "completed")
        }
    }),
];
