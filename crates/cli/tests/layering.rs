//! Dependencies between crates point down: a crate uses only crates of lower layers, none of its
//! own layer or above.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

use serde_json::Value;
use std::process::Command;

/// The layers from the bottom, with their crates. ARCHITECTURE.md describes them.
const LAYERS: &[&[&str]] = &[
    &["attache-protocol", "attache-host"],
    &["attache-policy", "attache-models"],
    &["attache-session"],
    &["attache-store", "attache-connection", "attache-checkpoint"],
    &["attache-agent", "attache-client"],
    &["attache-coder", "attache-check", "attache-view"],
    &["attache-screen", "attache-serve"],
    &["attache"],
];

/// Members outside the product. The product may use them only as dev-dependencies.
const ASIDE: &[&str] = &["attache-api", "attache-bench", "attache-mutations", "attache-scenario"];

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|crates| crates.contains(&name))
}

fn packages() -> Vec<Value> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
            "--manifest-path",
            manifest,
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Returns the crates of the workspace that this crate is built with, without dev-dependencies,
/// which are not shipped.
fn built_with(package: &Value) -> Vec<&str> {
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let built = dependencies
        .filter(|dependency| dependency["kind"] != "dev" && !dependency["path"].is_null());
    built.map(|dependency| dependency["name"].as_str().unwrap()).collect()
}

#[test]
fn every_arrow_between_crates_points_down() {
    let mut wrong = Vec::new();
    for package in &packages() {
        let name = package["name"].as_str().unwrap();
        if ASIDE.contains(&name) {
            continue;
        }
        let Some(own) = layer(name) else {
            wrong.push(format!("{name} has no layer: add it to LAYERS of this test, or to ASIDE if it is not part of the product"));
            continue;
        };
        for used in built_with(package) {
            match layer(used) {
                Some(other) if other < own => {}
                Some(other) => {
                    let relation = if other == own { "beside" } else { "above" };
                    wrong.push(format!(
                        "{name} uses {used}, which is {relation} it: move what both need to a layer below"
                    ));
                }
                None => wrong.push(format!("{name} uses {used}, which has no layer")),
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The judge must judge our agent and client like any other.
#[test]
fn the_judge_uses_neither_kit() {
    for package in packages().iter().filter(|package| package["name"] == "attache-check") {
        let used = built_with(package);
        assert!(!used.contains(&"attache-agent") && !used.contains(&"attache-client"), "{used:?}");
    }
}
