//! Keys that an object of a JSON file has twice. Programs disagree about which one counts.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::BTreeMap;

/// Finds a key that repeats on the way along `path` from the root of a file: one of the path, or
/// any in the object at its end. Returns a text that names it and its lines.
pub(super) fn key(text: &str, path: &[&str]) -> Option<String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Some(Value::Object(mut object)) = parsed.value else { return None };
    for name in path {
        if let Some(found) = repeated(text, &object, Some(name)) {
            return Some(found);
        }
        object = object.take_object(name)?;
    }
    repeated(text, &object, None)
}

/// Finds a key that an object has several times: only this one, if it is given.
fn repeated(text: &str, object: &Object<'_>, only: Option<&str>) -> Option<String> {
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for property in &object.properties {
        let name = property.name.as_str();
        if only.is_none_or(|only| only == name) {
            let before = text.get(..property.start()).unwrap_or_default();
            lines.entry(name).or_default().push((before.matches('\n').count() + 1).to_string());
        }
    }
    let (name, lines) = lines.into_iter().find(|(_, lines)| lines.len() > 1)?;
    let (last, others) = lines.split_last()?;
    let (count, others) = (lines.len(), others.join(", "));
    Some(format!("\"{name}\" is there {count} times, on the lines {others} and {last}"))
}
