//! Repairs tool arguments that are almost JSON.

use serde_json::Value;

/// Parses the arguments, even if they are in a code fence, are a JSON string that contains JSON, or
/// have commas before closing brackets.
pub(super) fn value(arguments: &str) -> Result<Value, serde_json::Error> {
    let wrong = match serde_json::from_str::<Value>(arguments) {
        Ok(value) => return Ok(unwrapped(value)),
        Err(error) => error,
    };
    let text = unfenced(arguments);
    let repaired = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&without_trailing_commas(text)));
    // The error is about the text as the model wrote it.
    repaired.map(unwrapped).map_err(|_| wrong)
}

/// Parses the values of fields that are strings with JSON, if the tool does not expect text there.
pub(super) fn parse_nested_fields(value: Value) -> Value {
    let Value::Object(mut fields) = value else { return value };
    for field in fields.values_mut() {
        if let Value::String(text) = &*field
            && text.trim_start().starts_with(['[', '{'])
            && let Ok(inner) = self::value(text)
        {
            *field = inner;
        }
    }
    Value::Object(fields)
}

/// The value of a string that contains JSON.
fn unwrapped(value: Value) -> Value {
    match &value {
        Value::String(text) => match serde_json::from_str(text.trim()) {
            Ok(inner @ Value::Object(_)) => inner,
            _ => value,
        },
        _ => value,
    }
}

/// The content of a Markdown code block, if the text is nothing else.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    let inner = inner.strip_prefix("json").unwrap_or(inner);
    inner.trim()
}

/// The text without commas before closing brackets. Strings are unchanged.
fn without_trailing_commas(text: &str) -> String {
    let (mut repaired, mut in_string, mut escaped) =
        (String::with_capacity(text.len()), false, false);
    for (at, character) in text.char_indices() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character == '"' {
            in_string = true;
        } else if character == ',' {
            let rest = text.get(at + 1..).unwrap_or_default().trim_start();
            if rest.starts_with(['}', ']']) {
                continue;
            }
        }
        repaired.push(character);
    }
    repaired
}

#[cfg(test)]
mod tests {
    use super::{parse_nested_fields, value};
    use serde_json::json;

    #[test]
    fn nearly_valid_json_is_repaired() {
        let expected = json!({ "path": "a,}", "lines": [1, 2] });
        for arguments in [
            r#"{"path":"a,}","lines":[1,2]}"#,
            r#"{"path":"a,}","lines":[1,2,],}"#,
            "{\"path\":\"a,}\",\"lines\":[1,2 ,\n]\n,\n}",
            "```json\n{\"path\":\"a,}\",\"lines\":[1,2]}\n```",
            "```\n{\"path\":\"a,}\",\"lines\":[1,2,]}\n```\n",
            r#""{\"path\":\"a,}\",\"lines\":[1,2]}""#,
        ] {
            assert_eq!(value(arguments).unwrap(), expected, "{arguments}");
        }
        let nested = json!({ "path": "{\"a\":1}", "lines": "[1, 2,]" });
        assert_eq!(parse_nested_fields(nested), json!({ "path": { "a": 1 }, "lines": [1, 2] }));
    }

    #[test]
    fn ambiguous_text_is_not_repaired() {
        for arguments in ["{\"path\": \"a", "{\"path\": a}", "```", "", "\"", "{,}x", "\\", "[1,2"]
        {
            assert!(value(arguments).is_err(), "{arguments}");
        }
        assert_eq!(value(r#""just words""#).unwrap(), json!("just words"));
        assert_eq!(value(r#""a \" b,]""#).unwrap(), json!("a \" b,]"));
    }
}
