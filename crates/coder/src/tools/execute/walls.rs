//! What a session's commands may touch in a sandbox.

use super::scratch::Places;
use attache_host::{Bounds, Roots};
use std::fs;
use std::path::{Path, PathBuf};

/// Names inside the session's folders that can be read and not written: what programs, and agents, obey.
const OBEYED: [&str; 14] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".attache",
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".qwen",
    ".mcp.json",
    ".vscode",
    ".idea",
    ".envrc",
];

/// What is hidden of the person's home: keys, passwords, logins, and our own settings and sessions.
const SECRET: [&str; 24] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".pypirc",
    ".password-store",
    ".vault-token",
    ".bash_history",
    ".zsh_history",
    ".mozilla",
    ".config/attache",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/chromium",
    ".local/share/attache",
    ".local/share/keyrings",
    ".claude/.credentials.json",
    ".codex/auth.json",
];

/// Variables with such a part in their names are not given to commands in a sandbox.
const SECRET_NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// How many folders below a root are looked at for names to be held.
const LOOKED_AT: usize = 500;

/// The bounds of commands of a session with these folders. Blocks on the disk.
pub(super) fn bounds(roots: &Roots, places: &Places, network: bool) -> Bounds {
    let mut read_only: Vec<PathBuf> = roots.all().iter().flat_map(|root| obeyed(root)).collect();
    read_only.push(places.outputs.clone());
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let hidden = home.iter().flat_map(|home| SECRET.iter().map(|name| home.join(name)));
    Bounds {
        writable: roots.all().to_vec(),
        read_only,
        hidden: hidden.filter_map(|path| path.canonicalize().ok()).collect(),
        temporary: Some(places.temporary.clone()),
        network,
    }
}

/// What is obeyed at a root and in its folders, and where a `.git` that is a file leads.
fn obeyed(root: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(root).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir())).take(LOOKED_AT);
    let mut found = Vec::new();
    for folder in [root.to_owned()].into_iter().chain(folders.map(|entry| entry.path())) {
        for name in OBEYED {
            let Ok(path) = folder.join(name).canonicalize() else { continue };
            if name == ".git" && path.is_file() {
                found.extend(repository(&path));
            }
            found.push(path);
        }
    }
    found
}

/// The folders of the repository that a `.git` file names, as in a second worktree or a submodule: its own, and the one it shares.
fn repository(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let named = |file: &Path| fs::read_to_string(file).ok();
    let own = named(file)
        .and_then(|text| folder.join(text.trim().strip_prefix("gitdir:")?.trim()).canonicalize().ok());
    let Some(own) = own else { return Vec::new() };
    let shared = named(&own.join("commondir")).and_then(|text| own.join(text.trim()).canonicalize().ok());
    [Some(own), shared].into_iter().flatten().collect()
}

/// The names of the variables of ours that look like secrets.
pub(super) fn secret_variables() -> impl Iterator<Item = std::ffi::OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy().to_uppercase();
        SECRET_NAMES.iter().any(|part| name.contains(part))
    })
}
