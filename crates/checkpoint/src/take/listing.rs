//! Lists one folder: which of its names are kept, and which files must be read.

use crate::snapshot::entry::{Entry, NotKeptReason, SpecialKind};
use crate::take::budget::Budget;
use crate::take::folder::{Name, OpenFolder, join};
use crate::take::left_out::LeftOut;
use crate::take::rules::{Rules, is_version_control};
use crate::take::stamp::Stamp;
use crate::take::stat_cache::{CachedFolder, Item, StatCache, State};
use attache_policy::{Guard, guard};
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

/// How many names are looked at before the time is checked again.
const STRIDE: usize = 256;

/// What is needed to list a folder.
#[derive(Debug)]
pub(crate) struct Lister<'l> {
    pub(crate) cache: &'l StatCache,
    /// Whether the contents in the cache are in the store for certain.
    pub(crate) is_cache_sure: bool,
    pub(crate) secret_files: bool,
    /// The folder of the store, which is left out: its device and inode.
    pub(crate) store: (u64, u64),
    /// The files of the program itself.
    pub(crate) left_out: LeftOut,
    /// Knows when the prompt was sent.
    pub(crate) budget: &'l Budget,
}

/// The items of a folder, and whether they are as the cache has them.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) items: Vec<Item>,
    pub(crate) is_same: bool,
}

impl Lister<'_> {
    /// Lists a folder. The names must be sorted.
    pub(crate) fn list(
        &self,
        folder: &OpenFolder,
        path: &[u8],
        names: Vec<Name>,
        rules: &Rules,
        cached: Option<&CachedFolder>,
        budget: &Budget,
    ) -> Result<Found, NotKeptReason> {
        let has_same_rules = cached.is_some_and(|cached| cached.rules == rules.fingerprint);
        let mut is_same =
            has_same_rules && self.is_cache_sure && cached.is_some_and(|cached| !cached.carried);
        let old = cached.map(|cached| self.cache.items(cached)).unwrap_or_default();
        let mut old = old.into_iter().peekable();
        let mut items = Vec::with_capacity(names.len());
        // Names that vanished after the prompt was sent belong to the state before it.
        let changed_after_prompt = self.is_after_prompt(&Stamp::of(&folder.stat));
        let carried = cached.is_some_and(|cached| cached.carried);
        let left_out = self.left_out.names(path);
        for (number, name) in names.into_iter().enumerate() {
            if number % STRIDE == STRIDE - 1 && budget.is_over() {
                return Err(NotKeptReason::Time);
            }
            let bytes = name.name.as_bytes();
            if is_version_control(bytes) {
                continue;
            }
            while let Some(gone) = old.next_if(|old| old.name.as_slice() < bytes) {
                is_same = false;
                items.extend(vanished(gone, changed_after_prompt));
            }
            let known = old.next_if(|old| old.name == bytes);
            if left_out.contains(&bytes) {
                is_same &= known.is_none();
                continue;
            }
            let same_rules = has_same_rules && known.is_some();
            let item = self.item(folder, path, &name, known.as_ref(), same_rules, rules, carried);
            is_same &= item.is_some() && item == known;
            items.extend(item);
        }
        for gone in old {
            is_same = false;
            items.extend(vanished(gone, changed_after_prompt));
        }
        Ok(Found { items, is_same })
    }

    #[allow(clippy::too_many_arguments, reason = "all are different, and there is one caller")]
    fn item(
        &self,
        folder: &OpenFolder,
        path: &[u8],
        name: &Name,
        known: Option<&Item>,
        same_rules: bool,
        rules: &Rules,
        carried: bool,
    ) -> Option<Item> {
        let bytes = name.name.as_bytes();
        let new = |stamp, entry, state| Some(Item { name: bytes.to_vec(), stamp, entry, state });
        let mut stat = None;
        let mut kind = name.kind;
        if kind == FileType::Unknown {
            stat = Some(folder.stat(&name.name));
            kind = kind_of(stat.as_ref());
        }
        let was_ignored = known.map(|known| known.entry.not_kept() == Some(NotKeptReason::Ignored));
        let is_folder = kind == FileType::Directory;
        let was_folder = known
            .map(|known| matches!(known.entry, Entry::Folder { .. } | Entry::FolderNotKept { .. }));
        let is_ignored = match (same_rules, was_ignored) {
            (true, Some(was)) if was_folder == Some(is_folder) => was,
            _ => rules.ignore(&join(path, bytes), is_folder),
        };
        if is_ignored {
            let why = NotKeptReason::Ignored;
            let entry =
                if is_folder { Entry::FolderNotKept { why } } else { Entry::Unknown { why } };
            return new(Stamp::default(), entry, State::Known);
        }
        let stat = match stat.unwrap_or_else(|| folder.stat(&name.name)) {
            Ok(stat) => stat,
            // The name vanished since the folder was listed.
            Err(Errno::NOENT) => return None,
            Err(_) => {
                let why = NotKeptReason::Unreadable;
                return new(Stamp::default(), Entry::Unknown { why }, State::Known);
            }
        };
        let stamp = Stamp::of(&stat);
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if self.is_store(&stat) => None,
            FileType::Directory => {
                new(Stamp::default(), Entry::Folder { mode: stamp.mode }, State::Known)
            }
            FileType::RegularFile => {
                let known =
                    known.filter(|known| known.stamp == stamp && known.state == State::Known);
                let (entry, state) = self.file(path, bytes, &stamp, known, carried);
                new(stamp, entry, state)
            }
            FileType::Symlink => {
                if self.is_after_prompt(&stamp) {
                    let why = NotKeptReason::ChangedAfterPrompt;
                    return new(stamp, Entry::Unknown { why }, State::Known);
                }
                let entry = match folder.link_target(&name.name) {
                    Ok(target) => Entry::Link { target },
                    Err(Errno::NOENT) => return None,
                    Err(_) => Entry::Unknown { why: NotKeptReason::Unreadable },
                };
                new(Stamp::default(), entry, State::Known)
            }
            FileType::Fifo => new(Stamp::default(), special(SpecialKind::Pipe), State::Known),
            FileType::Socket => new(Stamp::default(), special(SpecialKind::Socket), State::Known),
            _ => new(Stamp::default(), special(SpecialKind::Device), State::Known),
        }
    }

    /// Returns the entry of a regular file, and whether it must be read. `known` has the same
    /// stamp.
    fn file(
        &self,
        path: &[u8],
        name: &[u8],
        stamp: &Stamp,
        known: Option<&Item>,
        carried: bool,
    ) -> (Entry, State) {
        let (size, mode) = (stamp.size, stamp.mode);
        let lacking = |why| Entry::FileNotKept { why, content: None, size, mode };
        if self.is_after_prompt(stamp) {
            return (lacking(NotKeptReason::ChangedAfterPrompt), State::Known);
        }
        let known = known.filter(|known| match known.entry {
            Entry::File { .. } => true,
            Entry::FileNotKept { why: NotKeptReason::Large, content, .. } => content.is_some(),
            _ => false,
        });
        // The guard of a name does not change with the rules, so a kept file needs no second look.
        match known {
            Some(known) if !matches!(known.entry, Entry::File { .. }) => {
                (known.entry.clone(), State::Known)
            }
            Some(known) if self.is_cache_sure && !carried => (known.entry.clone(), State::Known),
            Some(known) => (known.entry.clone(), State::Unchecked),
            None if self.is_secret(&join(path, name)) => {
                (lacking(NotKeptReason::Secret), State::Known)
            }
            None => (lacking(NotKeptReason::Time), State::Unread),
        }
    }

    fn is_secret(&self, path: &[u8]) -> bool {
        !self.secret_files && guard(&String::from_utf8_lossy(path)) == Some(Guard::Secret)
    }

    fn is_after_prompt(&self, stamp: &Stamp) -> bool {
        self.budget.sent().is_some_and(|(sent, now)| stamp.is_after(sent, now))
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "the types of these fields differ between systems"
    )]
    fn is_store(&self, stat: &Stat) -> bool {
        (stat.st_dev as u64, stat.st_ino as u64) == self.store
    }
}

/// Returns what is known of a name that the folder does not have any more.
fn vanished(gone: Item, after_prompt: bool) -> Option<Item> {
    let why = NotKeptReason::ChangedAfterPrompt;
    if !after_prompt || gone.entry.not_kept() == Some(NotKeptReason::Ignored) {
        return None;
    }
    let entry = match gone.entry {
        Entry::Folder { .. } | Entry::FolderNotKept { .. } => Entry::FolderNotKept { why },
        _ => Entry::Unknown { why },
    };
    Some(Item { entry, stamp: Stamp::default(), state: State::Known, ..gone })
}

fn special(kind: SpecialKind) -> Entry {
    Entry::Special { kind }
}

fn kind_of(stat: Option<&Result<Stat, Errno>>) -> FileType {
    match stat {
        Some(Ok(stat)) => FileType::from_raw_mode(stat.st_mode),
        _ => FileType::Unknown,
    }
}
