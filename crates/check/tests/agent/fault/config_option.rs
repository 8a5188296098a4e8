//! Faults in options and modes.

use crate::fault::{Fault, change, fault, give, refuse};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("MODE-02", &[], |h, s| {
        if h.params()["modeId"] == "attache-no-such-mode" {
            give(h, s, json!({}))
        }
    }),
    fault("CONF-02", &[], |h, s| {
        if h.is("session/set_config_option") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().pop();
            })
        }
    }),
    fault("CONF-05", &["DEC-20"], |_, s| {
        change(s, "configOptions", |all| {
            all[0].as_object_mut().unwrap().remove("currentValue");
        })
    }),
    fault("CONF-06", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["options"] = json!([{"value": "other", "name": "Other"}]))
    }),
    fault("CONF-07", &["CONF-02"], |h, s| {
        if h.params()["value"] == "attache-no-such-value" {
            give(h, s, json!({"configOptions": []}))
        }
    }),
    fault("CONF-08", &["INIT-10", "INIT-16"], |h, s| {
        if h.is("session/new") {
            change(s, "configOptions", |all| {
                if all[1].is_null() {
                    all.as_array_mut().unwrap().push(
                        json!({"id": "fast", "name": "Fast", "type": "boolean", "currentValue": false}),
                    );
                }
            })
        }
    }),
    fault("CONF-10", &[], |h, s| {
        if h.params()["type"] == "id" {
            refuse(h, s, -32602)
        }
    }),
    fault("CONF-11", &[], |h, s| {
        if h.params()["value"] == 3 {
            refuse(h, s, -32603)
        }
    }),
    fault("CONF-14", &[], |_, s| change(s, "configOptions", |all| all[0]["category"] = json!("flavour"))),
    fault("CONF-19", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["options"][1]["value"] = json!("m1"))
    }),
];
