//! How metadata of a session meets what is stored.

use attache_protocol::{Map, Meta, Raw, decode, encode};

/// Objects nested deeper are replaced, not merged.
const DEPTH: usize = 32;

/// `patch` merged into `stored` as v1 has it (INFO-09): objects merge recursively, `null` removes its key, everything else, arrays too,
/// replaces. Values that are not touched keep their text and their order.
pub fn merged_meta(stored: Option<&Meta>, patch: &Meta) -> Meta {
    let merged = merge(stored.map(Meta::raw), patch.raw(), DEPTH);
    // A merge of objects is an object.
    Meta::new(merged).unwrap_or_else(|| patch.clone())
}

fn merge(stored: Option<&Raw>, patch: &Raw, depth: usize) -> Raw {
    let Some(changes) = members(patch).filter(|_| depth > 0) else { return patch.clone() };
    let mut result = stored.and_then(members).unwrap_or_default();
    for (key, change) in changes.0 {
        let place = result.0.iter().position(|(name, _)| *name == key);
        match place {
            _ if change.get() == "null" => result.0.retain(|(name, _)| *name != key),
            Some(place) => {
                if let Some((_, value)) = result.0.get_mut(place) {
                    *value = merge(Some(value), &change, depth - 1);
                }
            }
            None => result.0.push((key, merge(None, &change, depth - 1))),
        }
    }
    // What `encode` writes is JSON.
    Raw::from_text(&encode(&result)).unwrap_or_else(|_| patch.clone())
}

/// The members of an object; of a key that stands twice, the last counts.
fn members(raw: &Raw) -> Option<Map<Raw>> {
    let read: Map<Raw> = raw.is_object().then(|| decode(raw.get()).ok()).flatten()?;
    let mut members: Map<Raw> = Map::default();
    for (key, value) in read.0 {
        match members.0.iter_mut().find(|(name, _)| *name == key) {
            Some(member) => member.1 = value,
            None => members.0.push((key, value)),
        }
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(text: &str) -> Meta {
        Meta::new(Raw::from_text(text).unwrap()).unwrap()
    }

    fn check(stored: &str, patch: &str, expected: &str) {
        let merged = merged_meta(Some(&meta(stored)), &meta(patch));
        assert_eq!(merged.raw().get(), expected);
    }

    /// INFO-09.
    #[test]
    fn objects_merge_null_removes_and_arrays_replace() {
        check(
            r#"{"a":{"x":1,"y":2},"tags":[1,2],"z":1e400}"#,
            r#"{"a":{"y":null,"w":{"q":null,"r":0}},"tags":[3]}"#,
            r#"{"a":{"x":1,"w":{"r":0}},"tags":[3],"z":1e400}"#,
        );
        check(r#"{"a":1}"#, r#"{"a":{"b":2}}"#, r#"{"a":{"b":2}}"#);
        check(r#"{"a":{"b":2}}"#, r#"{"a":1}"#, r#"{"a":1}"#);
        check(r#"{"a":1}"#, "{}", r#"{"a":1}"#);
    }

    #[test]
    fn metadata_of_any_depth_is_merged_without_failing() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let other = format!("{}2{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let merged = merged_meta(Some(&meta(&deep)), &meta(&other));
        assert_eq!(merged.raw().get(), other);
    }
}
