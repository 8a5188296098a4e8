//! Puts together what a walk found below one root: the difference to the manifest that the stat
//! cache describes, or the whole listing, and the next cache.

use crate::format::manifest::{Delta, Listing};
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::store::manifests::ManifestId;
use crate::take::folder::join;
use crate::take::gather::Outcome;
use crate::take::stat_cache::{CacheWriter, Counts, Item, StatCache};
use crate::take::walk::{Listed, Walked};
use std::cmp::Ordering;
use std::path::Path;

/// Returns every file that must be read, or whose content must be looked for, with its folder.
pub(crate) fn to_read(walked: &Walked) -> impl Iterator<Item = (&[u8], &Item)> {
    walked.folders.iter().flat_map(|(path, listed)| {
        let items = match listed {
            Listed::Items { items, .. } => items.as_slice(),
            Listed::Same => &[],
        };
        items.iter().filter(|item| item.is_to_read()).map(|item| (path.as_slice(), item))
    })
}

/// Enters what became of the files of [`to_read`], in their order, and why folders could not be
/// listed.
pub(crate) fn settle(
    walked: &mut Walked,
    cache: &StatCache,
    outcomes: &mut impl Iterator<Item = Outcome>,
) {
    for listed in walked.folders.values_mut() {
        let Listed::Items { items, .. } = listed else { continue };
        items.retain_mut(|item| match item.is_to_read().then(|| outcomes.next()).flatten() {
            None => true,
            Some(Outcome::Gone) => false,
            Some(Outcome::Is { stamp, entry, state }) => {
                (item.stamp, item.entry, item.state) = (stamp, entry, state);
                true
            }
            Some(Outcome::NotReached) => {
                let why = NotKeptReason::Time;
                if let Entry::File { content, size, mode } = item.entry {
                    let content = Some(content);
                    item.entry = Entry::FileNotKept { why, content, size, mode };
                }
                true
            }
        });
    }
    enter_not_listed(walked, cache);
}

fn enter_not_listed(walked: &mut Walked, cache: &StatCache) {
    for (path, why) in &walked.not_listed {
        if path.is_empty() {
            continue;
        }
        let cut = path.iter().rposition(|byte| *byte == b'/');
        let folder = cut.and_then(|cut| path.get(..cut)).unwrap_or_default();
        let name = path.get(cut.map_or(0, |cut| cut + 1)..).unwrap_or_default();
        let Some(listed) = walked.folders.get_mut(folder) else { continue };
        if matches!(listed, Listed::Same)
            && let Some(cached) = cache.folder(folder)
        {
            *listed = Listed::Items { rules: cached.rules, items: cache.items(cached) };
        }
        let Listed::Items { items, .. } = listed else { continue };
        let Ok(number) = items.binary_search_by(|item| item.name.as_slice().cmp(name)) else {
            continue;
        };
        match (why, items.get_mut(number)) {
            (Some(why), Some(item)) => item.entry = Entry::FolderNotKept { why: *why },
            _ => drop(items.remove(number)),
        }
    }
}

/// Returns the difference to the manifest that the cache describes.
pub(crate) fn delta(walked: &Walked, cache: &StatCache) -> Delta {
    let mut delta = Delta::new();
    let known = |path: &[u8]| cache.folder(path).filter(|folder| !folder.carried);
    match walked.not_listed.get([].as_slice()) {
        Some(Some(why)) => {
            remove_below(&mut delta, cache, b"");
            delta.insert(Vec::new(), Some(Entry::FolderNotKept { why: *why }));
        }
        _ if known(b"").is_none() => drop(delta.insert(Vec::new(), None)),
        _ => {}
    }
    for (path, listed) in &walked.folders {
        let Listed::Items { items, .. } = listed else { continue };
        let old = known(path).map(|folder| cache.items(folder)).unwrap_or_default();
        let (mut old, mut new) = (old.iter().peekable(), items.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.name.cmp(&new.name),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            let Some(named) = before.or(after) else { break };
            if before.map(|item| &item.entry) == after.map(|item| &item.entry) {
                continue;
            }
            let path = join(path, &named.name);
            let is_folder = |item: Option<&Item>| {
                item.is_some_and(|item| matches!(item.entry, Entry::Folder { .. }))
            };
            if is_folder(before) && !is_folder(after) {
                remove_below(&mut delta, cache, &path);
            }
            delta.insert(path, after.map(|item| item.entry.clone()));
        }
    }
    delta
}

fn remove_below(delta: &mut Delta, cache: &StatCache, path: &[u8]) {
    for (path, folder) in cache.within(path).filter(|(_, folder)| !folder.carried) {
        for item in cache.items(folder) {
            delta.insert(join(path, &item.name), None);
        }
    }
}

/// Returns every entry, sorted by path.
pub(crate) fn listing(walked: &Walked, cache: &StatCache) -> Listing {
    let mut listing = Listing::new();
    if let Some(Some(why)) = walked.not_listed.get([].as_slice()) {
        listing.push((Vec::new(), Entry::FolderNotKept { why: *why }));
    }
    for_each(
        walked,
        cache,
        |_| true,
        |path, item| {
            listing.push((join(path, &item.name), item.entry.clone()));
        },
    );
    listing.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    listing
}

/// Calls a function for every item in folders whose counts are wanted.
pub(crate) fn for_each(
    walked: &Walked,
    cache: &StatCache,
    wanted: impl Fn(&Counts) -> bool,
    mut found: impl FnMut(&[u8], &Item),
) {
    for (path, listed) in &walked.folders {
        match listed {
            Listed::Items { items, .. } if wanted(&Counts::of(items)) => {
                items.iter().for_each(|item| found(path, item));
            }
            Listed::Items { .. } => {}
            Listed::Same => {
                if let Some(folder) = cache.folder(path).filter(|folder| wanted(&folder.counts)) {
                    cache.items(folder).iter().for_each(|item| found(path, item));
                }
            }
        }
    }
}

/// Returns how many entries there are.
pub(crate) fn counts(walked: &Walked, cache: &StatCache) -> Counts {
    let mut counts = Counts::default();
    if matches!(walked.not_listed.get([].as_slice()), Some(Some(_))) {
        counts.lacking += 1;
    }
    for (path, listed) in &walked.folders {
        counts.add(match listed {
            Listed::Items { items, .. } => Counts::of(items),
            Listed::Same => cache.folder(path).map(|folder| folder.counts).unwrap_or_default(),
        });
    }
    counts
}

/// Returns whether the cache is right as it is.
pub(crate) fn is_cache_right(walked: &Walked, cache: &StatCache) -> bool {
    walked.not_listed.is_empty()
        && walked.folders.len() == cache.len()
        && walked.folders.values().all(|listed| matches!(listed, Listed::Same))
}

/// Returns the next cache.
pub(crate) fn next_cache(
    walked: &Walked,
    cache: &StatCache,
    root: &Path,
    identity: i64,
    manifest: (ManifestId, i64),
) -> CacheWriter {
    let mut writer = CacheWriter::new(root, identity, manifest.0, manifest.1);
    for (path, listed) in &walked.folders {
        match listed {
            Listed::Items { rules, items } => writer.add(path, *rules, items),
            Listed::Same => {
                if let Some(folder) = cache.folder(path) {
                    writer.copy(path, cache, folder, false);
                }
            }
        }
    }
    // What is known of folders that were not reached stays for the next time.
    for (path, _) in walked.not_listed.iter().filter(|(_, why)| **why == Some(NotKeptReason::Time))
    {
        for (path, folder) in cache.within(path) {
            writer.copy(path, cache, folder, true);
        }
    }
    writer
}
