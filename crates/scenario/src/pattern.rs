//! Patterns of JSON, with names for values that only the conversation determines, such as the id of
//! a session.

use serde_json::Value;
use std::collections::BTreeMap;

/// The values of the names of a scenario so far.
#[derive(Debug, Default, Clone)]
pub struct Bindings(BTreeMap<String, Value>);

impl Bindings {
    /// Sets a name before the play, for example the folder of a session.
    pub fn bind(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Matches `value`. On success, new names get their values; on failure, the error contains the
    /// path and the difference.
    pub(crate) fn matches(&mut self, pattern: &Value, value: &Value) -> Result<(), String> {
        let mut bound = self.clone();
        bound.compare(pattern, value, "")?;
        *self = bound;
        Ok(())
    }

    fn compare(&mut self, pattern: &Value, value: &Value, path: &str) -> Result<(), String> {
        match (pattern, value) {
            (Value::String(text), _) if text == "*" => Ok(()),
            (Value::String(text), _) if text.strip_prefix('$').is_some_and(is_name) => {
                self.named(text, value, path)
            }
            (Value::Object(wanted), Value::Object(members)) => {
                wanted.iter().try_for_each(|(key, wanted)| match members.get(key) {
                    Some(member) => self.compare(wanted, member, &format!("{path}.{key}")),
                    None => Err(format!("{path}.{key} is missing")),
                })
            }
            (Value::Array(wanted), Value::Array(items)) => self.compare_items(wanted, items, path),
            (Value::String(text), _) if text.contains('$') => {
                let wanted = serde_json::from_str(&self.fill(&pattern.to_string())?);
                let wanted: Value = wanted.map_err(|error| format!("{pattern}: {error}"))?;
                if wanted == *value {
                    Ok(())
                } else {
                    Err(format!("{path} is {value}, not {wanted}"))
                }
            }
            _ if pattern == value => Ok(()),
            _ => Err(format!("{path} is {value}, not {pattern}")),
        }
    }

    fn compare_items(
        &mut self,
        wanted: &[Value],
        items: &[Value],
        path: &str,
    ) -> Result<(), String> {
        if let Some((Value::String(first), wanted)) = wanted.split_first()
            && first == "..."
        {
            let mut items = items.iter();
            return wanted.iter().try_for_each(|wanted| {
                let found = items.any(|item| self.matches(wanted, item).is_ok());
                if found {
                    Ok(())
                } else {
                    Err(format!("{path} has no item {wanted} after those found before"))
                }
            });
        }
        if wanted.len() != items.len() {
            return Err(format!("{path} has {} items, not {}", items.len(), wanted.len()));
        }
        let mut pairs = wanted.iter().zip(items).enumerate();
        pairs.try_for_each(|(index, (wanted, item))| {
            self.compare(wanted, item, &format!("{path}[{index}]"))
        })
    }

    fn named(&mut self, name: &str, value: &Value, path: &str) -> Result<(), String> {
        let known =
            self.0.entry(name.trim_start_matches('$').to_owned()).or_insert_with(|| value.clone());
        if known == value {
            Ok(())
        } else {
            Err(format!("{path} is {value}, but {name} was {known}"))
        }
    }

    /// Returns `line` with every `$name` replaced: a whole JSON string by the value, a part of a
    /// string by the text. A name without a value is an error of the scenario.
    pub(crate) fn fill(&self, line: &str) -> Result<String, String> {
        let mut filled = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('$') {
            let end = after.find(|letter: char| !is_letter(letter)).unwrap_or(after.len());
            let (name, behind) = after.split_at(end);
            if name.is_empty() {
                filled.push_str(before);
                filled.push('$');
                rest = after;
                continue;
            }
            let value = self.0.get(name).ok_or_else(|| format!("${name} has no value"))?;
            let text = value.to_string();
            match (before.strip_suffix('"'), behind.strip_prefix('"')) {
                (Some(before), Some(behind)) => {
                    filled.push_str(before);
                    filled.push_str(&text);
                    rest = behind;
                }
                _ => {
                    filled.push_str(before);
                    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                    filled.push_str(inner.unwrap_or(&text));
                    rest = behind;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

fn is_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

    use super::Bindings;
    use serde_json::json;

    #[test]
    fn an_object_may_have_more_members_but_not_fewer_or_other_ones() {
        let mut names = Bindings::default();
        let value = json!({"id": 1, "result": {"a": [1, 2]}});
        for matching in
            [json!({}), json!({"id": 1}), json!({"result": {"a": [1, 2]}}), json!({"result": "*"})]
        {
            assert_eq!(names.matches(&matching, &value), Ok(()), "{matching}");
        }
        for other in [
            json!({"id": "1"}),
            json!({"id": 2}),
            json!({"error": "*"}),
            json!({"result": {"a": [1]}}),
            json!({"result": {"a": [2, 1]}}),
            json!({"result": []}),
            json!([]),
        ] {
            assert!(names.matches(&other, &value).is_err(), "{other}");
        }
    }

    #[test]
    fn dots_match_any_other_items_of_an_array() {
        let mut names = Bindings::default();
        let value = json!([{"id": "a"}, {"id": "b", "x": 1}, {"id": "c"}]);
        for matching in
            [json!(["..."]), json!(["...", {"id": "b"}]), json!(["...", {"id": "a"}, {"id": "c"}])]
        {
            assert_eq!(names.matches(&matching, &value), Ok(()), "{matching}");
        }
        for other in [
            json!(["...", {"id": "d"}]),
            json!(["...", {"id": "c"}, {"id": "a"}]),
            json!([{"id": "a"}, "..."]),
        ] {
            assert!(names.matches(&other, &value).is_err(), "{other}");
        }
    }

    #[test]
    fn a_name_keeps_its_first_value_and_a_failed_match_sets_no_name() {
        let mut names = Bindings::default();
        assert!(names.matches(&json!({"a": "$a", "b": 2}), &json!({"a": 1, "b": 3})).is_err());
        assert_eq!(names.matches(&json!({"a": "$a"}), &json!({"a": "x"})), Ok(()));
        assert!(names.matches(&json!({"a": "$a"}), &json!({"a": "y"})).is_err());
        assert_eq!(names.matches(&json!("$/cancel"), &json!("$/cancel")), Ok(()));
        assert!(names.matches(&json!("$/cancel"), &json!("else")).is_err());
        assert_eq!(names.matches(&json!("in $a/b"), &json!("in x/b")), Ok(()));
        assert!(names.matches(&json!("in $a/b"), &json!("in y/b")).is_err());
        assert!(names.matches(&json!("in $never/b"), &json!("in x/b")).is_err());
    }

    #[test]
    fn sent_names_are_replaced_by_values_and_within_strings_by_text() {
        let mut names = Bindings::default();
        names.bind("id", 7);
        names.bind("id2", "a \"b\"");
        let filled = names.fill(r#"{"id":"$id","x":"$id2","y":"to $id2/$id","m":"$/zzz"}"#);
        assert_eq!(filled.unwrap(), r#"{"id":7,"x":"a \"b\"","y":"to a \"b\"/7","m":"$/zzz"}"#);
        assert!(names.fill(r#"{"id":"$ID"}"#).is_err());
    }
}
