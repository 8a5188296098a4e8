//! A separate home for a peer under test, so that the peer neither reads the person's settings nor
//! stores its sessions among the person's.

use std::ffi::OsString;
use std::path::Path;

/// The environment variables for a program's home, settings and data folders, with paths relative
/// to the home.
const FOLDERS: &[(&str, &str)] = &[
    ("HOME", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The person's folders with toolchains and downloaded programs. Without them `npx`, `uvx`,
/// `cargo run` and similar programs would download everything again or fail.
const TOOLS: &[(&str, &str)] = &[
    ("npm_config_cache", ".npm"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("GOPATH", "go"),
];

/// Returns the variables that give a program this home.
pub(in crate::check) fn variables(home: &Path) -> Vec<(OsString, OsString)> {
    let folders = FOLDERS.iter().map(|(name, below)| ((*name).into(), home.join(below).into()));
    tools().into_iter().chain(folders).collect()
}

fn tools() -> Vec<(OsString, OsString)> {
    let Some(home) = std::env::var_os("HOME") else { return Vec::new() };
    let unset = TOOLS.iter().filter(|(name, _)| std::env::var_os(name).is_none());
    let there = unset
        .map(|(name, below)| (name, Path::new(&home).join(below)))
        .filter(|(_, path)| path.exists());
    there.map(|(name, path)| (name.into(), path.into())).collect()
}
