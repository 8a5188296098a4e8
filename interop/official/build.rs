//! Finds the example agent in the sources of the official SDK, so that it is built unchanged.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let output = Command::new(env::var_os("CARGO").unwrap())
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(env::var_os("CARGO_MANIFEST_DIR").unwrap())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let sdk = packages.iter().find(|package| package["name"] == "agent-client-protocol").unwrap();
    let manifest = Path::new(sdk["manifest_path"].as_str().unwrap());
    let example = manifest.with_file_name("examples").join("simple_agent.rs");
    let copy = PathBuf::from(env::var_os("OUT_DIR").unwrap()).join("simple_agent.rs");
    fs::copy(&example, &copy).unwrap_or_else(|error| panic!("{}: {error}", example.display()));
    println!("cargo::rustc-env=SIMPLE_AGENT={}", copy.display());
    println!("cargo::rerun-if-changed=build.rs");
}
