//! The limits of a session's sandboxed commands.

mod outside;
mod search;
mod session;
mod watch;

pub(crate) use session::KnownFiles;
pub(super) use session::Session;
pub(super) use watch::Watch;

use super::scratch::Places;
use attache_host::{Bounds, is_placeholder, reclaim_placeholders};
use attache_policy::{Decision, Effect, Guard, Reason, names_to_hold, protected_names};
use std::fs;
use std::path::{Path, PathBuf};

/// Variables whose names contain one of these are removed from the environment of sandboxed
/// commands.
const SECRET_PARTS: [&str; 9] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "COOKIE",
    "WEBHOOK",
];

/// Variables whose names end with one of these are removed too.
const SECRET_ENDS: [&str; 5] = ["PASS", "_PAT", "_AUTH", "_DSN", "_CREDS"];

/// Variables that set options of git: names that begin with one of these. Their values can be
/// credentials, such as a header, and git fails if one of them is missing.
const GIT_OPTIONS: [&str; 4] =
    ["GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_VALUE_"];

/// The maximum number of protected paths inside the session's folders. Each needs a mount, and many
/// mounts delay a command noticeably.
const MAX_PROTECTED: usize = 128;

/// Why the policy allowed a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools) struct Permit {
    /// Whether a person or a rule allowed the command. It may then read the secrets in the
    /// session's folders.
    pub(super) allowed: bool,
    /// Whether the command was allowed because it only reads. It then gets no writable folder.
    pub(super) only_reads: bool,
    /// Whether the command has access to the network.
    pub(super) network: bool,
}

impl Permit {
    /// Returns the permit that follows from a decision about a command.
    pub(super) fn of(decision: &Decision, network: bool) -> Self {
        let by_itself =
            decision.effect == Effect::Allow && !matches!(decision.reason, Reason::Rule(_));
        let only_reads = decision.effect == Effect::Allow && decision.reason == Reason::ReadOnly;
        Self { allowed: !by_itself, only_reads, network }
    }
}

/// Returns the sandbox limits for a session's command, and the files to watch while it runs. Blocks
/// on disk I/O.
pub(super) fn sandbox_bounds(
    session: &Session,
    places: &Places,
    permit: Permit,
) -> (Bounds, Watch) {
    let roots = session.folders.roots();
    let mut found = session.known.complete(search::search(&session.judge()));
    let tracked = Tracked::of(roots.all());
    found.secret.retain(|path| !permit.allowed && !tracked.has(path));
    let homes = outside::homes();
    let mut hidden = outside::hidden(&homes, roots.all(), &session.private);
    hidden.extend(
        found.secret.iter().take(MAX_PROTECTED).filter_map(|path| path.canonicalize().ok()),
    );
    hidden.retain(|path| !roots.all().iter().any(|root| root.starts_with(path)));
    let mut read_only = vec![places.outputs.clone()];
    let mut missing = Vec::new();
    if permit.only_reads {
        // These folders must be visible, even if they are in the system's folder for temporary
        // files.
        read_only.extend(roots.all().iter().cloned());
    } else {
        let held = found.obeyed.iter().filter_map(|path| path.canonicalize().ok());
        read_only.extend(held.take(MAX_PROTECTED));
        let repositories: Vec<PathBuf> =
            read_only.iter().flat_map(|path| repository(path)).collect();
        read_only.extend(repositories);
        for root in roots.all() {
            missing.extend(missing_protected(root, homes.contains(root)));
            let below = homes.iter().filter(|home| home.starts_with(root) && *home != root);
            missing.extend(below.flat_map(|home| missing_protected(home, true)));
        }
    }
    let writable = if permit.only_reads { Vec::new() } else { roots.all().to_vec() };
    let bounds = Bounds {
        writable,
        read_only,
        missing,
        hidden,
        temporary: Some(places.temporary.clone()),
        network: permit.network,
    };
    (bounds, Watch::begin(found, session.clone()))
}

/// Removes the placeholders that commands left in these folders when they were killed together with
/// this program. Blocks on disk I/O.
pub(crate) fn reclaim(roots: &[PathBuf]) {
    for root in roots {
        let names = protected_names(Guard::Obeyed).chain(protected_names(Guard::Secret));
        reclaim_placeholders(root, names);
    }
}

/// The paths of protected names that do not exist in a root yet and that commands must not create
/// there.
fn missing_protected(root: &Path, home: bool) -> Vec<PathBuf> {
    let paths = names_to_hold(home).map(|name| root.join(name));
    let missing = |path: &PathBuf| match path.symlink_metadata() {
        Ok(_) => is_placeholder(path),
        // Nothing can be created below a file.
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    // A placeholder must not be created below a link or a file.
    let held = |path: &PathBuf| {
        let above = path.ancestors().skip(1).take_while(|above| *above != root);
        above.into_iter().all(|above| above.symlink_metadata().map_or(true, |found| found.is_dir()))
    };
    paths.filter(held).filter(missing).collect()
}

/// The Git folders to which the `.git` file of a submodule or of a further worktree leads: its own
/// folder and, if there is one, the folder that it shares with the main worktree.
fn repository(file: &Path) -> Vec<PathBuf> {
    if file.file_name().is_none_or(|name| name != ".git") || !file.is_file() {
        return Vec::new();
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    let named = |file: &Path| fs::read_to_string(file).ok();
    let own = named(file).and_then(|text| {
        folder.join(text.trim().strip_prefix("gitdir:")?.trim()).canonicalize().ok()
    });
    let Some(own) = own else { return Vec::new() };
    let shared =
        named(&own.join("commondir")).and_then(|text| own.join(text.trim()).canonicalize().ok());
    [Some(own), shared].into_iter().flatten().collect()
}

/// The files that the repositories in the session's folders track. They need not be hidden, because
/// a program that can read a repository can read their content from it.
struct Tracked(Vec<(PathBuf, Vec<u8>)>);

/// The maximum size of a repository's index, in bytes. A larger index is ignored.
const MAX_INDEX: u64 = 8 * 1024 * 1024;

impl Tracked {
    fn of(roots: &[PathBuf]) -> Self {
        let index = |root: &PathBuf| {
            let file = root.join(".git/index");
            let length = file.symlink_metadata().ok().filter(fs::Metadata::is_file)?.len();
            (length <= MAX_INDEX).then(|| Some((root.clone(), fs::read(&file).ok()?)))?
        };
        Self(roots.iter().filter_map(index).collect())
    }

    /// Whether an index names the file. In an index of version 4, whose names are compressed, most
    /// files are not found.
    fn has(&self, path: &Path) -> bool {
        self.0.iter().any(|(root, index)| {
            let Ok(below) = path.strip_prefix(root) else { return false };
            let name = [below.as_os_str().as_encoded_bytes(), b"\0"].concat();
            index.windows(name.len()).any(|window| window == name)
        })
    }
}

/// The names of this process's environment variables that look secret, either by their names or
/// because the value is an address with a password.
pub(super) fn secret_variables() -> impl Iterator<Item = std::ffi::OsString> {
    let variables = std::env::vars_os();
    let secret = variables
        .filter(|(name, value)| is_secret(&name.to_string_lossy(), &value.to_string_lossy()));
    secret.map(|(name, _)| name)
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_uppercase();
    let password = value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(person, _)| person.contains(':'))
    });
    SECRET_PARTS.iter().any(|part| name.contains(part))
        || SECRET_ENDS.iter().any(|end| name.ends_with(end))
        || GIT_OPTIONS.iter().any(|start| name.starts_with(start))
        || password
}

#[cfg(test)]
mod tests {
    use super::{KnownFiles, Permit, Session, is_secret, sandbox_bounds};
    use crate::tools::execute::scratch::Scratch;
    use attache_policy::{Folders, Policy};
    use std::path::Path;

    #[test]
    fn command_that_only_reads_has_no_writable_folder() {
        let folders = Folders::new(&["/usr".into(), "/tmp".into()]).unwrap();
        let policy = Policy::read(None, &folders);
        let private = vec!["/".into(), "/etc".into()];
        let session = Session { policy, folders, private, known: KnownFiles::default() };
        let places = Scratch::default().places().unwrap();
        let permit = Permit { allowed: false, only_reads: true, network: false };
        let (bounds, _) = sandbox_bounds(&session, &places, permit);
        assert!(
            bounds.writable.is_empty() && bounds.missing.is_empty() && bounds.temporary.is_some()
        );
        assert!(
            ["/usr", "/tmp"]
                .iter()
                .all(|root| bounds.read_only.iter().any(|path| path == Path::new(root)))
        );
        let is_hidden = |path: &str| bounds.hidden.iter().any(|hidden| hidden == Path::new(path));
        assert!(is_hidden("/etc") && !is_hidden("/"), "the session's own folders stay visible");
    }

    #[test]
    fn protected_files_of_a_home_are_protected_in_a_home() {
        let folder = tempfile::tempdir().unwrap();
        let names = |home| {
            let held = super::missing_protected(folder.path(), home).into_iter();
            held.map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
                .collect::<Vec<_>>()
        };
        let (project, home) = (names(false), names(true));
        for name in
            [".bashrc", ".profile", ".zshrc", ".gitconfig", ".config/git", ".config/systemd"]
        {
            assert!(
                home.iter().any(|held| held == name) && !project.iter().any(|held| held == name),
                "{name}"
            );
        }
        for name in [".mise.toml", ".pre-commit-config.yaml", ".envrc.local", ".yarn/releases"] {
            assert!(project.iter().any(|held| held == name), "{name}");
        }
    }

    #[test]
    fn variable_is_secret_by_its_name_or_by_a_password_in_its_value() {
        for name in [
            "OPENAI_API_KEY",
            "npm_token",
            "PGPASSWORD",
            "DB_PASS",
            "GITHUB_PAT",
            "SENTRY_DSN",
            "NPM_AUTH",
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_VALUE_0",
        ] {
            assert!(is_secret(name, "x"), "{name}");
        }
        assert!(is_secret("DATABASE_URL", "postgres://me:hush@db:5432/x"));
        for (name, value) in [
            ("PATH", "/bin"),
            ("GOPRIVATE", "x.y/*"),
            ("GIT_AUTHOR_NAME", "A B"),
            ("GIT_CONFIG_GLOBAL", "/home/ann/.gitconfig"),
            ("URL", "https://a/b@c:d"),
        ] {
            assert!(!is_secret(name, value), "{name}");
        }
    }
}
