//! JSON values from literals.

use serde::Serialize;
use serde_json::{Map, Value};

/// Builds a [`Value`] like `serde_json::json!`, in about half as much machine code: it calls
/// functions for values and members instead of inlining them. The judge has a thousand such
/// literals.
macro_rules! json {
    (@array [$($done:expr,)*]) => { $crate::json::array([$($done,)*]) };
    (@array [$($done:expr,)*] null $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($done,)* serde_json::Value::Null,] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($done,)* $crate::json::json!([$($inner)*]),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($done,)* $crate::json::json!({$($inner)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $item:expr $(, $($rest:tt)*)?) => {
        $crate::json::json!(@array [$($done,)* $crate::json::value(&$item),] $($($rest)*)?)
    };
    (@object [$($done:expr,)*]) => { $crate::json::object([$($done,)*]) };
    (@object [$($done:expr,)*] $key:tt: null $(, $($rest:tt)*)?) => {
        $crate::json::json!(
            @object
            [$($done,)* (AsRef::<str>::as_ref(&$key), serde_json::Value::Null),]
            $($($rest)*)?
        )
    };
    (@object [$($done:expr,)*] $key:tt: [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $crate::json::json!(
            @object
            [$($done,)* (AsRef::<str>::as_ref(&$key), $crate::json::json!([$($inner)*])),]
            $($($rest)*)?
        )
    };
    (@object [$($done:expr,)*] $key:tt: {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $crate::json::json!(
            @object
            [$($done,)* (AsRef::<str>::as_ref(&$key), $crate::json::json!({$($inner)*})),]
            $($($rest)*)?
        )
    };
    (@object [$($done:expr,)*] $key:tt: $value:expr $(, $($rest:tt)*)?) => {
        $crate::json::json!(
            @object
            [$($done,)* (AsRef::<str>::as_ref(&$key), $crate::json::value(&$value)),]
            $($($rest)*)?
        )
    };
    (null) => { serde_json::Value::Null };
    ([$($items:tt)*]) => { $crate::json::json!(@array [] $($items)*) };
    ({$($members:tt)*}) => { $crate::json::json!(@object [] $($members)*) };
    ($value:expr) => { $crate::json::value(&$value) };
}
pub(crate) use json;

/// Serializes a value. Returns null if that fails.
#[inline(never)]
pub(crate) fn value<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

#[inline(never)]
pub(crate) fn array<const N: usize>(items: [Value; N]) -> Value {
    Value::Array(items.into())
}

#[inline(never)]
pub(crate) fn object<const N: usize>(mut members: [(&str, Value); N]) -> Value {
    collected(&mut members)
}

fn collected(members: &mut [(&str, Value)]) -> Value {
    let mut object = Map::new();
    for (key, value) in members {
        object.insert((*key).to_owned(), value.take());
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_macro_builds_the_same_value_as_serde_json() {
        let (name, list, nothing) = ("key".to_owned(), vec![1, 2], None::<u8>);
        let ours = json!({
            "null": null, "array": [null, [], {}, name, -1.5,], (name.as_str()): {"a": list, "b": nothing},
            "bool": !list.is_empty(), "string": format!("{name}!"), ("x"): &list,
        });
        let theirs = serde_json::json!({
            "null": null, "array": [null, [], {}, name, -1.5,], (name.as_str()): {"a": list, "b": nothing},
            "bool": !list.is_empty(), "string": format!("{name}!"), ("x"): &list,
        });
        assert_eq!(ours, theirs);
        assert_eq!((json!(3), json!(null)), (serde_json::json!(3), serde_json::json!(null)));
    }
}
