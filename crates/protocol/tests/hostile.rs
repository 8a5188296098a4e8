//! Decodes hostile input: truncated lines, wrong types in every place, extreme depth and numbers,
//! and random bytes. Nothing panics, and every value that decodes is encoded to text that decodes
//! to the same value.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "json/by_value.rs"]
#[allow(dead_code, reason = "the other tests compare")]
mod by_value;
#[path = "json/generate.rs"]
#[allow(dead_code, reason = "only plain text is fed here")]
mod generate;
#[path = "json/typed.rs"]
#[allow(dead_code, reason = "the other tests look up one method")]
mod typed;

use attache_protocol::envelope::Message;
use attache_protocol::{UnknownValues, decode_reporting, v1};
use generate::{Choices, Style, Tree};
use serde_json::Value;
use typed::{TYPED, TYPED_IN_V2, Typed};

/// A function that reads a text as one type.
type Feed = fn(&str);

/// Pseudo-random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }

    fn choices(&mut self) -> Vec<u32> {
        (0..200).map(|_| self.next() as u32).collect()
    }
}

/// The methods of both versions.
fn all() -> impl Iterator<Item = &'static Typed> {
    TYPED.iter().chain(TYPED_IN_V2)
}

/// Reads the line, and its params and result as every type that `wanted` picks.
fn feed(line: &[u8], wanted: impl Fn(&str, &Typed) -> bool) {
    match Message::read(line) {
        Ok(Message::Call { method, params, .. } | Message::Notification { method, params }) => {
            for typed in all().filter(|typed| wanted(&method, typed)) {
                (typed.feed_params)(params.unwrap_or("{}"));
            }
        }
        Ok(Message::Reply { outcome: Ok(result), .. }) => {
            for typed in all().filter(|typed| wanted("", typed)) {
                typed.feed_result.into_iter().for_each(|feed| feed(result));
            }
        }
        Ok(Message::Reply { outcome: Err(_), .. }) => {}
        Err(why) => assert!(!why.to_string().is_empty()),
    }
}

fn own(method: &str, typed: &Typed) -> bool {
    typed.row.name == method
}

/// Golden lines and unusual lines, as they are on the wire.
fn lines() -> Vec<String> {
    let golden = include_str!("fixtures/golden.txt")
        .lines()
        .filter_map(|line| line.split_once("> ").map(|(_, text)| text.to_owned()));
    let odd = include_str!("fixtures/odd.jsonl").lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["message"].to_string()
    });
    let v2 = include_str!("fixtures/v2.jsonl").lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["message"].to_string()
    });
    golden.chain(odd).chain(v2).collect()
}

/// A full value for each params and result type in the method table, with the function that reads
/// it.
fn values(random: &mut Random) -> Vec<(Tree, Feed)> {
    let mut values = Vec::new();
    for typed in all() {
        values.push((
            generate::generate(&(typed.row.params)(), &mut Choices::new(&random.choices())),
            typed.feed_params,
        ));
        if let (Some(shape), Some(feed)) = (typed.row.result, typed.feed_result) {
            values.push((generate::generate(&shape(), &mut Choices::new(&random.choices())), feed));
        }
    }
    values
}

#[test]
fn a_truncated_line_is_not_a_message_or_a_smaller_one() {
    for line in lines() {
        for end in 0..line.len() {
            feed(&line.as_bytes()[..end], own);
            feed(&line.as_bytes()[end..], own);
        }
    }
}

#[test]
fn params_and_results_cut_at_any_byte_are_errors() {
    let mut random = Random(1);
    for (tree, feed) in values(&mut random) {
        let text = tree.text(Style::Plain);
        (0..text.len())
            .filter(|end| text.is_char_boundary(*end))
            .for_each(|end| feed(&text[..end]));
    }
}

#[test]
fn a_wrong_type_in_any_place_is_an_error_or_a_default() {
    const WRONG: &[&str] = &[
        "null",
        "true",
        "-1",
        "1.5",
        "18446744073709551616",
        "1e400",
        "-0",
        "\"\"",
        "[]",
        "{}",
        "[null]",
        r#"[{"type":5}]"#,
        r#"{"type":"text"}"#,
    ];
    let mut random = Random(2);
    for (tree, feed) in values(&mut random) {
        for place in 0..places(&tree) {
            for wrong in WRONG {
                feed(&replaced(&tree, place, wrong).text(Style::Plain));
            }
        }
    }
}

#[test]
fn a_depth_of_ten_thousand_is_skipped_or_refused_at_any_place() {
    let deep = [("[", "]"), ("{\"a\":", "}"), ("[{\"type\":", "}]")].map(|(open, close)| {
        let closed = format!("{}0{}", open.repeat(10_000), close.repeat(10_000));
        [closed, open.repeat(10_000)]
    });
    let mut random = Random(3);
    for (index, (tree, feed)) in values(&mut random).into_iter().enumerate() {
        for place in 0..places(&tree).min(3) {
            feed(&replaced(&tree, place, &deep[(index + place) % 3][index % 2]).text(Style::Plain));
        }
    }
    for line in deep.iter().flatten() {
        feed(line.as_bytes(), |_, _| true);
        feed(
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{line}}}"#).as_bytes(),
            |_, _| true,
        );
    }
}

#[test]
fn changed_bytes_never_panic() {
    let lines = lines();
    let mut random = Random(4);
    for _ in 0..6_000 {
        let mut line = lines[random.below(lines.len())].clone().into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(line.len());
            match random.below(4) {
                0 => line[at] = random.next() as u8,
                1 => drop(line.remove(at)),
                2 => line.insert(at, b"{}[]\",:\\0-.eEtfnu \x00\xff"[random.below(20)]),
                _ => {
                    let other = &lines[random.below(lines.len())].as_bytes();
                    let (from, to) = (random.below(other.len()), random.below(other.len()));
                    line.splice(at..at, other[from.min(to)..to.max(from)].iter().copied());
                }
            }
        }
        feed(&line, own);
    }
}

#[test]
fn every_type_handles_the_text_of_every_other_type() {
    let mut random = Random(5);
    for (tree, _) in values(&mut random) {
        let text = tree.text(Style::Reversed);
        for typed in all() {
            (typed.feed_params)(&text);
            typed.feed_result.into_iter().for_each(|feed| feed(&text));
        }
    }
}

#[test]
fn random_bytes_are_not_messages() {
    let mut random = Random(6);
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.next() as u8).collect();
        feed(&bytes, own);
        let json: Vec<u8> =
            (0..random.below(40)).map(|_| b"{}[]\":,0-.1eEtrufalsn\\ "[random.below(23)]).collect();
        feed(&json, own);
    }
}

/// A report of half a million entries must not take quadratic time.
#[test]
fn a_list_of_nothing_but_bad_items_is_reported_in_linear_time() {
    let items = vec!["1"; 200_000].join(",");
    let text = format!(
        r#"{{"sessionUpdate":"tool_call","toolCallId":"t","title":"t","locations":[{items}],"zzz":[{items}]}}"#
    );
    let (update, notices) = decode_reporting::<v1::SessionUpdate>(&text, UnknownValues::Keep);
    assert!(update.is_ok());
    assert_eq!(notices.len(), 200_001);
    assert_eq!(notices[199_999].path, "locations[199999]");
    assert_eq!(notices[200_000].path, "zzz");
}

/// The number of places in a value: itself and all values inside it.
fn places(tree: &Tree) -> usize {
    1 + match tree {
        Tree::Leaf(_) => 0,
        Tree::Array(items) => items.iter().map(places).sum(),
        Tree::Object(members) => members.iter().map(|(_, value)| places(value)).sum(),
        Tree::Map(members) => members.iter().map(|(_, value)| places(value)).sum(),
    }
}

/// The value with `text` at one of its places.
fn replaced(tree: &Tree, place: usize, text: &str) -> Tree {
    if place == 0 {
        return Tree::Leaf(text.to_owned());
    }
    let mut tree = tree.clone();
    let mut left = place - 1;
    let values: Vec<&mut Tree> = match &mut tree {
        Tree::Leaf(_) => Vec::new(),
        Tree::Array(items) => items.iter_mut().collect(),
        Tree::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        Tree::Map(members) => members.iter_mut().map(|(_, value)| value).collect(),
    };
    for value in values {
        let size = places(value);
        if left < size {
            *value = replaced(value, left, text);
            break;
        }
        left -= size;
    }
    tree
}
