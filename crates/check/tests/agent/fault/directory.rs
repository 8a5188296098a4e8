//! Faults in additional directories and in forks.

use crate::fault::{Fault, change, fault, give, misdone, misheard};
use serde_json::json;

pub(super) const FAULTS: &[Fault] = &[
    fault("DIR-03", &[], |h, s| {
        if h.opens(|params| params["additionalDirectories"] == json!([""])) {
            give(h, s, json!({"sessionId": "not a path"}))
        }
    }),
    misheard("DIR-04", &[], |_, m| drop_root(m, "no-such-directory")),
    misdone("DIR-05", &[], |h, agent| {
        if (h.is("session/resume") || h.is("session/load"))
            && h.params()["additionalDirectories"].is_null()
        {
            agent.keep_wrongly(&h.params()["sessionId"], |session| {
                session.directories = vec![format!("{}/one", session.cwd)]
            })
        }
    }),
    misdone("DIR-06", &[], |h, agent| {
        if (h.is("session/resume") || h.is("session/load"))
            && h.params()["additionalDirectories"].is_array()
        {
            agent.keep_wrongly(&h.params()["sessionId"], |session| {
                session.directories.insert(0, format!("{}/one", session.cwd))
            })
        }
    }),
    fault("DIR-09", &["DIR-04", "DIR-12"], |h, s| {
        if h.is("session/list") {
            change(s, "sessions", |all| {
                for entry in all.as_array_mut().unwrap() {
                    entry["additionalDirectories"].as_array_mut().unwrap().reverse();
                }
            })
        }
    }),
    misheard("DIR-12", &[], |_, m| drop_root(m, "no-directory.txt")),
    misdone("FORK-02", &[], |h, agent| {
        if h.is("session/fork") && agent.open.len() > h.open.len() {
            agent.open.pop();
        }
    }),
    misdone("FORK-03", &[], |h, agent| {
        if h.is("session/fork") {
            agent.keep_last_wrongly(|session| {
                session.cwd = session.cwd.trim_end_matches("/fork").to_owned()
            })
        }
    }),
    misdone("FORK-04", &[], |h, agent| {
        if h.is("session/fork") {
            agent.keep_last_wrongly(|session| {
                session.directories = vec![format!("{}/root", session.cwd)]
            })
        }
    }),
];

/// Removes an additional directory whose path has this suffix.
fn drop_root(message: &mut serde_json::Value, end: &str) {
    let roots = message.pointer_mut("/params/additionalDirectories");
    if let Some(roots) = roots.and_then(serde_json::Value::as_array_mut) {
        roots.retain(|root| root.as_str().is_none_or(|root| !root.ends_with(end)));
    }
}
