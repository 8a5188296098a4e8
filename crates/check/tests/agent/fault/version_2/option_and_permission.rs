//! Faults in config options, permission requests and elicitations.

use crate::fault::{Fault, Heard, calls, change, fault, give, misheard, refuse};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("V2-14", &[], |_, s| {
        for call in calls(s, "elicitation/create") {
            let session = call["params"]["sessionId"].clone();
            call["params"] = json!({"sessionId": session, "mode": "url", "message": "?", "elicitationId": "e", "url": "https://attache.invalid"})
        }
    }),
    fault("V2-51", &[], |_, s| {
        change(s, "configOptions", |options| {
            if let Some(values) = options[0]["options"].as_array_mut() {
                values.extend(values.first().cloned())
            }
        })
    }),
    fault("V2-52", &["V2-59"], |_, s| {
        change(s, "configOptions", |options| options[0]["currentValue"] = json!("gone"))
    }),
    fault("V2-53", &[], |_, s| {
        change(s, "configOptions", |options| {
            let options = options.as_array_mut().unwrap();
            options.extend(options.first().cloned())
        })
    }),
    fault("V2-54", &[], |_, s| {
        change(s, "configOptions", |options| options[0]["category"] = json!("speed"))
    }),
    fault("V2-55", &[], |_, s| change(s, "configOptions", |options| *options = Value::Null)),
    fault("V2-57", &[], |h, s| {
        if h.is("session/set_config_option")
            && h.params()["type"] == "id"
            && s[0].get("error").is_some()
        {
            give(h, s, json!({"configOptions": []}))
        }
    }),
    fault("V2-58", &[], |h, s| {
        if h.is("session/set_config_option") && s[0].get("result").is_some() {
            refuse(h, s, -32601)
        }
    }),
    fault("V2-59", &[], |h, s| {
        if h.params()["value"] == "m2" {
            change(s, "configOptions", |options| options[0]["currentValue"] = json!("m1"))
        }
    }),
    fault("V2-61", &[], |_, s| {
        calls(s, ASK).for_each(|call| call["params"]["options"] = json!([]))
    }),
    fault("V2-62", &[], |_, s| {
        calls(s, ASK).for_each(|call| call["params"]["options"][3]["optionId"] = json!("no"))
    }),
    misheard("V2-64", &[], |h, m| {
        if h.answers == ASK && h.message["result"]["outcome"]["outcome"] == "cancelled" {
            *m = allowed(h)
        }
    }),
    misheard("V2-65", &[], |h, m| {
        let outcome = &h.message["result"]["outcome"];
        if outcome["outcome"] == "selected" && outcome["optionId"] == "attache-zzz" {
            *m = allowed(h)
        }
    }),
    misheard("V2-65", &[], |h, m| {
        if h.message["result"]["outcome"]["outcome"] == "attache-unknown" {
            *m = allowed(h)
        }
    }),
    fault("V2-66", &[], |_, s| s.retain(|line| line["method"] != "$/cancel_request")),
];

const ASK: &str = "session/request_permission";

/// Returns the answer that allows the action.
fn allowed(heard: Heard<'_>) -> Value {
    json!({"jsonrpc": "2.0", "id": heard.message["id"], "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}})
}
