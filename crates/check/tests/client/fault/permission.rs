//! Faults in the answers to permission requests.

use super::{Fault, Heard, change_answer, give, refuse};
use crate::correct::Said;
use serde_json::{Value, json};

const ASK: &str = "session/request_permission";

pub(crate) const FAULTS: &[Fault] = &[
    Fault::says("INIT-15", &[], |h, s| {
        if h.is(ASK) && call(h) == "call-served" {
            refuse(h, s, -32601);
        }
    }),
    Fault::says("PERM-03", &[], |h, s| {
        change_answer(h, s, ASK, |_, answer| {
            if let Some(chosen) =
                answer.pointer_mut("/result/outcome/optionId").filter(|id| *id == "yes\nno")
            {
                *chosen = json!("yes no");
            }
        });
    }),
    Fault::says("PERM-05", &[], |h, s| {
        if h.is(ASK) && call(h) == "call-b" && h.client.is_on("reject") {
            choose(h, s, &json!("yes-b"));
        }
    }),
    Fault::says("PERM-06", &["CANCEL-05"], |h, s| {
        if h.is(ASK) && h.client.is_cancelled {
            choose(h, s, &h.params()["options"][0]["optionId"]);
        }
    }),
    Fault::says("PERM-08", &[], |h, s| {
        if h.is(ASK) && call(h) == "misleading" {
            choose(h, s, &json!("allow_once"));
        }
    }),
    Fault::hears("PERM-09", &[], |_, message| {
        if let Some(options) = message.pointer_mut("/params/options").and_then(Value::as_array_mut)
        {
            options.retain(|option| option["kind"] != "allow_session");
        }
    }),
    Fault::says("PERM-11", &[], |h, s| {
        if h.is(ASK) && call(h) == "only" {
            s.clear();
        }
    }),
    Fault::says("PERM-12", &[], |h, s| {
        if h.is(ASK) && call(h) == "call-b" && !h.client.is_on("reject") {
            s.clear();
        }
    }),
    Fault::says("PERM-13", &[], |h, s| {
        if h.is(ASK) && h.params()["options"] == json!([]) {
            refuse(h, s, -32603);
        }
    }),
    Fault::says("TOOL-16", &[], |h, s| {
        if h.is(ASK) && subject(h.params())["name"] == "read_file" {
            choose(h, s, &json!("yes-read_file"));
        }
    }),
    // One of three requests gets no answer.
    Fault::says("CANCEL-05", &[], |h, s| {
        s.retain(|said| {
            !matches!(said, Said::Line(answer)
                if h.message.is_null() && subject(&h.answered(answer)["params"])["toolCallId"] == "call-early-2")
        });
    }),
    Fault::says("CANCEL-21", &[], |h, s| {
        if h.is("$/cancel_request") {
            change_answer(
                h,
                s,
                ASK,
                |_, answer| *answer = json!({"jsonrpc": "2.0", "id": answer["id"], "error": {"code": -32603, "message": "withdrawn"}}),
            );
        }
    }),
];

/// Returns the tool call of the permission request.
fn call<'h>(heard: &'h Heard<'_>) -> &'h Value {
    &subject(heard.params())["toolCallId"]
}

/// Returns the tool call in the params of a permission request, in either version.
fn subject(params: &Value) -> &Value {
    params.get("toolCall").unwrap_or(&params["subject"]["toolCall"])
}

fn choose(heard: &Heard<'_>, said: &mut Vec<Said>, id: &Value) {
    give(heard, said, json!({"outcome": {"outcome": "selected", "optionId": id}}));
}
