//! Faults in messages that the agent does not support, and in logins.

use super::{Fault, change};
use crate::correct::{Correct, Said};
use serde_json::{Value, json};

pub(crate) const FAULTS: &[Fault] = &[
    Fault::hears("AUTH-10", &[], |client, message| {
        offered(client, message, "logout", "auth", json!({"logout": {}}))
    }),
    Fault::hears("SESS-09", &[], |client, message| {
        offered(client, message, "mcp", "mcpCapabilities", json!({"http": true}))
    }),
    Fault::hears("SESS-12", &[], |client, message| {
        offered(client, message, "load", "loadSession", json!(true))
    }),
    Fault::hears("SESS-18", &[], |client, message| of_session(client, message, "resume", "resume")),
    Fault::hears("SESS-22", &[], |client, message| of_session(client, message, "close", "close")),
    Fault::hears("DIR-01", &[], |client, message| {
        of_session(client, message, "directories", "additionalDirectories")
    }),
    Fault::hears("LIST-01", &[], |client, message| of_session(client, message, "list", "list")),
    Fault::hears("DEL-01", &[], |client, message| of_session(client, message, "delete", "delete")),
    Fault::hears("PROMPT-02", &[], |client, message| {
        offered(client, message, "image", "promptCapabilities", json!({"image": true}))
    }),
    Fault::hears("FORK-01", &["INIT-16"], |client, message| {
        of_session(client, message, "fork", "fork")
    }),
    Fault::hears("SYSP-01", &[], |client, message| {
        of_session(client, message, "system_prompt", "systemPrompt")
    }),
    Fault::says("AUTH-02", &[], |_, s| {
        change(s, "authenticate", |params| params["methodId"] = json!("Log in"))
    }),
    Fault::hears("AUTH-06", &[], |_, message| {
        methods(message, |method| {
            if method["args"].is_array() {
                method["type"] = json!("agent");
            }
        });
    }),
    Fault::says("AUTH-08", &[], |_, s| {
        for said in s {
            if let Said::LoggingIn(login) = said {
                login["arguments"] = json!([]);
            }
        }
    }),
    Fault::hears("AUTH-14", &["AUTH-06"], |_, message| {
        methods(message, |method| {
            if method["args"] == "no list" {
                method["type"] = json!("agent");
            }
        });
    }),
    Fault::hears("AUTH-15", &[], |_, message| {
        methods(message, |method| {
            if method["type"] == "check_oauth" {
                method["type"] = json!("terminal");
            }
        });
    }),
];

/// Makes a client with this task assume that the agent offers this capability.
fn offered(client: &Correct, message: &mut Value, task: &str, capability: &str, value: Value) {
    if client.is_on(task)
        && let Some(capabilities) = message.pointer_mut("/result/agentCapabilities")
    {
        capabilities[capability] = value;
    }
}

fn of_session(client: &Correct, message: &mut Value, task: &str, capability: &str) {
    let mut all = message["result"]["agentCapabilities"]["sessionCapabilities"].clone();
    if client.is_on(task) && message.pointer("/result/agentCapabilities").is_some() {
        all[capability] = json!({});
        offered(client, message, task, "sessionCapabilities", all);
    }
}

/// Changes each login method.
fn methods(message: &mut Value, change: fn(&mut Value)) {
    if let Some(all) = message.pointer_mut("/result/authMethods").and_then(Value::as_array_mut) {
        all.iter_mut().for_each(change);
    }
}
