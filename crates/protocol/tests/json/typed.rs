//! Functions with which a test can decode and encode any text as any type in the method table.

use crate::by_value::{Place, Step, apart, less};
use attache_protocol::method::{Call, Kind, Method, Row, Side, v2};
use attache_protocol::v1::ProtocolVersion;
use attache_protocol::{
    UnknownValues, Wire, decode, decode_known, decode_reporting, each_method, each_v2_method,
    encode,
};
use serde_json::Value;
use std::fmt::Debug;

/// Decodes and encodes a text as one type. `Err` describes a fault in the text or in this crate.
pub(crate) type Check = fn(&str) -> Result<(), String>;

/// One row of the method table, with the functions of its types.
pub(crate) struct Typed {
    pub(crate) row: &'static Row,
    /// See [`faithful`].
    pub(crate) params: Check,
    pub(crate) result: Option<Check>,
    /// Decodes in every mode and ignores the outcome, so only a panic is noticed.
    pub(crate) feed_params: fn(&str),
    pub(crate) feed_result: Option<fn(&str)>,
}

/// Lists the rows of the method table whose types are in the module `rows`.
macro_rules! typed {
    ($($group:ident {
        $($function:ident $ty:ident $name:literal
            $params:ident $(=> $result:ident)? { $($rest:tt)* })*
    })*) => {
        &[$($({
            type M = rows::$ty;
            Typed {
                row: <M as Method>::ROW,
                params: |text| {
                    M::decode_params(Some(text)).map_err(|error| error.to_string())?;
                    faithful::<<M as Method>::Params>(text)
                },
                result: typed!(@result $ty $($result)?),
                feed_params: feed::<<M as Method>::Params>,
                feed_result: typed!(@feed $ty $($result)?),
            }
        }),*),*]
    };
    (@result $ty:ident $result:ident) => {
        Some(|text| {
            let value = <rows::$ty as Call>::decode_result(text)
                .map_err(|error| error.to_string())?;
            if text == "null" { drop(value); return Ok(()); }
            faithful::<<rows::$ty as Call>::Result>(text)
        })
    };
    (@result $ty:ident) => { None };
    (@feed $ty:ident $result:ident) => {
        Some(feed::<<rows::$ty as Call>::Result>)
    };
    (@feed $ty:ident) => { None };
}

/// The methods of version 1.
pub(crate) const TYPED: &[Typed] = {
    use attache_protocol::method as rows;
    each_method! { typed }
};

/// The methods of version 2.
pub(crate) const TYPED_IN_V2: &[Typed] = {
    use attache_protocol::method::v2 as rows;
    each_v2_method! { typed }
};

/// The types of a method that `from` sent; `None` for extensions and methods that do not exist.
pub(crate) fn typed(
    version: ProtocolVersion,
    from: Side,
    method: &str,
    kind: Kind,
) -> Option<&'static Typed> {
    let (row, methods) = match version {
        ProtocolVersion::V2 => (v2::received_by(from.other(), method, kind)?, TYPED_IN_V2),
        _ => (Row::received_by(from.other(), method, kind)?, TYPED),
    };
    let same = |other: &Row| {
        (other.name, other.kind, other.receiver) == (row.name, row.kind, row.receiver)
    };
    methods.iter().find(|typed| same(typed.row))
}

/// Checks that a text decodes, and encodes again to an equal JSON value, apart from the reported
/// members and members at their defaults.
pub(crate) fn faithful<T: Wire + PartialEq + Debug>(text: &str) -> Result<(), String> {
    let (value, notices) = decode_reporting::<T>(text, UnknownValues::Keep);
    let value = value.map_err(|error| error.to_string())?;
    let input: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut reported: Vec<Place> = Vec::new();
    for notice in &notices {
        let place = place(&input, &notice.path)
            .ok_or_else(|| format!("no such place as {:?}: {}", notice.path, notice.error))?;
        if !reported.contains(&place) {
            reported.push(place);
        }
    }
    let encoded = encode(&value);
    let output: Value =
        serde_json::from_str(&encoded).map_err(|error| format!("{error} in {encoded}"))?;
    let kept = less(&input, &reported);
    let (lost, added) =
        apart(&kept, &output).map_err(|why| format!("{why}; reported: {notices:?}"))?;
    if rewritten::<T>(&less(&kept, &lost)) != rewritten::<T>(&input) {
        return Err(format!("{lost:?} is lost without a word"));
    }
    if rewritten::<T>(&less(&output, &added)) != rewritten::<T>(&output) {
        return Err(format!("{added:?} is made up"));
    }
    if decode::<T>(&encoded).as_ref() != Ok(&value) {
        return Err(format!("{encoded} decodes to something else"));
    }
    Ok(())
}

/// Decodes and encodes a value with a type.
fn rewritten<T: Wire>(value: &Value) -> Option<Value> {
    let value = decode::<T>(&value.to_string()).ok()?;
    serde_json::from_str(&encode(&value)).ok()
}

/// The steps of a report's path such as `update.content[1]`.
fn place(value: &Value, path: &str) -> Option<Place> {
    let mut place = Vec::new();
    let (mut value, mut rest) = (value, path);
    while !rest.is_empty() {
        match value {
            Value::Array(items) => {
                let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
                let index = index.parse().ok()?;
                place.push(Step::Index(index));
                (value, rest) = (items.get(index)?, after);
            }
            Value::Object(members) => {
                let plain = rest.strip_prefix('.').unwrap_or(rest);
                let ends = |key: &str| {
                    plain
                        .strip_prefix(key)
                        .filter(|after| after.is_empty() || after.starts_with(['.', '[']))
                };
                let (key, next, after) =
                    members.iter().find_map(|(key, next)| Some((key, next, ends(key)?)))?;
                place.push(Step::Key(key.clone()));
                (value, rest) = (next, after);
            }
            _ => return None,
        }
    }
    Some(place)
}

fn feed<T: Wire + PartialEq + Debug>(text: &str) {
    for unknown in [UnknownValues::Keep, UnknownValues::Refuse] {
        let (value, notices) = decode_reporting::<T>(text, unknown);
        assert!(notices.iter().all(|notice| !notice.error.to_string().is_empty()));
        match value {
            Ok(value) => {
                let encoded = encode(&value);
                let again = decode::<T>(&encoded).map(|value| encode(&value));
                assert_eq!(again.as_ref(), Ok(&encoded), "{text} became {encoded}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    assert!(
        decode_known::<T>(text).is_err() || decode::<T>(text).is_ok(),
        "known but not readable: {text}"
    );
}
