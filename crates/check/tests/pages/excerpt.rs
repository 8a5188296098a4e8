//! How a message of a page compares with one that a program sends.
//!
//! A page may leave out members of objects and items of lists.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Members whose values differ from run to run: the same value in the page means the same value of
/// the program.
const VARYING: &[&str] =
    &["sessionId", "toolCallId", "messageId", "requestId", "terminalId", "updatedAt", "version"];

/// The values of the program, by the name of their member and their value in the page.
pub(crate) type Bound = BTreeMap<(String, String), Value>;

/// Replaces the varying values of a page by those of the program.
pub(crate) fn substitute(json: &mut Value, bound: &Bound) {
    match json {
        Value::Object(members) => {
            for (name, value) in members {
                match bound.get(&(name.clone(), value.to_string())) {
                    Some(actual) if VARYING.contains(&name.as_str()) => *value = actual.clone(),
                    _ => substitute(value, bound),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| substitute(item, bound)),
        _ => {}
    }
}

/// Returns the values that are known afterwards, if `page` is an excerpt of `sent`.
pub(crate) fn excerpt(name: &str, page: &Value, sent: &Value, mut bound: Bound) -> Option<Bound> {
    match (page, sent) {
        (Value::Object(page), Value::Object(sent)) => members(page, sent, bound),
        (Value::Array(page), Value::Array(sent)) if page.is_empty() == sent.is_empty() => {
            let mut rest = sent.iter();
            for item in page {
                bound = rest.find_map(|sent| excerpt(name, item, sent, bound.clone()))?;
            }
            Some(bound)
        }
        (Value::String(_), Value::String(_)) if VARYING.contains(&name) => {
            let known = bound.entry((name.to_owned(), page.to_string())).or_insert(sent.clone());
            (known == sent).then_some(bound)
        }
        _ => (page == sent).then_some(bound),
    }
}

fn members(page: &Map<String, Value>, sent: &Map<String, Value>, bound: Bound) -> Option<Bound> {
    let mut members = page.iter();
    members.try_fold(bound, |bound, (name, page)| excerpt(name, page, sent.get(name)?, bound))
}

#[test]
fn excerpt_has_only_what_the_agent_sends() {
    let fits = |page, sent| {
        let read = |text| serde_json::from_str(text).unwrap();
        excerpt("", &read(page), &read(sent), Bound::new()).is_some()
    };
    assert!(fits(r#"{"a":[1,3],"sessionId":"p"}"#, r#"{"a":[1,2,3],"b":0,"sessionId":"s"}"#));
    assert!(!fits(r#"{"a":[3,1]}"#, r#"{"a":[1,2,3]}"#));
    assert!(!fits(r#"{"a":[]}"#, r#"{"a":[1]}"#));
    assert!(!fits(r#"{"a":1}"#, r#"{"b":1}"#));
    assert!(!fits(
        r#"[{"toolCallId":"p"},{"toolCallId":"p"}]"#,
        r#"[{"toolCallId":"s"},{"toolCallId":"t"}]"#
    ));
}
