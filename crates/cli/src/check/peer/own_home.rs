//! A home of its own for a peer under test: it neither reads the person's settings nor leaves
//! sessions among theirs.

use std::ffi::OsString;
use std::path::Path;

/// Where a program looks for its home, its settings and its data, from that home.
const FOLDERS: &[(&str, &str)] = &[
    ("HOME", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// Folders of the person's that hold toolchains and downloaded programs, without which `npx`,
/// `uvx`, `cargo run` and their like would fetch everything again or not run at all.
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

/// The variables that give a program this home.
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
