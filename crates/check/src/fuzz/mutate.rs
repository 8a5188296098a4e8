//! Corruptions of a valid conversation.

use super::case::{Case, Step};
use super::random_numbers::RandomNumbers;
use crate::json::json;
use crate::peer::script::Answer;
use serde_json::Value;
use std::time::Duration;

/// Lines that are not messages.
const STRAY: &[&[u8]] = &[
    b"hello",
    b"",
    b" ",
    b"\r",
    b"Content-Length: 20\r",
    b"null",
    b"42",
    b"[]",
    b"[1]",
    b"{",
    b"}",
    b"{}",
    b"\"",
    b"\xff\xfe{}",
    b"\xe2\x82",
    b"\0",
    br#"{"jsonrpc":"2.0"}"#,
    br#"{"jsonrpc":"1.0","id":1,"method":"x"}"#,
    br#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
    br#"{"jsonrpc":"2.0","id":99}"#,
    br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
    br#"[{"jsonrpc":"2.0","id":98,"method":"initialize","params":{"protocolVersion":1}}]"#,
    br#"{"jsonrpc":"2.0","id":97,"method":"initialize","params":{"protocolVersion":1e999}}"#,
    br#"{"jsonrpc":"2.0","method":"$/zzz"}"#,
    br#"{"method":"x","jsonrpc":"2.0","id":96,"method":"y","id":95}"#,
    br#"{"jsonrpc":"2.0","id":94,"method":"\ud800","params":{"\ud800":"\udfff"}}"#,
];

/// The maximum white space after a message, in bytes. Every peer accepts much longer lines.
const PAD: usize = 512 * 1024;
/// The possible nesting depths of a value.
const DEPTH: [usize; 4] = [64, 127, 129, 20_000];

/// Corrupts the case once.
pub(super) fn mutate(case: &mut Case, chance: &mut RandomNumbers) {
    let count = case.steps.len();
    let at = chance.below(count);
    match chance.below(14) {
        0 if count > 1 => drop(case.steps.remove(at)),
        1 => {
            if let Some(step) = case.steps.get(at).cloned() {
                let to = chance.below(count + 1);
                case.steps.insert(to, step);
            }
        }
        2 if count > 1 => case.steps.swap(at, chance.below(count)),
        3 => case.steps.insert(chance.below(count + 1), stray(chance)),
        4 => case.closes = true,
        5 => answer(case, chance),
        other => {
            if let Some(step) = case.steps.get_mut(at) {
                match other {
                    6 => {
                        step.delay = Duration::from_millis(
                            [1, 5, 20].get(chance.below(3)).copied().unwrap_or(1),
                        )
                    }
                    7 => truncate(step, chance),
                    8 => split(step, chance),
                    9 => step.pad = PAD >> chance.below(8),
                    10 => id(step, chance),
                    11 => deep(step, chance),
                    _ => wrong_type(step, chance),
                }
            }
        }
    }
}

fn stray(chance: &mut RandomNumbers) -> Step {
    Step { text: chance.one_of(STRAY).copied().unwrap_or_default().to_vec(), ..Step::default() }
}

/// Truncates the message, and may leave out the end of the line.
fn truncate(step: &mut Step, chance: &mut RandomNumbers) {
    let end = chance.below(step.text.len());
    step.text.truncate(end);
    step.is_unended = chance.once_in(2);
}

/// Splits the message into several writes, if possible inside a multi-byte character.
fn split(step: &mut Step, chance: &mut RandomNumbers) {
    let within = step.text.iter().position(|byte| *byte & 0xc0 == 0x80);
    step.cuts = within
        .into_iter()
        .chain((0..chance.below(3)).map(|_| chance.below(step.text.len())))
        .collect();
    step.cuts.sort_unstable();
}

fn id(step: &mut Step, chance: &mut RandomNumbers) {
    let Some(mut message) = step.value() else { return };
    let odd = [
        json!(null),
        json!(1.5),
        json!(true),
        json!({}),
        json!([]),
        json!(""),
        json!(u64::MAX),
        json!(0),
        json!(1),
        json!("1"),
        json!(-1),
    ];
    if let Value::Object(members) = &mut message {
        members.insert("id".to_owned(), chance.one_of(&odd).cloned().unwrap_or_default());
        *step = Step::message(&message);
    }
}

/// Replaces a value in the message with a deeply nested one.
fn deep(step: &mut Step, chance: &mut RandomNumbers) {
    let Some(mut message) = step.value() else { return };
    let depth = chance.one_of(&DEPTH).copied().unwrap_or_default();
    if let Some(place) = place(&mut message, chance) {
        *place = json!("{deep}");
        let (open, close) = if chance.once_in(2) { ("[", "]") } else { ("{\"a\":", "}") };
        let nested = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        step.text = message.to_string().replace("\"{deep}\"", &nested).into_bytes();
    }
}

fn wrong_type(step: &mut Step, chance: &mut RandomNumbers) {
    let Some(mut message) = step.value() else { return };
    wrong(&mut message, chance);
    *step = Step::message(&message);
}

/// Replaces a value with a value of another type, removes a member, or adds one.
fn wrong(message: &mut Value, chance: &mut RandomNumbers) {
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(1.0e308),
        json!(u64::MAX),
        json!(""),
        json!([]),
        json!({}),
        json!([null]),
        json!({"": {}}),
        json!("zzz"),
        json!("x".repeat(65_536)),
        json!("\u{0}"),
    ];
    let odd = chance.one_of(&odd).cloned().unwrap_or_default();
    let how = chance.below(4);
    let Some(place) = place(message, chance) else { return };
    match place {
        Value::Object(members) if how == 0 => {
            let keys: Vec<String> = members.keys().cloned().collect();
            if let Some(key) = chance.one_of(&keys) {
                members.remove(key);
            }
        }
        Value::Object(members) if how == 1 => drop(members.insert("zzz".to_owned(), odd)),
        place => *place = odd,
    }
}

/// Returns a reference to a random value in the message.
fn place<'v>(value: &'v mut Value, chance: &mut RandomNumbers) -> Option<&'v mut Value> {
    let inner: usize = match &*value {
        Value::Object(members) => members.len(),
        Value::Array(entries) => entries.len(),
        _ => 0,
    };
    if inner == 0 || chance.once_in(5) {
        return Some(value);
    }
    let at = chance.below(inner);
    let next = match value {
        Value::Object(members) => members.values_mut().nth(at),
        Value::Array(entries) => entries.get_mut(at),
        _ => None,
    };
    place(next?, chance)
}

/// Corrupts the answer to one of the peer's calls.
fn answer(case: &mut Case, chance: &mut RandomNumbers) {
    let at = chance.below(case.answers.len());
    if let Some((_, answer)) = case.answers.get_mut(at) {
        match (&mut *answer, chance.below(6)) {
            (_, 0) => {
                *answer = Answer::Error(
                    chance.one_of(&[-32603, -32800, -32002, 0, 7]).copied().unwrap_or_default(),
                )
            }
            (Answer::Result(result), _) => wrong(result, chance),
            _ => {}
        }
    }
}
