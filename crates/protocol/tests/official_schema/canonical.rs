//! A JSON Schema in a comparable form: the members of each type's alternatives, by key.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The allowed content in one place: names of types, JSON types, constants.
pub(crate) type Parts = BTreeSet<String>;

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) required: bool,
    pub(crate) parts: Parts,
    /// The decode keywords as letters: L, K, N.
    pub(crate) marks: String,
}

/// One alternative of an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alternative {
    /// Named types whose members this alternative also has.
    pub(crate) like: BTreeSet<String>,
    pub(crate) members: BTreeMap<String, Member>,
    /// Whether this alternative represents the tags that this version does not know.
    pub(crate) other: bool,
}

impl Alternative {
    /// Its constants, such as `type=text`, or else the types whose members it has, or else nothing.
    pub(crate) fn label(&self) -> String {
        if self.other {
            return "other".to_owned();
        }
        let constants: Vec<String> = self
            .members
            .iter()
            .filter_map(|(key, member)| Some(format!("{key}={}", constant(member)?)))
            .collect();
        if constants.is_empty() { join(&self.like) } else { constants.join(",") }
    }

    fn and(&self, more: &Self) -> Self {
        let mut both = self.clone();
        both.like.extend(more.like.iter().cloned());
        both.other |= more.other;
        for (key, member) in &more.members {
            let merged = match both.members.get(key) {
                Some(known) => known.and(member),
                None => member.clone(),
            };
            both.members.insert(key.clone(), merged);
        }
        both
    }
}

impl Member {
    fn and(&self, more: &Self) -> Self {
        let parts = match (constant(self), constant(more)) {
            (Some(_), _) => self.parts.clone(),
            (_, Some(_)) => more.parts.clone(),
            _ => self.parts.intersection(&more.parts).cloned().collect(),
        };
        let marks = if self.marks.is_empty() { more.marks.clone() } else { self.marks.clone() };
        Self { required: self.required || more.required, parts, marks }
    }
}

fn constant(member: &Member) -> Option<&str> {
    let mut parts = member.parts.iter();
    match (parts.next(), parts.next()) {
        (Some(part), None) => part.strip_prefix('"')?.strip_suffix('"'),
        _ => None,
    }
}

pub(crate) fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join("|")
}

/// The types of one schema. Those named in `shared` are compared by name, and all others where they
/// are used.
pub(crate) struct Schemas<'s> {
    pub(crate) definitions: &'s Map<String, Value>,
    pub(crate) shared: BTreeSet<String>,
}

impl Schemas<'_> {
    /// The type that `schema` refers to, unless it adds members.
    fn named(&self, schema: &Value) -> Option<(String, &Value)> {
        if schema.get("properties").is_some() {
            return None;
        }
        self.referenced(schema)
    }

    fn referenced(&self, schema: &Value) -> Option<(String, &Value)> {
        let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        Some((name.to_owned(), self.definitions.get(name)?))
    }

    /// Whether a type is a set of objects rather than a string, a number, an enumeration or a mix.
    pub(crate) fn is_object(&self, schema: &Value) -> bool {
        if let Some((_, definition)) = self.named(schema) {
            return self.is_object(definition);
        }
        schema.get("properties").is_some()
            || ["allOf", "anyOf", "oneOf"].iter().any(|key| {
                let schemas = schema
                    .get(key)
                    .and_then(Value::as_array)
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                !schemas.is_empty() && schemas.iter().all(|schema| self.is_object(schema))
            })
    }

    /// The allowed content where `schema` is used.
    pub(crate) fn parts(&self, schema: &Value) -> Parts {
        if let Some((name, definition)) = self.named(schema) {
            return if self.shared.contains(&name) {
                Parts::from([name])
            } else {
                self.parts(definition)
            };
        }
        if let Some(constant) = schema.get("const") {
            return Parts::from([constant.to_string()]);
        }
        if let Some(constants) = schema.get("enum").and_then(Value::as_array) {
            return constants.iter().map(Value::to_string).collect();
        }
        if schema.get("properties").is_some() {
            return self.alternatives(schema).iter().map(render).collect();
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            if let Some(schemas) = schema.get(key).and_then(Value::as_array) {
                return schemas.iter().flat_map(|schema| self.parts(schema)).collect();
            }
        }
        match schema.get("type") {
            Some(Value::String(kind)) => Parts::from([self.simple(kind, schema)]),
            Some(Value::Array(kinds)) => kinds
                .iter()
                .filter_map(Value::as_str)
                .map(|kind| self.simple(kind, schema))
                .collect(),
            _ => Parts::from(["any".to_owned()]),
        }
    }

    fn simple(&self, kind: &str, schema: &Value) -> String {
        let inner = |key: &str| match schema.get(key) {
            Some(inner @ Value::Object(_)) => join(&self.parts(inner)),
            _ => "any".to_owned(),
        };
        match kind {
            "array" => format!("[{}]", inner("items")),
            "object" => format!("{{*: {}}}", inner("additionalProperties")),
            "integer" => {
                schema.get("format").and_then(Value::as_str).unwrap_or("integer").to_owned()
            }
            other => other.to_owned(),
        }
    }

    /// The alternatives of an object.
    pub(crate) fn alternatives(&self, schema: &Value) -> Vec<Alternative> {
        let own = Alternative {
            like: BTreeSet::new(),
            members: self.members(schema),
            other: schema.get("not").is_some(),
        };
        let list = |key: &str| {
            schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
        };
        let mut factors: Vec<Vec<Alternative>> =
            list("allOf").iter().map(|schema| self.like(schema)).collect();
        if let Some((name, _)) =
            self.referenced(schema).filter(|_| schema.get("properties").is_some())
        {
            // Some generators write the reference next to the members instead of into `allOf`.
            factors.push(self.like(&serde_json::json!({"$ref": format!("#/$defs/{name}")})));
        }
        for key in ["anyOf", "oneOf"] {
            if !list(key).is_empty() {
                factors.push(list(key).iter().flat_map(|schema| self.like(schema)).collect());
            }
        }
        factors.iter().fold(vec![own], |alternatives, factor| {
            alternatives.iter().flat_map(|one| factor.iter().map(|more| one.and(more))).collect()
        })
    }

    fn like(&self, schema: &Value) -> Vec<Alternative> {
        match self.named(schema) {
            Some((name, _)) if self.shared.contains(&name) => {
                vec![Alternative { like: BTreeSet::from([name]), ..Alternative::default() }]
            }
            Some((_, definition)) => self.alternatives(definition),
            None => self.alternatives(schema),
        }
    }

    /// The same alternative, including the members of the types that it refers to.
    pub(crate) fn expand(&self, alternative: &Alternative) -> Vec<Alternative> {
        let own = Alternative { like: BTreeSet::new(), ..alternative.clone() };
        alternative.like.iter().fold(vec![own], |alternatives, name| {
            let more = self
                .definitions
                .get(name)
                .map(|definition| self.alternatives(definition))
                .unwrap_or_default();
            let more: Vec<Alternative> = more.iter().flat_map(|one| self.expand(one)).collect();
            alternatives.iter().flat_map(|one| more.iter().map(|more| one.and(more))).collect()
        })
    }

    fn members(&self, schema: &Value) -> BTreeMap<String, Member> {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return BTreeMap::new();
        };
        let required =
            schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let member = |(key, schema): (&String, &Value)| {
            let letters =
                [("default-on-error", 'L'), ("skip-invalid-items", 'K'), ("default-on-null", 'N')];
            let marks: String = letters
                .iter()
                .filter(|(name, _)| schema.get(format!("x-deserialize-{name}")).is_some())
                .map(|(_, letter)| letter)
                .collect();
            let required = required.contains(&Value::String(key.clone()));
            let mut parts = self.parts(schema);
            if !required && !marks.is_empty() {
                // Here, null decodes to the default whether or not the type allows null.
                parts.remove("null");
            }
            (key.clone(), Member { required, parts, marks })
        };
        properties.iter().map(member).collect()
    }
}

fn render(alternative: &Alternative) -> String {
    let members: Vec<String> = alternative
        .members
        .iter()
        .map(|(key, member)| {
            format!("{key}{}: {}", if member.required { "" } else { "?" }, join(&member.parts))
        })
        .collect();
    format!("{{{} {}}}", members.join(", "), join(&alternative.like))
}
