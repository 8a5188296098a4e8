//! JSON Schemas of every type in the method table, from the same declarations that decode them.

use crate::method::{self, METHODS, Row};
use crate::{Error, MemberShape, RequestId, Shape, Wire, v2};
use serde_json::{Map, Value, json};

/// Returns one JSON Schema (draft 2020-12) of version 1 whose `$defs` contain every named type:
/// those of the method table's params and results, the error and the request id, and all types
/// inside them.
///
/// The decode marks appear as the keywords of the official schema: `x-deserialize-default-on-error`
/// (L), `x-deserialize-skip-invalid-items` (K) and `x-deserialize-default-on-null` (N). See
/// [`crate::mark`].
pub fn json_schema() -> Value {
    let definitions = Definitions { open: false, named: Map::new() };
    schema_of("Agent Client Protocol, version 1", METHODS, definitions)
}

/// Like [`json_schema`], for version 2, in which every union and every set of several strings is
/// open.
pub fn json_schema_v2() -> Value {
    let mut definitions = Definitions { open: true, named: Map::new() };
    definitions.schema(&v2::UnsupportedProtocolVersionErrorData::shape());
    definitions.schema(&v2::SessionNotFoundErrorData::shape());
    schema_of("Agent Client Protocol, version 2", method::v2::METHODS, definitions)
}

fn schema_of(title: &str, methods: &[&Row], mut definitions: Definitions) -> Value {
    for row in methods {
        definitions.schema(&(row.params)());
        if let Some(result) = row.result {
            definitions.schema(&result());
        }
    }
    definitions.schema(&Error::shape());
    definitions.schema(&RequestId::shape());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "$defs": definitions.named,
    })
}

/// The named types found so far.
struct Definitions {
    /// Whether closed sets and unions count as open.
    open: bool,
    named: Map<String, Value>,
}

impl Definitions {
    /// Returns the schema for one use of `shape`. A named type is defined once and then referenced.
    fn schema(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Any => json!({}),
            Shape::String => json!({"type": "string"}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Integer { format } if format.starts_with('u') => {
                json!({"type": "integer", "format": format, "minimum": 0})
            }
            Shape::Integer { format } => json!({"type": "integer", "format": format}),
            Shape::Number => json!({"type": "number", "format": "double"}),
            Shape::Nullable(inner) => nullable(self.schema(inner)),
            Shape::Array(item) => json!({"type": "array", "items": self.schema(item)}),
            Shape::Map(value) => {
                json!({"type": "object", "additionalProperties": self.schema(value)})
            }
            Shape::OneOf { name, shapes } => self.define(name, |definitions| {
                let shapes: Vec<_> = shapes.iter().map(|shape| definitions.schema(shape)).collect();
                json!({"anyOf": shapes})
            }),
            Shape::Object { name: "", members } => self.object(members),
            Shape::Object { name, members } => {
                self.define(name, |definitions| definitions.object(members))
            }
            Shape::Strings { name, known, open } => self.define(name, |definitions| {
                strings(known, *open || definitions.open && known.len() > 1)
            }),
            Shape::Union { name, tag, variants, open } => self.define(name, |definitions| {
                definitions.union(tag, variants, *open || definitions.open)
            }),
        }
    }

    fn define(&mut self, name: &str, schema: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.named.contains_key(name) {
            let schema = schema(self);
            self.named.insert(name.to_owned(), schema);
        }
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn object(&mut self, members: &[MemberShape]) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut unions = Vec::new();
        for member in members {
            let mut schema = self.schema(&member.shape);
            match member.mark {
                "flat" => {
                    unions.push(schema);
                    continue;
                }
                "flat_lenient" => {
                    let without =
                        json!({"type": "object", "properties": {member.key: {"type": "null"}}});
                    unions.push(json!({"anyOf": [schema, without]}));
                    schema = json!({"type": ["string", "null"]});
                }
                _ => {}
            }
            for keyword in keywords(member.mark) {
                if let Value::Object(schema) = &mut schema {
                    schema.insert((*keyword).to_owned(), Value::Bool(true));
                }
            }
            properties.insert(member.key.to_owned(), schema);
            if member.required {
                required.push(member.key);
            }
        }
        let mut object = json!({"type": "object", "properties": properties});
        if let Value::Object(object) = &mut object {
            if !required.is_empty() {
                object.insert("required".to_owned(), json!(required));
            }
            if !unions.is_empty() {
                object.insert("allOf".to_owned(), Value::Array(unions));
            }
        }
        object
    }

    fn union(&mut self, tag: &str, variants: &[(&str, Shape)], open: bool) -> Value {
        let tagged = |value: &str| json!({"type": "object", "properties": {tag: {"type": "string", "const": value}}, "required": [tag]});
        let mut alternatives = Vec::new();
        for (value, shape) in variants {
            let mut alternative = if value.is_empty() { json!({}) } else { tagged(value) };
            let bare = matches!(shape, Shape::Object { members, .. } if members.is_empty());
            if let Value::Object(alternative) = &mut alternative
                && !bare
            {
                alternative.insert("allOf".to_owned(), json!([self.schema(shape)]));
            }
            alternatives.push(alternative);
        }
        if open {
            let known: Vec<Value> = variants.iter().map(|(value, _)| tagged(value)).collect();
            let other = json!({"type": "object", "properties": {tag: {"type": "string"}}, "required": [tag], "not": {"anyOf": known}});
            alternatives.push(other);
        }
        // An object without the tag can also match the members of a tagged variant, so such a union
        // cannot use `oneOf`.
        let keyword =
            if variants.iter().any(|(value, _)| value.is_empty()) { "anyOf" } else { "oneOf" };
        json!({ keyword: alternatives })
    }
}

fn strings(known: &[&str], open: bool) -> Value {
    let known = json!({"type": "string", "enum": known});
    if open { json!({"anyOf": [known, {"type": "string"}]}) } else { known }
}

fn nullable(schema: Value) -> Value {
    match schema {
        Value::Object(mut schema) => match schema.get("type") {
            Some(Value::String(kind)) => {
                let kinds = json!([kind, "null"]);
                schema.insert("type".to_owned(), kinds);
                Value::Object(schema)
            }
            _ if schema.is_empty() => Value::Object(schema), // any value, null included
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        },
        other => other,
    }
}

/// The keywords of the official schema for a decode mark.
fn keywords(mark: &str) -> &'static [&'static str] {
    match mark {
        "lenient" | "stated" | "patch" | "flat_lenient" => &["x-deserialize-default-on-error"],
        "items" | "must_items" | "patch_items" => {
            &["x-deserialize-default-on-error", "x-deserialize-skip-invalid-items"]
        }
        "must_list" => &["x-deserialize-skip-invalid-items"],
        "null" | "must_null" => &["x-deserialize-default-on-null"],
        _ => &[],
    }
}
