//! Sets what `attache --version` shows: `ATTACHE_COMMIT` and `ATTACHE_BUILD`.

#![allow(clippy::print_stdout, reason = "Cargo reads the stdout of a build script")]

use std::env;
use std::fs;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ATTACHE_COMMIT");
    let profile = env::var("PROFILE").unwrap_or_default();
    let target = env::var("TARGET").unwrap_or_default();
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let compiler = output(&rustc, &["--version"]).unwrap_or_default();
    let compiler = compiler.split(" (").next().unwrap_or_default();
    println!("cargo::rustc-env=ATTACHE_BUILD={profile}, {target}, {compiler}");
    println!("cargo::rustc-env=ATTACHE_COMMIT={}", commit(&profile));
}

/// Returns the commit: from the variable `ATTACHE_COMMIT`, from the package, or from Git. A
/// development build does not follow the commits, because it would then be built again after each.
fn commit(profile: &str) -> String {
    let given = env::var("ATTACHE_COMMIT").ok().filter(|commit| !commit.is_empty());
    match given.or_else(packaged) {
        Some(commit) => commit,
        None if profile == "release" => checked_out().unwrap_or_else(|| "unknown".to_owned()),
        None => "not recorded in development builds".to_owned(),
    }
}

/// Returns the commit of a package of `cargo package`.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    Some(rest.split('"').nth(1)?.to_owned())
}

/// Returns the commit of the checkout, with a mark if files of this crate were changed since.
fn checked_out() -> Option<String> {
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    let commit = output("git", &["rev-parse", "HEAD"])?;
    let changed = output("git", &["status", "--porcelain", "--untracked-files=no", "../.."])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}, with changes") })
}

/// Returns the output of a program, without the line feed at the end.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}
