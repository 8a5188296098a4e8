//! What git would ignore: `.gitignore` files, `.git/info/exclude` and the user's excludes file.

use crate::take::folder::{OpenFolder, read_small};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Larger ignore files do not count.
const LIMIT: u64 = 1 << 20;

/// The names of the folders of version control, which no checkpoint has.
const VERSION_CONTROL: [&[u8]; 5] = [b".git", b".hg", b".jj", b".svn", b".bzr"];

/// Returns whether a name belongs to version control, also where names ignore case.
pub(crate) fn is_version_control(name: &[u8]) -> bool {
    name.first() == Some(&b'.')
        && VERSION_CONTROL.iter().any(|each| each.eq_ignore_ascii_case(name))
}

/// The rules that apply in a folder.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The rules of the folder above, which count less.
    outer: Option<Arc<Rules>>,
    /// The path of the folder that these rules are relative to: below the root, or, for rules from
    /// above the root, the root's path below that folder.
    place: Place,
    text: Vec<u8>,
    parsed: OnceLock<Gitignore>,
    /// A number that differs if any of the rules do.
    pub(crate) fingerprint: u64,
}

#[derive(Debug)]
enum Place {
    Below(Vec<u8>),
    Above(Vec<u8>),
}

impl Rules {
    /// Returns the rules from outside of a root: the user's, those of its repository, and those of
    /// the folders between.
    pub(crate) fn of_root(root: &Path) -> Arc<Self> {
        let users = gitconfig_excludes_path().and_then(|path| read(&path)).unwrap_or_default();
        let first = Self::new(None, Place::Below(Vec::new()), users, 0);
        // The repository that the root is in, and its folders down to the root.
        let repository = root.ancestors().find(|folder| folder.join(".git").exists());
        let Some(repository) = repository else { return Arc::new(first) };
        let below = |folder: &Path| {
            let below = root.strip_prefix(folder).unwrap_or(Path::new(""));
            Place::Above(below.as_os_str().as_bytes().to_vec())
        };
        let excludes = read(&repository.join(".git/info/exclude")).unwrap_or_default();
        let mut rules = Self::new(Some(Arc::new(first)), below(repository), excludes, 0);
        let between: Vec<_> =
            root.ancestors().skip(1).take_while(|each| each.starts_with(repository)).collect();
        for folder in between.into_iter().rev() {
            if let Some(text) = read(&folder.join(".gitignore")) {
                rules = Self::new(Some(Arc::new(rules)), below(folder), text, 0);
            }
        }
        Arc::new(rules)
    }

    /// Returns the rules of a folder with its own `.gitignore` and, if it is a repository of its
    /// own, without those above it.
    pub(crate) fn within(
        self: &Arc<Self>,
        folder: &OpenFolder,
        path: &[u8],
        has_ignore_file: bool,
        is_repository: bool,
    ) -> Arc<Self> {
        let mut rules = Arc::clone(self);
        if is_repository && !path.is_empty() {
            let users = rules.outermost();
            rules = Arc::new(Self::new(Some(users), Place::Below(path.to_vec()), Vec::new(), 1));
        }
        let text = has_ignore_file.then(|| folder.small_file(c".gitignore", LIMIT)).flatten();
        match text {
            None => rules,
            Some(text) => Arc::new(Self::new(Some(rules), Place::Below(path.to_vec()), text, 0)),
        }
    }

    fn new(outer: Option<Arc<Self>>, place: Place, text: Vec<u8>, salt: u64) -> Self {
        let start = outer.as_ref().map_or(0xcbf2_9ce4_8422_2325, |outer| outer.fingerprint);
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let fingerprint = salt.to_le_bytes().iter().chain(&text).fold(start, mix);
        Self { outer, place, text, parsed: OnceLock::new(), fingerprint }
    }

    fn outermost(self: &Arc<Self>) -> Arc<Self> {
        match &self.outer {
            Some(outer) => outer.outermost(),
            None => Arc::clone(self),
        }
    }

    /// Returns whether the rules ignore a path below the root. The folder above it is not ignored.
    pub(crate) fn ignore(&self, path: &[u8], is_folder: bool) -> bool {
        let mut joined = Vec::new();
        let relative = match &self.place {
            Place::Below(folder) if folder.is_empty() => path,
            Place::Below(folder) => path.get(folder.len() + 1..).unwrap_or_default(),
            Place::Above(root) if root.is_empty() => path,
            Place::Above(root) => {
                joined.extend_from_slice(root);
                joined.push(b'/');
                joined.extend_from_slice(path);
                &joined
            }
        };
        match self.parsed().matched(Path::new(OsStr::from_bytes(relative)), is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.outer.as_ref().is_some_and(|outer| outer.ignore(path, is_folder)),
        }
    }

    fn parsed(&self) -> &Gitignore {
        self.parsed.get_or_init(|| {
            let text = String::from_utf8_lossy(&self.text);
            let mut builder = GitignoreBuilder::new(".");
            for line in text.trim_start_matches('\u{feff}').lines() {
                // A line that cannot be read counts as absent, as in git.
                let _ = builder.add_line(None, line);
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        })
    }
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    read_small(File::options().read(true).custom_flags(flags).open(path).ok()?, LIMIT)
}
