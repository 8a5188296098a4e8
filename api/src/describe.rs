//! Descriptions of libraries as JSON, by rustdoc.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Describes libraries of the workspace at `root` with all their features. Returns the folder of
/// the descriptions, one file per library.
///
/// # Errors
/// Returns a text if Cargo cannot be started or fails, which prints its own errors.
pub fn describe(root: &Path, libraries: &[&str]) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["doc", "--no-deps", "--lib", "--all-features", "--locked"]);
    cargo.arg("--quiet").args(libraries.iter().flat_map(|library| ["-p", library]));
    cargo
        .env_remove("RUSTC_BOOTSTRAP")
        .env("ATTACHE_API_RUSTDOC", env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into()))
        .env("RUSTDOC", root.join("api/rustdoc"))
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    let status = cargo.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err("cargo doc failed: see its errors".to_owned());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(root.join(target).join("doc"))
}
