//! What JSON a type takes: the source of the JSON Schemas and of generated test values.

/// The shape of one wire type. No ACP type contains itself, so a shape is a finite tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Any JSON value.
    Any,
    /// A string.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number, by its JSON Schema format: `uint16`, `uint32`, `uint64`, `int32`, `int64`.
    Integer {
        /// The format.
        format: &'static str,
    },
    /// Any number.
    Number,
    /// A value or null.
    Nullable(Box<Shape>),
    /// An array.
    Array(Box<Shape>),
    /// An object with free keys.
    Map(Box<Shape>),
    /// One of the shapes; told apart by JSON type, not by a tag.
    OneOf {
        /// The Rust type's name.
        name: &'static str,
        /// The shapes.
        shapes: Vec<Shape>,
    },
    /// An object with known members.
    Object {
        /// The Rust type's name, which is the schema's; empty for members without a type of their
        /// own.
        name: &'static str,
        /// Its members in the order they are written.
        members: Vec<MemberShape>,
    },
    /// A set of strings.
    Strings {
        /// The Rust type's name.
        name: &'static str,
        /// The strings this version knows.
        known: &'static [&'static str],
        /// Whether others are legal.
        open: bool,
    },
    /// A union of objects told apart by a tag.
    Union {
        /// The Rust type's name.
        name: &'static str,
        /// The tag's key.
        tag: &'static str,
        /// Tag value and shape of each variant; the empty tag value stands for an absent tag.
        variants: Vec<(&'static str, Shape)>,
        /// Whether other tags are legal.
        open: bool,
    },
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberShape {
    /// The key on the wire; for the mark `flat` the tag of the union that stands among the members.
    pub key: &'static str,
    /// The decode mark, see [`crate::mark`].
    pub mark: &'static str,
    /// Whether the key must be present.
    pub required: bool,
    /// The value's shape.
    pub shape: Shape,
}
