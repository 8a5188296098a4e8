//! Secrets outside the session's folders: those in homes and, if the agent runs as `root`, those of
//! the system.

use attache_host::user;
use attache_policy::{Guard, guard, protected_names};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Paths in a home that are hidden in addition to the policy's secrets: the credentials of
/// programs, browsers, mail, wallets, and Attaché's own settings and sessions.
const HOME_SECRETS: [&str; 48] = [
    ".bitcoin",
    ".cargo/credentials",
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".composer/auth.json",
    ".config/BraveSoftware",
    ".config/Code/User/globalStorage",
    ".config/Signal",
    ".config/attache",
    ".config/composer/auth.json",
    ".config/containers/auth.json",
    ".config/doctl",
    ".config/gh",
    ".config/github-copilot",
    ".config/heroku",
    ".config/microsoft-edge",
    ".config/netlify",
    ".config/pip/pip.conf",
    ".config/rclone",
    ".config/sops",
    ".config/vercel",
    ".electrum",
    ".ethereum",
    ".fly",
    ".gem/credentials",
    ".gemini/oauth_creds.json",
    ".gnome2/keyrings",
    ".grok",
    ".kimi/credentials",
    ".lesshst",
    ".local/share/attache",
    ".local/share/fish/fish_history",
    ".local/share/kwalletd",
    ".local/share/opencode/auth.json",
    ".local/share/pki",
    ".local/state/attache",
    ".pip/pip.conf",
    ".pki",
    ".qwen/oauth_creds.json",
    ".subversion/auth",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vercel",
    ".Xauthority",
    ".ICEauthority",
    ".viminfo",
    ".yarnrc.yml",
];

/// Paths where systems and containers store secrets. They are hidden even if the user may read
/// them.
const SYSTEM_SECRETS: [&str; 4] =
    ["/run/secrets", "/run/credentials", "/var/mail", "/var/spool/mail"];

/// System folders in which files that other users cannot read are hidden from `root`'s commands,
/// and the depth of the search in each.
const ROOT_FOLDERS: [(&str, usize); 6] = [
    ("/etc", 4),
    ("/var/lib", 1),
    ("/var/backups", 2),
    ("/var/spool", 2),
    ("/var/cache", 1),
    ("/run", 1),
];

/// The maximum number of entries to examine in the system folders, and in a home.
const ENTRIES: usize = 4_000;

/// The depth of the search in the hidden folders of a home.
const DEPTH: usize = 2;

/// The maximum number of other users' homes that are hidden from `root`.
const MAX_HOMES: usize = 64;

/// Folders in a home that contain many files but no settings.
const SKIPPED: [&str; 8] =
    [".cache", ".rustup", ".npm", ".nvm", ".pyenv", ".local", ".vscode-server", ".m2"];

/// The canonical paths of the homes whose secrets are hidden: the person's home, as the environment
/// and the user database name it, and for `root` the homes of others.
pub(super) fn homes() -> Vec<PathBuf> {
    let user = user();
    let listed = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let listed = listed.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let (number, home) = (fields.get(2)?.parse::<u32>().ok()?, fields.get(5)?);
        let of_a_person =
            ["/home/", "/root", "/Users/"].iter().any(|start| home.starts_with(start));
        (number == user || (user == 0 && of_a_person)).then(|| PathBuf::from(home))
    });
    let mut homes: Vec<PathBuf> = std::env::home_dir().into_iter().chain(listed).collect();
    if user == 0 {
        let others = fs::read_dir("/home").into_iter().flatten().flatten();
        homes.extend(
            others
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    let mut seen = BTreeSet::new();
    let homes = homes.iter().filter_map(|home| home.canonicalize().ok());
    homes
        .filter(|home| home != Path::new("/") && seen.insert(home.clone()))
        .take(MAX_HOMES)
        .collect()
}

/// The canonical paths that commands cannot read: `private`, the secrets of the homes, and those of
/// the system. Secrets that a search of a home finds inside the session's folders (`roots`) are
/// left out, because the search of those folders finds them.
pub(super) fn hidden(homes: &[PathBuf], roots: &[PathBuf], private: &[PathBuf]) -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let mut paths: BTreeSet<PathBuf> = private.iter().cloned().chain(runtime).collect();
    paths.extend(SYSTEM_SECRETS.map(PathBuf::from));
    for home in homes {
        paths.extend(HOME_SECRETS.iter().map(|name| home.join(name)));
        paths.extend(protected_names(Guard::Secret).map(|name| home.join(name)));
        let found = secrets(home).into_iter();
        paths.extend(found.filter(|path| !roots.iter().any(|root| path.starts_with(root))));
    }
    if user() == 0 {
        paths.extend(
            ROOT_FOLDERS.iter().flat_map(|(folder, depth)| unreadable(Path::new(folder), *depth)),
        );
    }
    let real: BTreeSet<PathBuf> =
        paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    // The folders from which programs run, and the homes themselves, stay visible.
    let needed: Vec<PathBuf> = std::env::var_os("PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .chain(homes.iter().cloned())
        .collect();
    let is_needed = |path: &PathBuf| needed.iter().any(|needed| needed.starts_with(path));
    let below = |path: &PathBuf| {
        path.ancestors().skip(1).any(|above| real.contains(above) && !is_needed(&above.to_owned()))
    };
    real.iter().filter(|path| !is_needed(path) && !below(path)).cloned().collect()
}

/// The files of a home whose names the policy treats as secret: at its top level, and in its hidden
/// folders.
fn secrets(home: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(home, DEPTH, |below, path, is_folder| {
        let secret = guard(&below.to_string_lossy()) == Some(Guard::Secret);
        if secret {
            found.push(path.to_owned());
        }
        let first =
            below.components().next().map(|name| name.as_os_str().to_string_lossy().into_owned());
        let settings =
            first.is_some_and(|name| name.starts_with('.') && !SKIPPED.contains(&name.as_str()));
        is_folder && settings && !secret
    });
    found
}

/// Whether only the owner or the group can read a file.
fn unreadable(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    walk(folder, depth - 1, |_, path, is_folder| {
        let open = path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink() || found.mode() & 0o004 != 0);
        if !open {
            found.push(path.to_owned());
        }
        is_folder && open
    });
    found
}

/// Calls `each` with the entries of a folder, and descends into those for which it returns true, at
/// most `depth` levels deep.
fn walk(folder: &Path, depth: usize, mut each: impl FnMut(&Path, &Path, bool) -> bool) {
    let mut folders = VecDeque::from([(folder.to_owned(), 0)]);
    let mut entries = 0;
    while let Some((next, level)) = folders.pop_front() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES {
                return;
            }
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let below = path.strip_prefix(folder).unwrap_or(&path);
            if each(below, &path, is_folder) && level < depth {
                folders.push_back((path, level + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{hidden, homes};
    use attache_host::user;
    use std::fs;
    use std::path::Path;

    #[test]
    fn logins_keys_and_private_files_are_hidden_and_settings_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let secret = [
            ".npmrc",
            ".cargo/credentials.toml",
            ".cargo/credentials",
            ".ssh/config",
            ".config/gh/hosts.yml",
            ".config/other/credentials.json",
            ".config/other/client.pem",
            ".local/share/keyrings/login.keyring",
            ".claude/.credentials.json",
            ".env",
            ".m2/settings.xml",
            ".config/pip/pip.conf",
            ".pip/pip.conf",
            ".yarnrc.yml",
        ];
        let open = [
            ".cargo/config.toml",
            ".gitconfig",
            ".config/other/settings.json",
            ".cargo/bin/cargo",
            "work/x.pem",
        ];
        for name in secret.iter().chain(&open).chain(&["own/attache/keys.toml", "link-target/key"])
        {
            fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
            fs::write(home.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(home.join("link-target"), home.join(".aws")).unwrap();
        let private = [home.join("own/attache"), home.join("nowhere")];
        let hidden = hidden(std::slice::from_ref(&home), &[], &private);
        let is_hidden = |name: &str| {
            home.join(name).ancestors().any(|path| hidden.iter().any(|each| each == path))
        };
        for name in secret.iter().chain(&["own/attache/keys.toml", "link-target/key"]) {
            assert!(is_hidden(name), "{name}: {hidden:?}");
        }
        for name in open {
            assert!(!is_hidden(name), "{name}: {hidden:?}");
        }
    }

    #[test]
    fn root_cannot_read_files_that_others_cannot_read() {
        let hidden = hidden(&homes(), &[], &[]);
        let is_hidden = |path: &str| {
            Path::new(path).ancestors().any(|path| hidden.iter().any(|each| each == path))
        };
        assert!(
            user() != 0 || !Path::new("/etc/shadow").exists() || is_hidden("/etc/shadow"),
            "{hidden:?}"
        );
        for path in [
            "/etc/passwd",
            "/etc/ssl/certs",
            "/usr/bin",
            "/etc/hosts",
            "/proc/self",
            "/root",
            "/home",
        ] {
            assert!(!is_hidden(path), "{path}");
        }
    }
}
