//! Faults in model providers.

use crate::fault::{Fault, change, fault, give, misdone, misheard};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    fault("PROV-01", &["DEC-19", "INIT-17"], |h, s| {
        if h.is("initialize") {
            change(s, "agentCapabilities", |all| all["providers"] = Value::Null)
        }
    }),
    misheard("PROV-02", &[], |h, m| {
        if h.is("providers/set")
            && m["params"]["baseUrl"].as_str().is_some_and(|it| it.ends_with("-other"))
        {
            m["params"]["baseUrl"] = json!("http://127.0.0.1:9/attache")
        }
    }),
    fault("PROV-03", &[], |h, s| {
        if h.is("providers/disable") && h.params()["providerId"] == "main" {
            give(h, s, json!({}))
        }
    }),
    misdone("PROV-04", &[], |h, agent| {
        if h.is("providers/disable") {
            let current = json!({"apiType": "openai", "baseUrl": "http://127.0.0.1:9"});
            agent.providers.insert("other".to_owned(), current);
        }
    }),
    fault("PROV-05", &["META-07"], |h, s| {
        if h.is("providers/set") && h.params()["headers"].is_object() {
            give(h, s, json!({"_meta": h.params()["headers"]}))
        }
    }),
    fault("PROV-06", &["RPC-15"], |h, s| {
        if h.is("providers/set") && h.params()["apiType"] == "_attache" {
            s.clear()
        }
    }),
];
