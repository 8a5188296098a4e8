//! Faults in options and modes.

use crate::fault::{Fault, change, fault, give, misdone, refuse};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("MODE-02", &[], |h, s| {
        if h.params()["modeId"] == "attache-no-such-mode" {
            give(h, s, json!({}))
        }
    }),
    fault("MODE-03", &["MODE-04", "MODE-05", "MODE-07", "CONF-03"], |h, s| {
        if h.params()["modeId"] == "free" {
            refuse(h, s, -32600)
        }
    }),
    fault("MODE-04", &["MODE-02"], |h, s| {
        if h.is("session/set_config_option") {
            change(s, "currentModeId", |id| *id = json!("another"))
        }
    }),
    fault("MODE-05", &["MODE-07", "CONF-22"], |_, s| {
        change(s, "configOptions", |all| {
            if all[1]["currentValue"] == "free" {
                all[1]["currentValue"] = json!("ask")
            }
        })
    }),
    fault("MODE-07", &[], |h, s| {
        if h.is("session/set_mode") {
            s.retain(|line| line["params"]["update"]["sessionUpdate"] != "config_option_update")
        }
    }),
    fault("CONF-02", &[], |h, s| {
        if h.is("session/set_config_option") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().pop();
            })
        }
    }),
    // The agent does not keep the value that it confirmed.
    misdone("CONF-02", &[], |h, agent| {
        if h.is("session/set_config_option") && h.params()["value"] == "m2" {
            agent.keep_wrongly(&h.params()["sessionId"], |session| session.model = "m1".to_owned())
        }
    }),
    // The agent keeps the value only until a turn ends.
    misdone("CONF-02", &[], |h, agent| {
        if h.is("session/prompt") {
            agent.keep_wrongly(&h.params()["sessionId"], |session| session.model = "m1".to_owned())
        }
    }),
    // The agent sets the value in every session.
    misdone("CONF-02", &[], |h, agent| {
        if h.is("session/set_config_option") && h.params()["value"] == "m2" {
            for open in h.open {
                agent.keep_wrongly(&json!(open), |session| session.model = "m2".to_owned())
            }
        }
    }),
    // Every list after the first one contains only the mode.
    fault("CONF-03", &[], |h, s| {
        if h.is("session/set_mode") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().retain(|option| option["id"] == "mode")
            })
        }
    }),
    fault("CONF-02", &[], |h, s| {
        if h.is("session/set_config_option") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().truncate(1);
            })
        }
    }),
    // The mode changes with every turn, without an update.
    misdone("MODE-04", &[], |h, agent| {
        if h.is("session/prompt") {
            agent.keep_wrongly(&h.params()["sessionId"], |session| session.mode = "ask".to_owned())
        }
    }),
    fault("CONF-03", &[], |h, s| {
        if h.is("session/set_mode") {
            change(s, "configOptions", |all| {
                all.as_array_mut().unwrap().pop();
            })
        }
    }),
    fault("CONF-05", &["DEC-20", "MODE-05"], |_, s| {
        change(s, "configOptions", |all| {
            all[0].as_object_mut().unwrap().remove("currentValue");
        })
    }),
    fault("CONF-06", &[], |_, s| {
        change(s, "configOptions", |all| {
            all[0]["options"] = json!([{"value": "other", "name": "Other"}])
        })
    }),
    fault("CONF-07", &["CONF-02"], |h, s| {
        if h.params()["value"] == "attache-no-such-value" {
            give(h, s, json!({"configOptions": []}))
        }
    }),
    fault("CONF-08", &["INIT-10", "INIT-16"], |h, s| {
        if h.is("session/new") {
            change(s, "configOptions", |all| {
                if all[2].is_null() {
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
    fault("CONF-14", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["category"] = json!("flavour"))
    }),
    fault("CONF-19", &[], |_, s| {
        change(s, "configOptions", |all| all[0]["options"][1]["value"] = json!("m1"))
    }),
    fault("CONF-18", &[], |h, s| {
        if h.is("session/set_config_option") && !h.before.turns.is_empty() {
            refuse(h, s, -32600)
        }
    }),
    fault("CONF-22", &[], |h, s| {
        if h.is("session/set_config_option") && h.params()["value"] == "m2" {
            change(s, "configOptions", |all| all[0]["currentValue"] = json!("m1"))
        }
    }),
    fault("CONF-23", LACKS_OPTIONS.companions, |h, s| {
        (LACKS_OPTIONS.wrong)(h, s);
        if h.is("session/set_config_option") {
            refuse(h, s, -32603)
        }
    }),
];

/// An agent without options.
pub(super) const LACKS_OPTIONS: Fault = fault("CONF-23", &[], |h, s| {
    s.retain(|line| line["params"]["update"]["sessionUpdate"] != "config_option_update");
    for line in s.iter_mut() {
        if let Some(result) = line.get_mut("result").and_then(serde_json::Value::as_object_mut) {
            result.remove("configOptions");
        }
    }
    if h.is("session/set_config_option") {
        refuse(h, s, -32602)
    }
});
