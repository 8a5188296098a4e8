//! The stat cache of a root: what the last checkpoint found, so that the next one reads only files
//! that changed.
//!
//! The cache describes one manifest exactly. In addition it has *carried* folders, which the last
//! checkpoint did not reach in time. The file is replaced at once. A damaged or missing cache costs
//! time and nothing else.

use crate::format::bytes::{Reader, put_bytes, put_number};
use crate::format::entry::{put_entry, read_entry};
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::store::manifests::ManifestId;
use crate::take::stamp::Stamp;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::{Bound, Range};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"atckst01";

/// What a checkpoint found at a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: Vec<u8>,
    pub(crate) stamp: Stamp,
    pub(crate) entry: Entry,
    pub(crate) state: State,
}

impl Item {
    /// Returns whether the file must be read, or its content looked for.
    pub(crate) fn is_to_read(&self) -> bool {
        matches!(self.state, State::Unread | State::Unchecked)
    }
}

/// How much is known of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The entry is right for as long as the stamp is the same.
    Known,
    /// The file may have changed within the step of the clock in which it was read.
    Racy,
    /// The file must be read.
    Unread,
    /// The content is known, but may not be in the store any more.
    Unchecked,
}

/// How many entries a folder has, without the folders below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) entries: u64,
    pub(crate) lacking: u64,
    pub(crate) ignored: u64,
}

impl Counts {
    pub(crate) fn of(items: &[Item]) -> Self {
        let mut counts = Self { entries: items.len() as u64, ..Self::default() };
        for item in items {
            match item.entry.not_kept() {
                Some(NotKeptReason::Ignored) => counts.ignored += 1,
                Some(_) => counts.lacking += 1,
                None => {}
            }
        }
        counts.entries -= counts.ignored;
        counts
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.entries += other.entries;
        self.lacking += other.lacking;
        self.ignored += other.ignored;
    }
}

/// A folder in the cache.
#[derive(Debug, Clone)]
pub(crate) struct CachedFolder {
    /// The fingerprint of the rules that applied in it.
    pub(crate) rules: u64,
    /// Whether the manifest lacks it.
    pub(crate) carried: bool,
    pub(crate) counts: Counts,
    /// Where its items are.
    items: Range<usize>,
}

/// The cache of one root.
#[derive(Debug, Default)]
pub(crate) struct StatCache {
    /// The manifest that the cache describes.
    pub(crate) manifest: Option<ManifestId>,
    pub(crate) generation: i64,
    bytes: Vec<u8>,
    folders: BTreeMap<Vec<u8>, CachedFolder>,
}

impl StatCache {
    /// Reads the cache of a root of the store with this identity. Returns an empty one if there is
    /// none that can be used.
    pub(crate) fn load(store: &Path, root: &Path, identity: i64) -> Self {
        let bytes = fs::read(path(store, root)).unwrap_or_default();
        Self::read(bytes, root, identity).unwrap_or_default()
    }

    fn read(bytes: Vec<u8>, root: &Path, identity: i64) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
        if check_sum(body).to_le_bytes() != sum {
            return None;
        }
        let mut reader = Reader::new(body);
        let right = reader.array()? == *MAGIC
            && reader.array()? == identity.to_le_bytes()
            && reader.bytes()? == root.as_os_str().as_bytes();
        if !right {
            return None;
        }
        let manifest = i64::from_le_bytes(reader.array()?);
        let generation = i64::from_le_bytes(reader.array()?);
        let mut folders = BTreeMap::new();
        while !reader.is_empty() {
            let path = reader.bytes()?.to_vec();
            let rules = u64::from_le_bytes(reader.array()?);
            let carried = reader.byte()? != 0;
            let (entries, lacking) = (reader.number()?, reader.number()?);
            let counts = Counts { entries, lacking, ignored: reader.number()? };
            let length = reader.length()?;
            let start = body.len() - reader.rest().len();
            reader.exactly(length)?;
            let items = start..start + length;
            folders.insert(path, CachedFolder { rules, carried, counts, items });
        }
        Some(Self { manifest: Some(manifest), generation, bytes, folders })
    }

    pub(crate) fn folder(&self, path: &[u8]) -> Option<&CachedFolder> {
        self.folders.get(path)
    }

    /// Returns the items of a folder, sorted by name.
    pub(crate) fn items(&self, folder: &CachedFolder) -> Vec<Item> {
        let mut reader = Reader::new(self.bytes.get(folder.items.clone()).unwrap_or_default());
        std::iter::from_fn(|| read_item(&mut reader)).collect()
    }

    /// Returns the folders at and below a path.
    pub(crate) fn within<'c>(
        &'c self,
        path: &'c [u8],
    ) -> impl Iterator<Item = (&'c [u8], &'c CachedFolder)> {
        let from = (Bound::Included(path), Bound::Unbounded);
        let below =
            self.folders.range::<[u8], _>(from).map(|(path, folder)| (path.as_slice(), folder));
        below.take_while(move |(each, _)| each.starts_with(path)).filter(move |(each, _)| {
            path.is_empty() || each.len() == path.len() || each.get(path.len()) == Some(&b'/')
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.folders.len()
    }
}

/// Writes the cache of a root.
#[derive(Debug)]
pub(crate) struct CacheWriter(Vec<u8>);

impl CacheWriter {
    pub(crate) fn new(root: &Path, identity: i64, manifest: ManifestId, generation: i64) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&identity.to_le_bytes());
        put_bytes(&mut bytes, root.as_os_str().as_bytes());
        bytes.extend_from_slice(&manifest.to_le_bytes());
        bytes.extend_from_slice(&generation.to_le_bytes());
        Self(bytes)
    }

    pub(crate) fn add(&mut self, path: &[u8], rules: u64, items: &[Item]) {
        let mut body = Vec::with_capacity(items.len() * 96);
        items.iter().for_each(|item| put_item(&mut body, item));
        self.add_raw(path, (rules, false), Counts::of(items), &body);
    }

    /// Adds a folder of the old cache as it is.
    pub(crate) fn copy(
        &mut self,
        path: &[u8],
        cache: &StatCache,
        folder: &CachedFolder,
        carried: bool,
    ) {
        let body = cache.bytes.get(folder.items.clone()).unwrap_or_default();
        self.add_raw(path, (folder.rules, carried), folder.counts, body);
    }

    fn add_raw(&mut self, path: &[u8], head: (u64, bool), counts: Counts, body: &[u8]) {
        put_bytes(&mut self.0, path);
        self.0.extend_from_slice(&head.0.to_le_bytes());
        self.0.push(u8::from(head.1));
        for number in [counts.entries, counts.lacking, counts.ignored] {
            put_number(&mut self.0, number);
        }
        put_bytes(&mut self.0, body);
    }

    /// Replaces the file of the cache.
    pub(crate) fn save(mut self, store: &Path, root: &Path) -> io::Result<()> {
        let sum = check_sum(&self.0);
        self.0.extend_from_slice(&sum.to_le_bytes());
        let path = path(store, root);
        static DRAFTS: AtomicU64 = AtomicU64::new(0);
        let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{}-{number}", std::process::id()));
        let written = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file =
                options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            file.write_all(&self.0)?;
            fs::rename(&draft, &path)
        };
        written().inspect_err(|_| {
            let _ = fs::remove_file(&draft);
        })
    }
}

/// Deletes all caches of a store. They have names of files, but no contents.
pub(crate) fn remove_all(store: &Path) -> io::Result<()> {
    for entry in fs::read_dir(store)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b"stat-") {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn path(store: &Path, root: &Path) -> PathBuf {
    let name = ContentId::of(root.as_os_str().as_bytes()).to_string();
    store.join(format!("stat-{}.cache", name.get(..24).unwrap_or_default()))
}

fn put_item(bytes: &mut Vec<u8>, item: &Item) {
    put_bytes(bytes, &item.name);
    let stamp = &item.stamp;
    bytes.extend_from_slice(&stamp.modified.to_le_bytes());
    bytes.extend_from_slice(&stamp.changed.to_le_bytes());
    put_number(bytes, stamp.size);
    put_number(bytes, stamp.inode);
    put_number(bytes, u64::from(stamp.mode));
    bytes.push(u8::from(item.state != State::Known));
    put_entry(bytes, &item.entry);
}

fn read_item(reader: &mut Reader<'_>) -> Option<Item> {
    let name = reader.bytes()?.to_vec();
    let modified = i64::from_le_bytes(reader.array()?);
    let changed = i64::from_le_bytes(reader.array()?);
    let (size, inode) = (reader.number()?, reader.number()?);
    let mode = u32::try_from(reader.number()?).ok()?;
    let state = if reader.byte()? == 0 { State::Known } else { State::Racy };
    let stamp = Stamp { size, modified, changed, inode, mode };
    Some(Item { name, stamp, entry: read_entry(reader)?, state })
}

/// A sum that notices a file that was not written completely.
fn check_sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mix =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let sum =
        words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}
