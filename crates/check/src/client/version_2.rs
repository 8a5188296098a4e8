//! The forms of version 2 for the messages of probes that judge both versions.
//!
//! These probes write messages as version 1 defines them. The functions change only what version 2
//! expresses in another form, and leave malformed parts as they are.

use crate::json::json;
use serde_json::{Map, Value};

/// The message id of chunks for which a probe gives none.
const MESSAGE: &str = "check-message";

/// Returns the JSON pointer in the result of `initialize` for one of version 1.
pub(crate) fn pointer(of_version_1: &str) -> String {
    for (old, new) in [("/agentCapabilities", "/capabilities"), ("/agentInfo", "/info")] {
        if let Some(rest) = of_version_1.strip_prefix(old) {
            return format!("{new}{rest}");
        }
    }
    of_version_1.to_owned()
}

/// Changes an update of version 1 into the equivalent update of version 2.
pub(crate) fn update(update: &mut Value) {
    let Value::Object(members) = update else { return };
    let kind = members.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default().to_owned();
    match kind.as_str() {
        "tool_call" => set(members, "sessionUpdate", json!("tool_call_update")),
        "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"
            if members.get("messageId").is_none_or(Value::is_null) =>
        {
            set(members, "messageId", json!(format!("{MESSAGE}-{kind}")));
        }
        "plan" => {
            let entries = members.remove("entries").unwrap_or_default();
            set(members, "sessionUpdate", json!("plan_update"));
            set(
                members,
                "plan",
                json!({"type": "items", "planId": "check-plan", "entries": entries}),
            );
        }
        "available_commands_update" => each(members, "availableCommands", command),
        "config_option_update" => config_options(update),
        _ => {}
    }
}

/// Changes the params of a permission request of version 1 into those of version 2.
pub(crate) fn permission(params: &mut Value) {
    let Value::Object(members) = params else { return };
    if let Some(call) = members.remove("toolCall") {
        let title = call.get("title").cloned().unwrap_or(json!("Attache check asks"));
        members.entry("title").or_insert(title);
        set(members, "subject", json!({"type": "tool_call", "toolCall": call}));
    }
}

/// Changes the login methods of version 1 in an object into those of version 2.
pub(crate) fn login_methods(holder: &mut Value) {
    let Value::Object(members) = holder else { return };
    each(members, "authMethods", |method| {
        rename(method, "id", "methodId");
        method.entry("type").or_insert(json!("agent"));
        if let Some(Value::Object(env)) = method.get("env") {
            let variable = |(name, value)| json!({"name": name, "value": value});
            let env: Vec<Value> = env.iter().map(variable).collect();
            set(method, "env", json!(env));
        }
    });
}

/// Changes the config options of version 1 in an object into those of version 2.
pub(crate) fn config_options(holder: &mut Value) {
    let Value::Object(members) = holder else { return };
    each(members, "configOptions", |option| {
        rename(option, "id", "configId");
        each(option, "options", |group| rename(group, "group", "groupId"));
    });
}

fn command(command: &mut Map<String, Value>) {
    command.entry("type").or_insert(json!("command"));
    if let Some(Value::Object(input)) = command.get_mut("input") {
        input.entry("type").or_insert(json!("text"));
    }
}

/// Changes every object in a list.
fn each(members: &mut Map<String, Value>, key: &str, change: impl Fn(&mut Map<String, Value>)) {
    let list = members.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

fn rename(members: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = members.remove(old) {
        set(members, new, value);
    }
}

fn set(members: &mut Map<String, Value>, key: &str, value: Value) {
    members.insert(key.to_owned(), value);
}
