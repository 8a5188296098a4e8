//! Generates JSON of any shape from a list of choices. An empty list gives the smallest value, so
//! that failures shrink.

use attache_protocol::{MemberShape, Shape};

/// Numbers that determine the choices. When they are used up, further numbers are zero.
#[derive(Debug)]
pub(crate) struct Choices<'c>(std::slice::Iter<'c, u32>);

impl<'c> Choices<'c> {
    pub(crate) fn new(choices: &'c [u32]) -> Self {
        Self(choices.iter())
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0.next().map_or(0, |choice| *choice as usize % end.max(1))
    }

    fn one_of<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// How an object's members are written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    Plain,
    /// With the last member first.
    Reversed,
    /// With members that no type knows (RPC-26), and white space around every token.
    Extra,
}

/// One JSON value.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// Text that is written unchanged.
    Leaf(String),
    Array(Vec<Tree>),
    /// An object of a type. Its members may be reordered, and others may be added.
    Object(Vec<(&'static str, Tree)>),
    /// An object whose keys are data. Some types also keep its whole text unchanged, so it is
    /// written without white space.
    Map(Vec<(String, Tree)>),
}

impl Tree {
    /// The JSON text.
    pub(crate) fn text(&self, style: Style) -> String {
        let member = |key: &str, value: &Tree| match style {
            Style::Extra => format!(" {}\t:\r {} ", quoted(key), value.text(style)),
            _ => format!("{}:{}", quoted(key), value.text(style)),
        };
        match self {
            Self::Leaf(text) => text.clone(),
            Self::Array(items) => {
                format!(
                    "[{}]",
                    items.iter().map(|item| item.text(style)).collect::<Vec<_>>().join(",")
                )
            }
            Self::Map(members) => {
                let written = members
                    .iter()
                    .map(|(key, value)| format!("{}:{}", quoted(key), value.text(style)));
                format!("{{{}}}", written.collect::<Vec<_>>().join(","))
            }
            Self::Object(members) => {
                let mut written: Vec<String> =
                    members.iter().map(|(key, value)| member(key, value)).collect();
                match style {
                    Style::Plain => {}
                    Style::Reversed => written.reverse(),
                    Style::Extra => {
                        written.insert(
                            0,
                            r#""zzz" : [{"type":"text","sessionUpdate":"plan"}, null]"#.to_owned(),
                        );
                        written.push(r#""\u007aZ":-0.5e1"#.to_owned());
                    }
                }
                format!("{{{}}}", written.join(","))
            }
        }
    }
}

/// A value of `shape` with known values only.
pub(crate) fn generate(shape: &Shape, choices: &mut Choices<'_>) -> Tree {
    match shape {
        Shape::Any => Tree::Leaf((*choices.one_of(ANY)).to_owned()),
        Shape::String => Tree::Leaf(quoted(choices.one_of::<&str>(STRINGS))),
        Shape::Bool => Tree::Leaf((*choices.one_of(&["false", "true"])).to_owned()),
        Shape::Integer { format } => Tree::Leaf((*choices.one_of(integers(format))).to_owned()),
        Shape::Number => Tree::Leaf(
            (*choices.one_of(&["0.5", "1e2", "-3.25e-2", "7", "1.7976931348623157e308"]))
                .to_owned(),
        ),
        Shape::Nullable(inner) => match choices.below(4) {
            0 => Tree::Leaf("null".to_owned()),
            _ => generate(inner, choices),
        },
        Shape::Array(item) => {
            Tree::Array((0..choices.below(4)).map(|_| generate(item, choices)).collect())
        }
        Shape::Map(value) => {
            let members = (0..choices.below(3)).map(|index| {
                let key = format!("{}{index}", choices.one_of(STRINGS));
                (key, generate(value, choices))
            });
            Tree::Map(members.collect())
        }
        Shape::OneOf { shapes, .. } => generate(choices.one_of(shapes), choices),
        // Keys for which the type has no field are kept as data (§1.3, `mcp/message`).
        Shape::Object { name: "McpError", members } => Tree::Map(
            object(members, choices)
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        ),
        Shape::Object { members, .. } => Tree::Object(object(members, choices)),
        Shape::Strings { known, .. } => Tree::Leaf(quoted(choices.one_of::<&str>(known))),
        Shape::Union { .. } => Tree::Object(union(shape, choices)),
    }
}

fn object(members: &[MemberShape], choices: &mut Choices<'_>) -> Vec<(&'static str, Tree)> {
    let mut made = Vec::new();
    for member in members {
        if member.mark == "flat" || member.mark == "flat_lenient" && choices.below(3) > 0 {
            made.extend(union(&member.shape, choices));
        } else if member.mark == "flat_lenient" {
            made.extend(
                (choices.below(2) > 0).then(|| (member.key, Tree::Leaf("null".to_owned()))),
            );
        } else if member.required {
            let empty = member.mark == "must_null" && choices.below(5) == 1;
            made.push((
                member.key,
                if empty {
                    Tree::Leaf("null".to_owned())
                } else {
                    generate(&member.shape, choices)
                },
            ));
        } else {
            match choices.below(6) {
                0 | 1 => {}
                2 if member.mark != "given" => {
                    made.push((member.key, Tree::Leaf("null".to_owned())))
                }
                _ => made.push((member.key, generate(&member.shape, choices))),
            }
        }
    }
    made
}

/// The members of one variant, with the tag first. For a shape that is not a union, the object's
/// own members.
fn union(shape: &Shape, choices: &mut Choices<'_>) -> Vec<(&'static str, Tree)> {
    match shape {
        Shape::Object { members, .. } => object(members, choices),
        Shape::OneOf { shapes, .. } => union(choices.one_of(shapes), choices),
        Shape::Union { tag, variants, .. } => {
            let (value, variant) = choices.one_of(variants);
            let mut made = Vec::new();
            if !value.is_empty() {
                made.push((*tag, Tree::Leaf(quoted(value))));
            }
            made.extend(union(variant, choices));
            made
        }
        other => panic!("{other:?} has no members"),
    }
}

const STRINGS: &[&str] = &[
    "",
    "a",
    "/w/a b.rs",
    "line\nnext\r\t\"quoted\\\"",
    "ünï\u{1F600}",
    "\u{0}\u{1f}\u{7f}\u{2028}",
    "2026-11-20T10:00:00Z",
    "null",
];

const ANY: &[&str] = &[
    "1",
    "{}",
    "[]",
    "\"\"",
    "false",
    r#"{"a":[1,2.50,null],"ü":{"type":"text"}}"#,
    "123456789012345678901234567890",
    r#""\ud83d\ude00\u0000""#,
];

fn integers(format: &str) -> &'static [&'static str] {
    match format {
        "uint16" => &["0", "1", "65535"],
        "uint32" => &["0", "1", "4294967295"],
        "uint64" => &["0", "1", "9007199254740993", "18446744073709551615"],
        "int32" => &["0", "-1", "-32002", "2147483647", "-2147483648"],
        _ => &["0", "-1", "7", "9223372036854775807", "-9223372036854775808"],
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
