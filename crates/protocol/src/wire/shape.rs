//! The JSON that a type accepts. JSON Schemas and generated test values come from it.

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
    /// An object with arbitrary keys.
    Map(Box<Shape>),
    /// One of the shapes, distinguished by JSON type.
    OneOf {
        /// The Rust type's name.
        name: &'static str,
        /// The shapes.
        shapes: Vec<Shape>,
    },
    /// An object with known members.
    Object {
        /// The Rust type's name, which is also the schema's. Empty if the members have no type of
        /// their own.
        name: &'static str,
        /// Its members in the order in which they are written.
        members: Vec<MemberShape>,
    },
    /// A set of strings.
    Strings {
        /// The Rust type's name.
        name: &'static str,
        /// The strings this version knows.
        known: &'static [&'static str],
        /// Whether other strings are valid.
        open: bool,
    },
    /// A union of objects with a tag.
    Union {
        /// The Rust type's name.
        name: &'static str,
        /// The tag's key.
        tag: &'static str,
        /// The tag and the shape of each variant. An empty tag stands for an absent one.
        variants: Vec<(&'static str, Shape)>,
        /// Whether other tags are valid.
        open: bool,
    },
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberShape {
    /// The key on the wire. For the mark `flat`, the tag of the union.
    pub key: &'static str,
    /// The decode mark, see [`crate::mark`].
    pub mark: &'static str,
    /// Whether the key must be present.
    pub required: bool,
    /// The value's shape.
    pub shape: Shape,
}

/// A function that returns the shape of a type: [`Wire::shape`](crate::Wire::shape).
type ShapeOf = fn() -> Shape;

/// The members of an object, while its shape is made.
pub(crate) struct ObjectShape(Vec<MemberShape>);

impl ObjectShape {
    pub(crate) fn member(
        &mut self,
        key: &'static str,
        mark: &'static str,
        required: bool,
        shape: ShapeOf,
    ) {
        self.0.push(MemberShape { key, mark, required, shape: shape() });
    }
}

/// The variants of a union, while its shape is made.
pub(crate) struct UnionShape(Vec<(&'static str, Shape)>);

impl UnionShape {
    pub(crate) fn variant(&mut self, tag: &'static str, shape: ShapeOf) {
        self.0.push((tag, shape()));
    }
}

/// The functions that make shapes are not generic. Hundreds of types have a shape, and a type adds
/// only the names of its members.
impl Shape {
    pub(crate) fn object(name: &'static str, members: fn(&mut ObjectShape)) -> Self {
        let mut object = ObjectShape(Vec::new());
        members(&mut object);
        Self::Object { name, members: object.0 }
    }

    pub(crate) fn no_members() -> Self {
        Self::Object { name: "", members: Vec::new() }
    }

    pub(crate) fn union(
        name: &'static str,
        tag: &'static str,
        open: bool,
        variants: fn(&mut UnionShape),
    ) -> Self {
        let mut union = UnionShape(Vec::new());
        variants(&mut union);
        Self::Union { name, tag, variants: union.0, open }
    }

    pub(crate) fn array(item: ShapeOf) -> Self {
        Self::Array(Box::new(item()))
    }

    pub(crate) fn nullable(value: ShapeOf) -> Self {
        Self::Nullable(Box::new(value()))
    }
}
