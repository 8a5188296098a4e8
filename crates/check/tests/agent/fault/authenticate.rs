//! Faults in logging in and out.

use crate::fault::{Fault, change, fault, give, misdone, refuse};
use serde_json::json;

/// No fault: an agent that starts logged out and lists nothing before a login.
pub(crate) const LOCKED: Fault = Fault {
    misdone: |_, agent| agent.is_logged_out = true,
    ..fault("", &[], |h, s| {
        if h.is("session/list") && h.is_initialized {
            refuse(h, s, -32000)
        }
    })
};

pub(super) const FAULTS: &[Fault] = &[
    fault("AUTH-01", &[], |h, s| {
        if h.is("session/new") && s[0]["error"]["code"] == -32000 {
            refuse(h, s, -32603)
        }
    }),
    fault("AUTH-03", &["AUTHS-03"], |h, s| {
        if h.is("authenticate") && h.is_initialized && h.params()["methodId"] != "login" {
            give(h, s, json!({}))
        }
    }),
    misdone("AUTH-04", &[], |h, agent| {
        if h.is("authenticate") {
            agent.is_logged_out = h.is_logged_out
        }
    }),
    fault("AUTH-05", &["INIT-10", "INIT-16"], |h, s| {
        if h.is("initialize") {
            change(s, "authMethods", |all| {
                all.as_array_mut()
                    .unwrap()
                    .push(json!({"id": "t", "name": "T", "type": "terminal"}))
            })
        }
    }),
    fault("AUTH-11", &[], |h, s| {
        if h.is("session/new") && h.is_logged_out && h.is_initialized {
            give(h, s, json!({"sessionId": "anonymous"}))
        }
    }),
    fault("AUTH-13", &[], |h, s| {
        if h.is("session/prompt") && h.is_logged_out {
            s.clear()
        }
    }),
    fault("AUTHS-01", &[], |h, s| {
        if h.is("auth/status") && h.is_logged_out {
            refuse(h, s, -32000)
        }
    }),
    fault("AUTHS-03", &[], |h, s| {
        if h.is("authenticate") && s[0].get("error").is_some() && h.is_initialized {
            s.push(json!({"jsonrpc": "2.0", "method": "auth/status_update", "params": {"state": "authenticated"}}))
        }
    }),
];
