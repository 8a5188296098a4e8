//! Compares our JSON Schema with the official one: properties, types, required members,
//! enumerations and decode marks.
//!
//! The official schema here is the unstable one. The stable schema is a subset, which only lacks
//! some types, members and variants.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod canonical;
mod intended;

use canonical::{Alternative, Member, Schemas, join};
use intended::{ENVELOPES, INTENDED, INTENDED_IN_V2, Intended};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// One difference: the type, the place in it, and what differs.
type Difference = (String, String, String);

/// The official schema of `version`, which is `v1` or `v2`.
fn official_schema(version: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("target/official-schema.json")).expect(
        "the official schema is missing: make it with `cargo run --manifest-path interop/Cargo.toml -p official-schema > \
         target/official-schema.json`",
    );
    let versions: Value = serde_json::from_str(&text).expect("the official schema is JSON");
    versions[version].clone()
}

#[test]
fn our_schema_of_version_1_has_only_the_intended_differences_from_the_official_one() {
    compare(attache_protocol::json_schema(), official_schema("v1"), INTENDED);
}

#[test]
fn our_schema_of_version_2_has_only_the_intended_differences_from_the_official_one() {
    compare(attache_protocol::json_schema_v2(), official_schema("v2"), INTENDED_IN_V2);
}

fn compare(ours: Value, official: Value, intended: &[Intended]) {
    let (ours, official) =
        (ours["$defs"].as_object().unwrap(), official["$defs"].as_object().unwrap());
    let shared: BTreeSet<String> =
        ours.keys().filter(|name| official.contains_key(*name)).cloned().collect();
    assert!(shared.len() > 150, "only {} types have official names", shared.len());
    let ours = Schemas { definitions: ours, shared: shared.clone() };
    let official = Schemas { definitions: official, shared };

    let found: BTreeSet<Difference> = differences(&ours, &official).into_iter().collect();
    let meant: BTreeSet<Difference> = intended
        .iter()
        .map(|(name, place, what, _)| ((*name).to_owned(), (*place).to_owned(), (*what).to_owned()))
        .collect();
    let lines = |set: Vec<&Difference>| {
        set.iter().map(|line| format!("\n    {line:?},")).collect::<String>()
    };
    let (new, unused) =
        (lines(found.difference(&meant).collect()), lines(meant.difference(&found).collect()));
    assert!(
        new.is_empty() && unused.is_empty(),
        "differences that no line intends:{new}\nlines that no difference needs:{unused}"
    );
    assert!(intended.iter().all(|(.., rule)| !rule.is_empty()));
}

fn differences(ours: &Schemas<'_>, official: &Schemas<'_>) -> Vec<Difference> {
    let mut all = Vec::new();
    for (name, definition) in
        official.definitions.iter().filter(|(name, _)| !ENVELOPES.contains(&name.as_str()))
    {
        match ours.definitions.get(name) {
            Some(our) => all.extend(type_differences(name, (ours, our), (official, definition))),
            // A string or number with a name of its own is compared where it is used.
            None if is_plain(official, definition) => {}
            None => {
                all.push((name.clone(), String::new(), "we have no type of this name".to_owned()))
            }
        }
    }
    for name in ours.definitions.keys().filter(|name| !official.definitions.contains_key(*name)) {
        all.push((
            name.clone(),
            String::new(),
            "there is no official type of this name".to_owned(),
        ));
    }
    all
}

fn is_plain(schemas: &Schemas<'_>, definition: &Value) -> bool {
    let parts = schemas.parts(definition);
    !schemas.is_object(definition)
        && parts.len() == 1
        && !parts.iter().any(|part| part.starts_with('"'))
}

fn type_differences(
    name: &str,
    ours: (&Schemas<'_>, &Value),
    official: (&Schemas<'_>, &Value),
) -> Vec<Difference> {
    let place = |place: &str, what: String| (name.to_owned(), place.to_owned(), what);
    if !ours.0.is_object(ours.1) || !official.0.is_object(official.1) {
        let what = parts_difference(&ours.0.parts(ours.1), &official.0.parts(official.1));
        return what.map(|what| place("", what)).into_iter().collect();
    }
    let (mut our, mut their) =
        (labelled(ours.0.alternatives(ours.1)), labelled(official.0.alternatives(official.1)));
    if !our.keys().eq(their.keys()) {
        // The schemas may divide the same objects into types in different ways.
        our = labelled(our.values().flat_map(|one| ours.0.expand(one)).collect());
        their = labelled(their.values().flat_map(|one| official.0.expand(one)).collect());
    }
    let mut all = Vec::new();
    for label in our.keys().chain(their.keys()).collect::<BTreeSet<_>>() {
        match (our.get(label), their.get(label)) {
            (Some(our), Some(their)) => {
                let (our, their) = if our.like == their.like {
                    (our.clone(), their.clone())
                } else {
                    (only(ours.0.expand(our)), only(official.0.expand(their)))
                };
                for (key, what) in member_differences(&our, &their) {
                    let at = if label.is_empty() { key } else { format!("{label}: {key}") };
                    all.push(place(&at, what));
                }
            }
            (Some(_), None) => all.push(place(label, "only we have this variant".to_owned())),
            (None, _) => all.push(place(label, "we lack this variant".to_owned())),
        }
    }
    all
}

/// The first alternative, or an empty one if there is none.
fn only(alternatives: Vec<Alternative>) -> Alternative {
    alternatives.into_iter().next().unwrap_or_default()
}

fn labelled(alternatives: Vec<Alternative>) -> BTreeMap<String, Alternative> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for alternative in &alternatives {
        *count.entry(alternative.label()).or_default() += 1;
    }
    let label = |alternative: &Alternative| {
        let label = alternative.label();
        if count[&label] == 1 {
            return label;
        }
        let required = alternative
            .members
            .iter()
            .filter(|(_, member)| member.required)
            .map(|(key, _)| key.as_str());
        format!(
            "{label} with {}",
            required
                .chain(alternative.like.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join(" ")
        )
    };
    alternatives.into_iter().map(|alternative| (label(&alternative), alternative)).collect()
}

fn member_differences(ours: &Alternative, official: &Alternative) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for key in ours.members.keys().chain(official.members.keys()).collect::<BTreeSet<_>>() {
        match (ours.members.get(key), official.members.get(key)) {
            (Some(our), Some(their)) => {
                all.extend(member_difference(our, their).map(|what| (key.clone(), what)))
            }
            (Some(_), None) => all.push((key.clone(), "only we have it".to_owned())),
            (None, _) => all.push((key.clone(), "we lack it".to_owned())),
        }
    }
    all
}

fn member_difference(ours: &Member, official: &Member) -> Option<String> {
    let mut what: Vec<String> =
        parts_difference(&ours.parts, &official.parts).into_iter().collect();
    if ours.required != official.required {
        what.push(if ours.required { "required by us" } else { "not required by us" }.to_owned());
    }
    if ours.marks != official.marks {
        let letters =
            |marks: &str| if marks.is_empty() { "X".to_owned() } else { marks.to_owned() };
        what.push(format!(
            "marked {} by us, {} officially",
            letters(&ours.marks),
            letters(&official.marks)
        ));
    }
    (!what.is_empty()).then(|| what.join("; "))
}

fn parts_difference(ours: &BTreeSet<String>, official: &BTreeSet<String>) -> Option<String> {
    let side = |who: &str, parts: BTreeSet<String>| {
        (!parts.is_empty()).then(|| format!("{who} only: {}", join(&parts)))
    };
    let ours_only = side("ours", ours.difference(official).cloned().collect());
    let official_only = side("official", official.difference(ours).cloned().collect());
    let what: Vec<String> = ours_only.into_iter().chain(official_only).collect();
    (!what.is_empty()).then(|| what.join("; "))
}
