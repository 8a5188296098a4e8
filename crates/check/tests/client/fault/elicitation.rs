//! Faults in the handling of elicitations.

use super::{Fault, Heard, change_answer, give, refuse};
use serde_json::{Value, json};
use std::net::TcpStream;

const ASK: &str = "elicitation/create";

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("ELIC-02", &[], |h, s| {
        if h.is(ASK) && h.params()["mode"] == "url" {
            give(h, s, json!({"action": "decline"}));
        }
    })
    .bare(),
    Fault::hears("ELIC-05", &[], |_, message| {
        if message["method"] == ASK && message["params"].get("mode").is_none() {
            message["params"]["mode"] = json!("form");
        }
    }),
    Fault::says("ELIC-09", &[], |h, _| {
        if h.is(ASK)
            && let Some(url) =
                h.params()["url"].as_str().and_then(|url| url.strip_prefix("http://"))
        {
            drop(TcpStream::connect(url.split('/').next().unwrap()));
        }
    }),
    Fault::says("ELIC-13", &["META-03"], |h, s| {
        change_answer(h, s, ASK, |_, answer| {
            if answer["result"]["action"] == "decline" {
                answer["result"]["content"] = json!({"name": ""});
            }
        });
    }),
    Fault::says("ELIC-14", &[], |h, s| {
        if *default(h, "x") == 99 {
            give(h, s, json!({"action": "accept", "content": {"x": 99}}));
        }
    }),
    Fault::says("ELIC-20", &["RPC-11"], |h, s| {
        if h.is("elicitation/complete") {
            refuse(h, s, -32602);
        }
    }),
    Fault::says("ELIC-22", &[], |h, s| {
        if default(h, "colour") == "red" {
            give(h, s, json!({"action": "accept", "content": {"colour": "red"}}));
        }
    }),
    Fault::says("ELIC-24", &[], |h, s| {
        if h.is(ASK) && h.params().pointer("/requestedSchema/properties/x/pattern").is_some() {
            s.clear();
        }
    }),
    Fault::says("ELIC-25", &[], |h, s| {
        if h.is(ASK) && h.params()["mode"] == "form" && h.params().get("requestedSchema").is_none()
        {
            give(h, s, json!({"action": "cancel"}));
        }
    }),
    Fault::says("ELIC-26", &[], |h, s| {
        if h.message.is_null() {
            change_answer(h, s, ASK, |_, answer| answer["result"]["action"] = json!("decline"));
        }
    }),
];

/// Returns the default of a property in the requested form.
fn default<'h>(heard: &'h Heard<'_>, property: &str) -> &'h Value {
    &heard.params()["requestedSchema"]["properties"][property]["default"]
}
