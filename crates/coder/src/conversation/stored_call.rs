//! A tool call in the format of older sessions.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A tool call of the offline model, as stored before that model made ordinary tool calls:
/// `{"Read": {"path": "a"}}`. Such calls are still read but no longer written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct StoredCall(Map<String, Value>);

impl StoredCall {
    /// The name of the tool.
    pub(crate) fn name(&self) -> String {
        let mut name = String::new();
        for (index, letter) in self.variant().char_indices() {
            if index > 0 && letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }

    /// The arguments, in the form in which a model writes them for the tool.
    pub(crate) fn arguments(&self) -> Value {
        let stored = self.0.values().next().cloned().unwrap_or_default();
        match (self.variant(), &stored) {
            // Each entry is a string that contains JSON.
            ("Plan", Value::Array(entries)) => {
                let entry = |entry: &Value| serde_json::from_str::<Value>(entry.as_str()?).ok();
                json!({ "entries": entries.iter().filter_map(entry).collect::<Vec<_>>() })
            }
            _ => stored,
        }
    }

    /// Whether the call only shows a plan.
    pub(crate) fn is_plan(&self) -> bool {
        self.variant() == "Plan"
    }

    fn variant(&self) -> &str {
        self.0.keys().next().map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::StoredCall;

    #[test]
    fn stored_calls_have_the_names_and_arguments_of_their_tools() {
        for (stored, name, arguments) in [
            (r#"{"Read":{"line":null,"path":"a"}}"#, "read", r#"{"line":null,"path":"a"}"#),
            (r#"{"ExitPlan":{"plan":"b"}}"#, "exit_plan", r#"{"plan":"b"}"#),
            (
                r#"{"Plan":["{\"content\":\"c\",\"status\":\"pending\"}"]}"#,
                "plan",
                r#"{"entries":[{"content":"c","status":"pending"}]}"#,
            ),
        ] {
            let call: StoredCall = serde_json::from_str(stored).unwrap();
            assert_eq!(
                (call.name().as_str(), call.arguments().to_string()),
                (name, arguments.to_owned())
            );
            assert_eq!(serde_json::to_string(&call).unwrap(), stored);
        }
    }
}
