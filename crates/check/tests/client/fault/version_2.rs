//! Faults of clients that speak version 2.

use super::{
    Fault, Heard, change, config_option, decoding, elicitation, envelope, file, handshake, mcp,
    offer, permission, screen, session, turn,
};
use crate::correct::{Correct, Said, Version};
use serde_json::{Value, json};

/// The rules of version 1 that hold in version 2. Their faults are the same in both versions.
const SHARED: &[&str] = &[
    "INIT-15",
    "AUTH-08",
    "SESS-26",
    "SESS-27",
    "SESS-28",
    "LIST-06",
    "LIST-13",
    "DEC-12",
    "DEC-13",
    "DEC-16",
    "DEC-18",
    "INFO-12",
    "USE-07",
    "META-01",
    "META-02",
    "MSG-08",
    "TOOL-06",
    "TOOL-14",
    "TOOL-16",
    "CMD-02",
    "CMD-03",
    "NOTE-04",
    "NOTE-05",
    "COMP-05",
    "COMP-06",
    "PERM-05",
    "PERM-06",
    "PERM-08",
    "PERM-11",
    "PERM-12",
    "CANCEL-01",
    "CANCEL-05",
    "CANCEL-07",
    "CANCEL-19",
    "CANCEL-24",
    "CONF-04",
    "CONF-12",
    "CONF-13",
    "CONF-24",
    "ELIC-09",
    "ELIC-13",
    "ELIC-20",
    "ELIC-22",
    "ELIC-24",
    "ELIC-26",
];

/// Returns every fault of version 2.
pub(crate) fn faults() -> impl Iterator<Item = Fault> {
    let shared = [
        handshake::FAULTS,
        offer::FAULTS,
        session::FAULTS,
        turn::FAULTS,
        config_option::FAULTS,
        decoding::FAULTS,
        permission::FAULTS,
        elicitation::FAULTS,
        screen::FAULTS,
        mcp::FAULTS,
    ];
    let shared = shared.into_iter().flatten().filter(|fault| SHARED.contains(&fault.rule));
    let all = envelope::FAULTS.iter().chain(shared).chain(FAULTS);
    all.map(|fault| Fault { version: Version::Two, ..*fault })
}

const FAULTS: &[Fault] = &[
    Fault::says("V2-01", &[], |_, s| {
        change(s, "initialize", |params| params["info"] = json!({"name": "x"}))
    }),
    Fault { companions: &["RPC-13", "SESS-26", "V2-11", "V2-21"], ..handshake::SESSION_FIRST },
    Fault::says("INIT-03", &["DEC-20", "INIT-04"], |_, s| {
        change(s, "initialize", |params| params["protocolVersion"] = json!("2"))
    }),
    Fault::hears("INIT-07", &[], |_, message| {
        if message["result"]["protocolVersion"] == 7 {
            message["result"]["protocolVersion"] = json!(2);
        }
    }),
    Fault { companions: &["V2-21"], ..session::SPACE_AS_ID },
    // In version 2, the protocol has no such methods.
    Fault { companions: &["RPC-16"], ..file::SERVES_UNOFFERED },
    // In version 2, the first update of every tool call announces it.
    Fault { companions: &["TOOL-14"], ..screen::IGNORES_NEW_CALLS },
    // After the handshake, the client asks for version 1 as well.
    Fault::says("V2-03", &[], |h, s| {
        if h.message["result"]["protocolVersion"] == 2 {
            initializes_again(h, s, 1);
        }
    }),
    Fault::says("V2-04", &[], |h, s| {
        if h.message["result"]["sessionId"].is_string() {
            initializes_again(h, s, 2);
        }
    }),
    Fault::hears("INIT-10", &[], |_, message| {
        reject(message, |session| session.get("mcp").is_some_and(Value::is_null))
    }),
    Fault::hears("INIT-12", &[], |_, message| {
        if message.pointer("/result/capabilities/attacheFuture").is_some() {
            *message = failed(message);
        }
    }),
    Fault::hears("INIT-13", &[], |_, message| reject(message, |session| session["mcp"] == false)),
    Fault::hears("V2-06", &[], |client, message| without_methods(client, message, "logout")),
    Fault::hears("V2-06", &[], |client, message| without_methods(client, message, "login")),
    Fault::says("V2-07", &[], |_, s| {
        change(s, "auth/login", |params| params["methodId"] = json!("Log in"))
    }),
    Fault::hears("V2-08", &[], |_, message| {
        let all = message.pointer_mut("/result/authMethods").and_then(Value::as_array_mut);
        for method in all.into_iter().flatten() {
            method["type"] = json!("agent");
        }
    }),
    Fault::hears("V2-11", &[], |client, message| offered(client, message, "delete", "/delete")),
    Fault::hears("V2-11", &[], |client, message| offered(client, message, "fork", "/fork")),
    Fault::hears("V2-11", &[], |client, message| offered(client, message, "prompt", "")),
    Fault::hears("V2-12", &[], |client, message| {
        offered(client, message, "image", "/prompt/image")
    }),
    Fault::hears("V2-13", &[], |client, message| offered(client, message, "mcp", "/mcp/http")),
    Fault::hears("V2-13", &[], |client, message| {
        offered(client, message, "directories", "/additionalDirectories")
    }),
    Fault::says("V2-19", &[], |_, s| change(s, "session/new", |params| params["cwd"] = json!("."))),
    Fault::says("V2-21", &[], |_, s| {
        change(s, "session/prompt", |params| {
            if params["sessionId"] == "check-session-that-was-opened" {
                params["sessionId"] = json!("check-session-1");
            }
        });
    }),
    Fault::says("V2-27", &[], |h, s| {
        if h.client.is_on("cancel") {
            change(s, "session/prompt", |params| params["prompt"] = json!([]));
        }
    }),
    Fault::says("V2-44", &[], |h, s| {
        if h.params()["update"]["toolCallId"] == "check-fixed" {
            let params = json!({"sessionId": h.params()["sessionId"], "toolCallId": "check-fixed"});
            s.push(Said::Line(
                json!({"jsonrpc": "2.0", "id": 77, "method": "tool_call/cancel", "params": params}),
            ));
        }
    }),
    Fault::says("V2-44", &[], |h, s| {
        if h.params()["update"]["terminalId"] == "check-fixed-terminal" {
            let params =
                json!({"sessionId": h.params()["sessionId"], "terminalId": "check-fixed-terminal"});
            s.push(Said::Line(
                json!({"jsonrpc": "2.0", "id": 77, "method": "terminal/cancel", "params": params}),
            ));
        }
    }),
    Fault::says("V2-47", &[], |_, s| {
        change(s, "session/prompt", |params| {
            if params["prompt"][1]["type"] == "image" {
                params["prompt"][1]["data"] = json!("no base64");
            }
        });
    }),
    Fault::says("V2-50", &[], |h, s| {
        if h.client.is_on("cancel") {
            let link = json!({
                "type": "resource_link", "name": "x", "uri": "https://example.com/x",
                "icons": [{"src": "http://example.com/icon.png"}],
            });
            change(s, "session/prompt", |params| {
                params["prompt"].as_array_mut().unwrap().push(link.clone());
            });
        }
    }),
    Fault::says("V2-56", &[], |_, s| {
        change(s, "session/set_config_option", |params| {
            if params["type"] == "boolean" {
                params["type"] = json!("id");
                params["value"] = json!("true");
            }
        });
    }),
    Fault::says("V2-63", &[], |h, s| {
        super::change_answer(h, s, "session/request_permission", |_, answer| {
            if let Some(chosen) =
                answer.pointer_mut("/result/outcome/optionId").filter(|id| *id == "yes\nno")
            {
                *chosen = json!("yes no");
            }
        });
    }),
    Fault::says("V2-68", &[], |_, s| {
        change(s, "session/list", |params| {
            if let Some(cursor) = params["cursor"].as_str() {
                params["cursor"] = json!(cursor.trim());
            }
        });
    }),
    Fault::says("V2-69", &[], |h, s| {
        if h.params()["requestedSchema"]["properties"]["x"]["default"] == 99 {
            super::give(h, s, json!({"action": "accept", "content": {"x": 99}}));
        }
    }),
    Fault::says("V2-75", &[], |h, s| {
        if h.is("$/cancel_request") {
            super::change_answer(h, s, "session/request_permission", |_, answer| {
                let error = json!({"code": -32800, "message": "withdrawn"});
                *answer = json!({"jsonrpc": "2.0", "id": answer["id"], "error": error});
            });
        }
    }),
    Fault::hears("V2-77", &[], |_, message| {
        if message["params"]["update"]["state"] == "_attache_check_paused" {
            message["params"]["update"]["state"] = json!("idle");
        }
    }),
    Fault::says("V2-79", &[], |h, s| {
        let is_prompting = h.client.asked.values().any(|method| *method == "session/prompt");
        if h.params()["update"]["state"] == "idle" && is_prompting {
            s.push(Said::Left(0));
        }
    }),
    Fault::says("DEC-13", &[], |h, s| {
        ends(h, s, |update| {
            update["sessionUpdate"] == "terminal_update" && update.get("attacheFuture").is_some()
        })
    }),
    Fault::says("DEC-18", &[], |h, s| {
        ends(h, s, |update| update["sessionUpdate"] == "current_mode_update")
    }),
    // The client reads a permission request of version 1.
    Fault::hears("RPC-23", &[], |_, message| {
        if message["params"]["toolCall"]["toolCallId"] == "check-old" {
            message["params"]["title"] = json!("Check");
        }
    }),
    Fault::says("DEC-09", &[], |h, s| ends(h, s, |update| update["status"] == "check_paused")),
    Fault::says("DEC-10", &[], |h, s| {
        ends(h, s, |update| update["background"][0]["type"] == "check_hologram")
    }),
    Fault::says("DEC-10", &[], |h, s| {
        if h.is("session/request_permission") && h.params()["subject"]["type"] == "check_purchase" {
            super::refuse(h, s, -32602);
        }
    }),
    Fault::says("DEC-08", &[], |h, s| ends(h, s, |update| update["data"] == "no base64")),
    Fault::says("INIT-15", &[], |h, s| {
        if h.is("session/request_permission") && h.params()["subject"]["type"] == "command" {
            super::refuse(h, s, -32602);
        }
    }),
    Fault::hears("PROMPT-16", &[], |_, message| {
        if message["params"]["update"]["stopReason"] == "check_pause" {
            *message = json!({"jsonrpc": "2.0", "method": "attache/none"});
        }
    }),
    Fault::hears("PLAN-03", &[], |client, message| {
        let old = client.screen.plans.get("check-plan").and_then(Value::as_array);
        if let Some(entries) =
            message.pointer_mut("/params/update/plan/entries").and_then(Value::as_array_mut)
        {
            entries.splice(0..0, old.into_iter().flatten().cloned());
        }
    }),
];

/// Ends the client after an update that meets this condition.
fn ends(heard: &Heard<'_>, said: &mut Vec<Said>, is_too_much: fn(&Value) -> bool) {
    if heard.is("session/update") && is_too_much(&heard.params()["update"]) {
        said.push(Said::Left(1));
    }
}

/// Calls `initialize` again with this version, before the client's other messages.
fn initializes_again(heard: &Heard<'_>, said: &mut Vec<Said>, version: u64) {
    let mut params = crate::handshake::params(heard.client.kind, Version::Two);
    params["protocolVersion"] = json!(version);
    let call = json!({"jsonrpc": "2.0", "id": 77, "method": "initialize", "params": params});
    said.insert(0, Said::Line(call));
}

/// Makes the client reject the reply to `initialize` if the capabilities of sessions meet this
/// condition.
fn reject(message: &mut Value, is_refused: fn(&Value) -> bool) {
    if message.pointer("/result/capabilities/session").is_some_and(is_refused) {
        *message = failed(message);
    }
}

fn failed(message: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "what is that"}})
}

/// Makes a client with this task assume that the agent has a login method.
fn without_methods(client: &Correct, message: &mut Value, task: &str) {
    if client.is_on(task)
        && let Some(result) = message.get_mut("result").filter(|it| it["capabilities"].is_object())
        && !result["authMethods"][0].is_object()
    {
        result["authMethods"] = json!([{"methodId": "x", "name": "X", "type": "agent"}]);
    }
}

/// Makes a client with this task assume that the agent advertises this capability of sessions.
fn offered(client: &Correct, message: &mut Value, task: &str, capability: &str) {
    let Some(capabilities) = message.pointer_mut("/result/capabilities") else { return };
    if client.is_on(task) {
        let mut place = &mut capabilities["session"];
        for key in capability.split('/').skip(1) {
            place = &mut place[key];
        }
        if place.is_null() {
            *place = json!({});
        }
    }
}
