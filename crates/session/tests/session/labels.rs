//! Tags, status and progress in the metadata of a session.

use crate::fold;
use attache_protocol::{Meta, Patch, Raw};
use attache_session::{EventBody, Info, Labels};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn meta(text: &str) -> Meta {
    Meta::new(Raw::from_text(text).unwrap()).unwrap()
}

/// The info after these updates of metadata.
fn info(patches: impl IntoIterator<Item = Meta>) -> Info {
    let body = |meta| EventBody::Info {
        title: Patch::Keep,
        updated_at: Patch::Keep,
        meta: Patch::Set(meta),
    };
    fold(patches.into_iter().map(body)).info().clone()
}

fn labels(tags: &[&str], status: Option<&str>, progress: Option<(u64, u64)>) -> Labels {
    Labels {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        status: status.map(str::to_owned),
        progress,
    }
}

/// META-02, META-07: a peer may send any value.
#[test]
fn labels_are_read_from_metadata_of_any_shape() {
    let cases = [
        (
            r#"{"attache/labels":{"tags":["bug","p1"],"status":"in review","progress":{"done":3,"total":10}},"x":1}"#,
            labels(&["bug", "p1"], Some("in review"), Some((3, 10))),
        ),
        (r#"{}"#, labels(&[], None, None)),
        (r#"{"attache/labels":5}"#, labels(&[], None, None)),
        (r#"{"attache/labels":null}"#, labels(&[], None, None)),
        (r#"{"attache/labels":[["tags"]]}"#, labels(&[], None, None)),
        (
            r#"{"attache/labels":{"tags":"bug","status":["x"],"progress":[3,10]}}"#,
            labels(&[], None, None),
        ),
        (
            r#"{"attache/labels":{"tags":[1,"a",null,{"b":[]},"a"," \n "]}}"#,
            labels(&["a"], None, None),
        ),
        (
            r#"{"attache/labels":{"status":" a\u001b[31m\n b\u202e "}}"#,
            labels(&[], Some("a [31m b"), None),
        ),
        (
            r#"{"attache/labels":{"progress":{"done":11,"total":10}}}"#,
            labels(&[], None, Some((10, 10))),
        ),
        (r#"{"attache/labels":{"progress":{"done":0,"total":0}}}"#, labels(&[], None, None)),
        (r#"{"attache/labels":{"progress":{"done":-1,"total":10}}}"#, labels(&[], None, None)),
        (r#"{"attache/labels":{"progress":{"done":1.5,"total":10}}}"#, labels(&[], None, None)),
        (r#"{"attache/labels":{"progress":{"done":1}}}"#, labels(&[], None, None)),
        (
            r#"{"attache/labels":{"progress":{"done":18446744073709551615,"total":18446744073709551615}}}"#,
            labels(&[], None, Some((u64::MAX, u64::MAX))),
        ),
        (
            r#"{"attache/labels":{"status":"a"},"attache/labels":{"status":"b"}}"#,
            labels(&[], Some("b"), None),
        ),
        (r#"{"Attache":{"status":"a"}}"#, labels(&[], None, None)),
    ];
    for (text, expected) in cases {
        assert_eq!(Labels::of(&info([meta(text)])), expected, "{text}");
    }
    assert_eq!(Labels::of(&Info::default()), Labels::default());
}

/// META-07.
#[test]
fn labels_have_limits() {
    let many: Vec<_> = (0..100).map(|n| format!("tag {n}")).collect();
    let normal = Labels { tags: many.clone(), ..Labels::default() }.normalised();
    assert_eq!(normal.tags, many[..32]);
    let (long, status) = ("ä".repeat(65), "b".repeat(201));
    let normal = labels(&[&long], Some(&status), Some((9, 3))).normalised();
    assert_eq!(normal.tags, [format!("{}…", "ä".repeat(63))]);
    assert_eq!(normal.status.as_deref().map(|text| text.chars().count()), Some(200));
    assert_eq!(normal.progress, Some((3, 3)));
    assert_eq!(labels(&[&"ä".repeat(64)], None, None).normalised().tags, ["ä".repeat(64)]);
    assert_eq!(normal.normalised(), normal);
}

/// INFO-02, INFO-09: only changes are sent: tags as a whole list, and removed labels as null.
#[test]
fn a_change_of_labels_is_the_smallest_metadata_that_makes_it() {
    let old = labels(&["a", "b"], Some("s"), Some((1, 2)));
    let cases = [
        (labels(&["a", "b"], Some("s"), Some((1, 2))), None),
        (labels(&["a", "b", " a "], Some(" s"), Some((1, 2))), None),
        (labels(&["b"], Some("s"), Some((1, 2))), Some(r#"{"attache/labels":{"tags":["b"]}}"#)),
        (labels(&[], Some("s"), Some((1, 2))), Some(r#"{"attache/labels":{"tags":null}}"#)),
        (labels(&["a", "b"], None, Some((1, 2))), Some(r#"{"attache/labels":{"status":null}}"#)),
        (
            labels(&["a", "b"], Some("\""), Some((1, 2))),
            Some(r#"{"attache/labels":{"status":"\""}}"#),
        ),
        (
            labels(&["a", "b"], Some("s"), Some((2, 2))),
            Some(r#"{"attache/labels":{"progress":{"done":2,"total":2}}}"#),
        ),
        (labels(&["a", "b"], Some("s"), None), Some(r#"{"attache/labels":{"progress":null}}"#)),
        (
            Labels::default(),
            Some(r#"{"attache/labels":{"tags":null,"status":null,"progress":null}}"#),
        ),
    ];
    for (new, expected) in cases {
        let change = Labels::change(&old, &new);
        assert_eq!(change.as_ref().map(|meta| meta.raw().get()), expected, "{new:?}");
    }
}

fn any_labels() -> impl Strategy<Value = Labels> {
    let text = || {
        prop_oneof!["[a-c]{1,2}", "\\PC{0,6}", Just("x".repeat(300)), Just("\n\u{202e}".to_owned())]
    };
    let number = || prop_oneof![0u64..4, any::<u64>()];
    (vec(text(), 0..6), of(text()), of((number(), number())))
        .prop_map(|(tags, status, progress)| Labels { tags, status, progress })
}

proptest! {
    /// INFO-09: a change, merged like any other metadata, sets the labels and does not affect the
    /// rest.
    #[test]
    fn a_merged_change_makes_the_labels(
        before in any_labels(),
        after in any_labels(),
        odd in 0usize..4,
    ) {
        let stored = [r#"{"x":{"y":1}}"#, r#"{"attache/labels":7}"#, r#"{"attache/labels":{"tags":{"a":1},"progress":3}}"#, "{}"];
        let start = meta(stored[odd]);
        let change = Labels::change(&Labels::default(), &before);
        let first = info([start.clone()].into_iter().chain(change));
        prop_assert_eq!(Labels::of(&first), before.normalised());
        let mut patches = vec![start];
        patches.extend(Labels::change(&Labels::default(), &before));
        patches.extend(Labels::change(&before, &after));
        let second = info(patches);
        prop_assert_eq!(Labels::of(&second), after.normalised());
        prop_assert_eq!(odd == 0, second.meta().unwrap().raw().get().starts_with(r#"{"x":{"y":1}"#));
        prop_assert!(Labels::change(&after, &Labels::of(&second)).is_none(), "nothing is left to change");
    }
}
