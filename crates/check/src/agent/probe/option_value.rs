//! Helpers that read config options from an agent's messages.

use serde_json::Value;

/// Returns the config options of a result or an update.
pub(super) fn options(holder: &Value) -> &[Value] {
    holder.get("configOptions").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the ids of options with their current values.
pub(super) fn values(options: &[Value]) -> Vec<(String, String)> {
    let text = |option: &Value, key| option.get(key).map(Value::to_string).unwrap_or_default();
    options.iter().map(|option| (text(option, "id"), text(option, "currentValue"))).collect()
}

/// Returns the ids of the options that can be changed, each with a value that is not the current
/// one.
pub(super) fn choices(all: &[Value]) -> Vec<(Value, Value)> {
    let choice = |option: &Value| {
        let current = option.get("currentValue")?;
        let values = option.get("options")?.as_array()?;
        let mut values = values.iter().filter_map(|value| value.get("value"));
        Some((option.get("id")?.clone(), values.rfind(|value| *value != current)?.clone()))
    };
    all.iter().filter_map(choice).collect()
}
