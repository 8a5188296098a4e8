//! Faults in modes and config options.

use super::{Fault, change};
use serde_json::{Value, json};

const SET: &str = "session/set_config_option";

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("MODE-02", &["MODE-06", "DEC-02"], |_, s| {
        change(s, "session/set_mode", |params| params["modeId"] = json!("Code"))
    }),
    Fault::hears("MODE-06", &[], |_, message| {
        if message["result"]["modes"].is_object() {
            message["result"]["configOptions"] = json!([]);
        }
    }),
    Fault::hears("CONF-04", &["CONF-24"], |_, message| answer_without_news(message)),
    Fault::hears("CONF-24", &[], |client, message| {
        if client.screen.seen.contains("config_option_update") {
            answer_without_news(message);
        }
    }),
    Fault::says("CONF-09", &["META-03"], |_, s| {
        change(s, SET, |params| {
            if params["value"].is_string() {
                params["type"] = json!("id");
            }
        });
    }),
    Fault::hears("CONF-12", &[], |_, message| {
        drop_all(message, |option| option["type"] == "check_slider")
    }),
    Fault::hears("CONF-13", &[], |_, message| {
        drop_all(message, |option| option["category"] == "check_category")
    }),
    Fault::hears("CONF-20", &[], |_, message| {
        drop_all(message, |option| option["options"][0]["value"] == 5)
    }),
    Fault::hears("DEC-01", &[], |_, message| {
        drop_all(message, |option| option["description"] == 5)
    }),
    Fault::hears("DEC-02", &[], |_, message| drop_all(message, |option| *option == 5)),
    Fault::hears("DEC-09", &[], |_, message| {
        drop_all(message, |option| option["category"] == "check_open")
    }),
    Fault::hears("DEC-04", &[], |_, message| {
        if message["result"]["configOptions"] == "x" {
            *message = json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": "no list"}});
        }
    }),
];

/// Makes the client ignore all but the first option of a reply.
fn answer_without_news(message: &mut Value) {
    if message["result"].get("sessionId").is_none()
        && let Some(options) =
            message.pointer_mut("/result/configOptions").and_then(Value::as_array_mut)
    {
        options.truncate(1);
    }
}

/// Makes the client ignore the whole list if one option meets this condition.
fn drop_all(message: &mut Value, spoils: fn(&Value) -> bool) {
    if let Some(options) =
        message.pointer_mut("/result/configOptions").and_then(Value::as_array_mut)
        && options.iter().any(spoils)
    {
        options.clear();
    }
}
