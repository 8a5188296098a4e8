//! The descriptions of tools, as models read them.

use crate::models::ToolSpec;
use serde_json::{Value, json};

/// A tool's description for models; `properties` are the JSON Schemas of its arguments.
pub(crate) fn spec(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
    }
}

/// The JSON Schema of a string.
pub(crate) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// The JSON Schema of a boolean.
pub(crate) fn yes_no(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// The JSON Schema of an integer of at least 1.
pub(crate) fn number(description: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "description": description})
}
