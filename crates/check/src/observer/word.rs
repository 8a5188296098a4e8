//! Names in a message: the spelling of keys and values, closed sets, and unnecessary nulls (RPC-30,
//! EXT-05, DEC-19).

use super::finding::Report;
use super::seen::{Body, Seen, quoted};
use attache_protocol::method::{METHODS, Row, Side};
use attache_protocol::{MemberShape, Shape};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The largest number of different nulls that are reported.
const TOLD: usize = 256;

/// Open sets that other rules cover (CONF-14, NOTE-08).
const JUDGED_ELSEWHERE: [&str; 2] = [".category", ".severity"];

/// Members for which null has a meaning of its own.
const SPEAKING_NULLS: [&str; 5] = ["exitCode", "signal", "exitStatus", "oldText", "current"];

/// The reported nulls. Each place is reported once, because a peer sends it repeatedly.
#[derive(Debug, Default)]
pub(super) struct Judge {
    reported: HashSet<(Side, String)>,
}

/// A name that breaks a rule, and its place.
struct Misspelling {
    rule: &'static str,
    path: String,
    seen: String,
}

/// The shapes of the params and results of all methods.
static SHAPES: LazyLock<Vec<(&Row, Shape, Option<Shape>)>> = LazyLock::new(|| {
    METHODS.iter().map(|row| (*row, (row.params)(), row.result.map(|shape| shape()))).collect()
});

fn shapes_of(row: &Row) -> Option<&'static (&'static Row, Shape, Option<Shape>)> {
    let key = |row: &Row| (row.name, row.kind, row.receiver);
    SHAPES.iter().find(|(other, ..)| key(other) == key(row))
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let (value, shape) = match &seen.body {
            Body::Asked(asked) => {
                (&asked.params, asked.row.and_then(shapes_of).map(|(_, params, _)| params))
            }
            Body::Replied { to, outcome: Ok(result), .. } => {
                (result, to.row.and_then(shapes_of).and_then(|(.., result)| result.as_ref()))
            }
            Body::Replied { .. } => return,
        };
        let Some(shape) = shape else { return };
        report.tests(&["RPC-30", "EXT-05", "DEC-19"]);
        let mut odd = Vec::new();
        walk(value, shape, "", &mut odd);
        for Misspelling { rule, path, seen: said } in odd {
            if rule != "DEC-19"
                || self.reported.len() < TOLD && self.reported.insert((seen.from, path))
            {
                report.breaks(rule, said);
            }
        }
    }
}

fn walk(value: &Value, shape: &Shape, path: &str, odd: &mut Vec<Misspelling>) {
    match (shape, value) {
        (Shape::Nullable(inner), _) => walk(value, inner, path, odd),
        (Shape::Array(item), Value::Array(entries)) => {
            entries.iter().for_each(|entry| walk(entry, item, &format!("{path}[]"), odd));
        }
        (Shape::Map(item), Value::Object(members)) => {
            members.values().for_each(|value| walk(value, item, &format!("{path}.*"), odd));
        }
        (Shape::OneOf { shapes, .. }, _) => {
            if let Some(shape) = shapes.iter().find(|shape| fits(value, shape)) {
                walk(value, shape, path, odd);
            }
        }
        (Shape::Object { members, .. }, Value::Object(object)) => {
            members_of(object, members, path, odd)
        }
        (Shape::Union { tag, variants, open, .. }, Value::Object(object)) => {
            let given = object.get(*tag).and_then(Value::as_str).unwrap_or_default();
            match variants.iter().find(|(known, _)| *known == given) {
                Some((_, variant)) => walk(value, variant, path, odd),
                None => {
                    word(given, &mut variants.iter().map(|(known, _)| *known), *open, path, odd)
                }
            }
        }
        (Shape::Strings { known, open, .. }, Value::String(given)) => {
            word(given, &mut known.iter().copied(), *open, path, odd);
        }
        _ => {}
    }
}

fn members_of(
    object: &Map<String, Value>,
    members: &[MemberShape],
    path: &str,
    odd: &mut Vec<Misspelling>,
) {
    let is_flat = |member: &&MemberShape| member.mark.starts_with("flat");
    for member in members.iter().filter(is_flat) {
        walk(&Value::Object(object.clone()), &member.shape, path, odd);
    }
    for (key, value) in object {
        let inner = format!("{path}.{key}");
        match members.iter().find(|member| member.key == key) {
            Some(member) if is_flat(&member) => {}
            Some(member) if value.is_null() => {
                let is_speaking = member.required
                    || member.mark.starts_with("patch")
                    || SPEAKING_NULLS.contains(&&**key);
                if !is_speaking {
                    let seen = format!(
                        "{} is null, which has the same meaning as an absent member",
                        inner.trim_start_matches('.')
                    );
                    odd.push(Misspelling { rule: "DEC-19", path: inner, seen });
                }
            }
            Some(member) => walk(value, &member.shape, &inner, odd),
            None => {
                let camel = camel(key);
                if camel != *key && members.iter().any(|member| member.key == camel) {
                    let seen = format!("the protocol spells the key {} as {camel}", quoted(key));
                    odd.push(Misspelling { rule: "RPC-30", path: inner, seen });
                }
            }
        }
    }
}

/// Judges a name from a set. If the set is open, other names must begin with `_`.
fn word(
    given: &str,
    known: &mut dyn Iterator<Item = &'static str>,
    open: bool,
    path: &str,
    odd: &mut Vec<Misspelling>,
) {
    let (mut is_known, mut is_misspelled) = (given.is_empty(), false);
    let snake = snake(given);
    known.for_each(|known| {
        is_known |= known == given;
        is_misspelled |= known == snake;
    });
    let place = path.trim_start_matches('.');
    let is_judged = JUDGED_ELSEWHERE.iter().any(|end| path.ends_with(end));
    let (rule, seen) = match (is_known, is_misspelled) {
        (true, _) => return,
        (false, true) => {
            ("RPC-30", format!("{} in {place} is spelled {snake} in the protocol", quoted(given)))
        }
        (false, false) if open && !given.starts_with('_') && !is_judged => (
            "EXT-05",
            format!(
                "{} in {place} is not a name of the protocol, and other names must begin with _",
                quoted(given)
            ),
        ),
        (false, false) => return,
    };
    odd.push(Misspelling { rule, path: path.to_owned(), seen });
}

/// Whether a value seems to have this shape, judged by its outermost members.
fn fits(value: &Value, shape: &Shape) -> bool {
    match (shape, value) {
        (Shape::Array(item), Value::Array(entries)) => {
            entries.iter().all(|entry| fits(entry, item))
        }
        (Shape::Object { members, .. }, Value::Object(object)) => {
            members.iter().all(|member| !member.required || object.contains_key(member.key))
        }
        (Shape::Union { .. }, Value::Object(_))
        | (Shape::String | Shape::Strings { .. }, Value::String(_)) => true,
        _ => false,
    }
}

fn camel(key: &str) -> String {
    let mut words = key.split(['_', '-']);
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

fn snake(word: &str) -> String {
    let mut snake = String::new();
    for letter in word.chars() {
        match letter {
            '-' => snake.push('_'),
            letter if letter.is_ascii_uppercase() => {
                if !snake.is_empty() {
                    snake.push('_');
                }
                snake.push(letter.to_ascii_lowercase());
            }
            letter => snake.push(letter),
        }
    }
    snake
}
