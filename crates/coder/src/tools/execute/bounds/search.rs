//! The search of a session's folders for protected files and secrets.

use attache_host::is_placeholder;
use attache_policy::{Effect, Guard, Judge, Subject, guard, protected_names};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The range of the number of directory entries to examine. At the lower number, the search ends if
/// its time is over; at the upper number, it always ends.
const ENTRIES: std::ops::Range<usize> = 5_000..50_000;

/// The maximum time of the search, once it has examined the lower number of entries.
const TIME: Duration = Duration::from_millis(25);

/// Folders that tools fill with thousands of generated files. Only their own entries are
/// examined, not those of their subfolders.
const GENERATED: [&str; 14] = [
    ".cache",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
    "venv",
];

/// The paths that a search found, the nearest to a root first.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files that affect what programs or agents do. Links are not resolved.
    pub(super) obeyed: Vec<PathBuf>,
    /// Files that may contain secrets, and files that a rule protects from being read.
    pub(super) secret: Vec<PathBuf>,
}

/// Searches the folders of the session, upper levels first, until it reaches the limit of time or
/// number. It does not follow links. Blocks on disk I/O.
pub(super) fn search(judge: &Judge<'_>) -> Found {
    let roots = judge.folders.roots().all();
    let mut search = Search {
        names: NameFilter::new(),
        rules: judge
            .rules
            .iter()
            .any(|rule| rule.effect != Effect::Allow && matches!(rule.subject, Subject::Reads(_))),
        judge,
        found: Found::default(),
        seen: BTreeSet::new(),
    };
    let mut folders: VecDeque<Folder> =
        roots.iter().map(|root| Folder { path: root.clone(), root, near: String::new() }).collect();
    let (begun, mut entries) = (Instant::now(), 0);
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(&folder.path).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(kind) = entry.file_type() else { continue };
            folders.extend(search.examine(
                &folder,
                &entry.file_name().to_string_lossy(),
                entry.path(),
                kind,
            ));
            if entries >= ENTRIES.end {
                return search.found;
            }
        }
        if entries >= ENTRIES.start && begun.elapsed() > TIME {
            break;
        }
    }
    search.found
}

/// A folder to search.
struct Folder<'r> {
    path: PathBuf,
    root: &'r Path,
    /// The names of the folder's parent and of the folder itself, below the root. With the name of
    /// an entry, they are enough to recognize every protected path.
    near: String,
}

struct Search<'j> {
    names: NameFilter,
    /// Whether a rule protects files from being read.
    rules: bool,
    judge: &'j Judge<'j>,
    found: Found,
    seen: BTreeSet<PathBuf>,
}

impl Search<'_> {
    /// Records one entry. Returns it as a folder if the search must descend into it.
    fn examine<'r>(
        &mut self,
        folder: &Folder<'r>,
        name: &str,
        path: PathBuf,
        kind: FileType,
    ) -> Option<Folder<'r>> {
        if self.names.may_be_protected(name) {
            let near = format!("{}/{name}", folder.near);
            match guard(&near) {
                Some(Guard::Obeyed) if is_placeholder(&path) => return None,
                Some(Guard::Obeyed) => {
                    self.add(path, Guard::Obeyed);
                    return None;
                }
                Some(Guard::Secret) => {
                    if self.judge.keeps_back(&path, folder.root) {
                        self.add(path, Guard::Secret);
                    }
                    return None;
                }
                None => {}
            }
        }
        if self.rules && kind.is_file() && self.judge.keeps_back(&path, folder.root) {
            self.add(path, Guard::Secret);
            return None;
        }
        let above = folder
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if !kind.is_dir() || (GENERATED.contains(&above.as_str()) && folder.path != folder.root) {
            return None;
        }
        let last = folder.near.rsplit('/').next().unwrap_or_default();
        Some(Folder { near: format!("{last}/{name}"), path, root: folder.root })
    }

    fn add(&mut self, path: PathBuf, guard: Guard) {
        // One root may be inside another.
        if self.seen.insert(path.clone()) {
            match guard {
                Guard::Obeyed => self.found.obeyed.push(path),
                Guard::Secret => self.found.secret.push(path),
            }
        }
    }
}

/// A quick filter that drops names which cannot belong to a protected file.
struct NameFilter {
    /// The last components of all protected names and paths, in lower case.
    last: HashSet<String>,
    /// For each ending of a name, whether a name with this ending can be protected.
    ends: HashMap<String, bool>,
}

impl NameFilter {
    fn new() -> Self {
        let names = protected_names(Guard::Obeyed).chain(protected_names(Guard::Secret));
        let last =
            names.filter_map(|name| name.rsplit('/').next()).map(str::to_lowercase).collect();
        Self { last, ends: HashMap::new() }
    }

    fn may_be_protected(&mut self, name: &str) -> bool {
        let plain = name.bytes().all(|each| each.is_ascii_graphic() && !b":\\".contains(&each))
            && !name.ends_with('.');
        if !plain || name.starts_with('.') {
            return true;
        }
        let name = name.to_ascii_lowercase();
        let end = name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default();
        let by_end = match self.ends.get(end) {
            Some(known) => *known,
            None => *self.ends.entry(end.to_owned()).or_insert(guard(&format!("x{end}")).is_some()),
        };
        by_end || self.last.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::{NameFilter, search};
    use attache_policy::{Folders, Guard, Judge, Mode, guard, protected_names};
    use std::fs;

    #[test]
    fn filter_passes_every_protected_name() {
        let mut names = NameFilter::new();
        for path in protected_names(Guard::Obeyed).chain(protected_names(Guard::Secret)) {
            let last = path.rsplit('/').next().unwrap();
            for name in [last.to_owned(), last.to_uppercase()] {
                assert!(names.may_be_protected(&name), "{name}");
            }
        }
        for name in [
            ".env",
            ".env.local",
            ".envrc.x",
            "a.pem",
            "A.KEY",
            "agents.md ",
            "AGENTS\u{200b}.md",
            "agents.md::x",
        ] {
            assert!(guard(name).is_some() && names.may_be_protected(name), "{name}");
        }
        for name in ["main.rs", "README.md", "package.json", "a"] {
            assert!(!names.may_be_protected(name), "{name}");
        }
    }

    #[test]
    fn search_finds_deep_files_and_files_among_many() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in [
            "many",
            "a/b/c/.git/hooks",
            "a/b/.github/workflows",
            "node_modules/x/.git",
            "node_modules/.husky",
        ] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for count in 0..2_000 {
            fs::write(root.join("many").join(count.to_string()), "").unwrap();
        }
        for name in [
            "a/b/c/AGENTS.md",
            "a/.env",
            "a/.env.example",
            "many/deploy.pem",
            "a/b/.github/other.yml",
        ] {
            fs::write(root.join(name), "").unwrap();
        }
        let folders = Folders::new(std::slice::from_ref(&root)).unwrap();
        let judge =
            Judge { mode: Mode::Auto, rules: &[], broken: false, folders: &folders, scratch: None };
        let found = search(&judge);
        let names = |paths: &[std::path::PathBuf]| -> Vec<String> {
            let mut names: Vec<String> = paths
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                .collect();
            names.sort();
            names
        };
        assert_eq!(
            names(&found.obeyed),
            ["a/b/.github/workflows", "a/b/c/.git", "a/b/c/AGENTS.md", "node_modules/.husky"]
        );
        assert_eq!(names(&found.secret), ["a/.env", "many/deploy.pem"]);
    }
}
