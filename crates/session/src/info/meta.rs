//! Merges a session's metadata.

use attache_protocol::{Map, Meta, Patch, Raw, decode, encode};
use std::collections::HashMap;
use std::fmt;

/// The largest metadata of a session, in bytes of its JSON. This limit applies to metadata that is
/// sent. Received metadata may be larger.
pub const META_LIMIT: usize = 64 * 1024;

/// The largest metadata that patches by key add up to, in bytes of its JSON. A single patch may be
/// larger.
const PATCHED_LIMIT: usize = 1 << 20;

/// The deepest nesting of metadata. The metadata itself is the first level. Objects nested deeper
/// are replaced, not merged.
const DEPTH: usize = 32;

/// Why metadata is refused before it is sent. The stored metadata is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetaError {
    /// The merged metadata would be larger than [`META_LIMIT`].
    TooLarge {
        /// The size of the merged metadata, in bytes.
        size: usize,
    },
    /// The metadata is nested too deeply.
    TooDeep {
        /// How many levels deep the metadata is.
        depth: usize,
        /// How many levels are allowed.
        limit: usize,
    },
}

impl fmt::Display for MetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size } => write!(
                f,
                "the metadata of the session would have {size} bytes, but at most {META_LIMIT} are allowed: remove keys or store the data elsewhere"
            ),
            Self::TooDeep { depth, limit } => write!(
                f,
                "the metadata is nested {depth} levels deep, but at most {limit} are allowed: make it flatter"
            ),
        }
    }
}

impl std::error::Error for MetaError {}

/// Checks a metadata change before it is sent. [`Patch::Keep`] and [`Patch::Clear`] are always
/// allowed.
///
/// # Errors
/// Returns a [`MetaError`] if the merged metadata would be too large or `patch` is nested too
/// deeply.
pub fn check_meta(stored: Option<&Meta>, patch: &Patch<Meta>) -> Result<(), MetaError> {
    let Some(patch) = patch.set() else { return Ok(()) };
    let depth = depth(patch.raw());
    if depth > DEPTH {
        return Err(MetaError::TooDeep { depth, limit: DEPTH });
    }
    let size = merged_meta(stored, patch).raw().get().len();
    if size > META_LIMIT {
        return Err(MetaError::TooLarge { size });
    }
    Ok(())
}

/// Returns how deeply objects and arrays are nested.
fn depth(raw: &Raw) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in raw.get().bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns `patch` merged into `stored` as ACP v1 defines it: objects merge recursively, `null`
/// removes its key, and everything else, including an array, replaces the stored value. Values that
/// `patch` does not name keep their text and order.
pub fn merged_meta(stored: Option<&Meta>, patch: &Meta) -> Meta {
    let merged = merge(stored.map(Meta::raw), patch.raw(), DEPTH);
    // Merging objects always gives an object.
    Meta::new(merged).unwrap_or_else(|| patch.clone())
}

/// Applies a patch of metadata as ACP v2 defines it, see [`patched_meta`].
pub(crate) fn patch_by_key(stored: &mut Option<Meta>, patch: &Patch<Meta>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *stored = None,
        Patch::Set(patch) => *stored = Some(patched_meta(stored.as_ref(), patch)),
    }
}

/// Returns `stored` with the top-level keys of `patch`, as ACP v2 defines it: `null` removes its
/// key, and everything else replaces the stored value. If that is larger than [`PATCHED_LIMIT`],
/// only the keys of `patch` stay, so that patches cannot fill the memory.
pub(crate) fn patched_meta(stored: Option<&Meta>, patch: &Meta) -> Meta {
    let patched = merge(stored.map(Meta::raw), patch.raw(), 1);
    match Meta::new(patched).filter(|patched| patched.raw().get().len() <= PATCHED_LIMIT) {
        Some(patched) => patched,
        None => Meta::new(merge(None, patch.raw(), 1)).unwrap_or_else(|| patch.clone()),
    }
}

fn merge(stored: Option<&Raw>, patch: &Raw, depth: usize) -> Raw {
    let Some(changes) = members(patch).filter(|_| depth > 0) else { return patch.clone() };
    let stored = stored.and_then(members).unwrap_or_default();
    let places: HashMap<String, usize> =
        stored.0.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)).collect();
    let mut result: Vec<_> = stored.0.into_iter().map(Some).collect();
    for (key, change) in changes.0 {
        let is_removed = change.get() == "null";
        match places.get(&key).and_then(|place| result.get_mut(*place)) {
            Some(known) => {
                let value = known.take().map(|(_, value)| value);
                let merged = || merge(value.as_ref(), &change, depth - 1);
                *known = (!is_removed).then(|| (key, merged()));
            }
            None if is_removed => {}
            None => result.push(Some((key, merge(None, &change, depth - 1)))),
        }
    }
    let mut merged: Map<Raw> = Map::default();
    merged.0.extend(result.into_iter().flatten());
    // `encode` always writes valid JSON.
    Raw::from_text(&encode(&merged)).unwrap_or_else(|_| patch.clone())
}

/// Returns the members of an object. If a key occurs twice, the last one counts.
pub(crate) fn members(raw: &Raw) -> Option<Map<Raw>> {
    let read: Map<Raw> = raw.is_object().then(|| decode(raw.get()).ok()).flatten()?;
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut members: Map<Raw> = Map::default();
    for (key, value) in read.0 {
        match places.get(&key).and_then(|place| members.0.get_mut(*place)) {
            Some(member) => member.1 = value,
            None => {
                places.insert(key.clone(), members.0.len());
                members.0.push((key, value));
            }
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

    /// INFO-09: the limit counts the merged bytes, to the byte.
    #[test]
    fn metadata_is_refused_by_its_merged_size_and_by_its_depth() {
        let set = |text: &str| Patch::Set(meta(text));
        let of = |length: usize| format!(r#"{{"a":"{}"}}"#, "x".repeat(length - 8));
        assert_eq!(check_meta(None, &set(&of(META_LIMIT))), Ok(()));
        let error = check_meta(None, &set(&of(META_LIMIT + 1))).unwrap_err();
        assert_eq!(error, MetaError::TooLarge { size: META_LIMIT + 1 });
        assert!(
            error.to_string().contains("65537 bytes") && error.to_string().contains("65536"),
            "{error}"
        );
        let full = meta(&of(META_LIMIT));
        let too_much = MetaError::TooLarge { size: META_LIMIT + 6 };
        assert_eq!(check_meta(Some(&full), &set(r#"{"b":1}"#)), Err(too_much));
        for allowed in [set(r#"{"a":null,"b":1}"#), Patch::Clear, Patch::Keep] {
            assert_eq!(check_meta(Some(&full), &allowed), Ok(()));
        }
        let nested = |levels: usize| {
            set(&format!("{}1{}", r#"{"]}\"[":["#.repeat(levels / 2), "]}".repeat(levels / 2)))
        };
        assert_eq!(check_meta(None, &nested(32)), Ok(()));
        let error = check_meta(None, &nested(34)).unwrap_err();
        assert_eq!(error, MetaError::TooDeep { depth: 34, limit: 32 });
        assert!(error.to_string().contains("34") && error.to_string().contains("32"));
    }

    #[test]
    fn metadata_of_any_depth_is_merged_without_failing() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let other = format!("{}2{}", r#"{"a":"#.repeat(100), "}".repeat(100));
        let merged = merged_meta(Some(&meta(&deep)), &meta(&other));
        assert_eq!(merged.raw().get(), other);
    }
}
