//! Manifests: the entries below one root as bytes, or the difference to another manifest.
//!
//! Each path is written as the length of what it shares with the path before it, and the rest. A
//! path that the other manifest has and this one lacks is written with the kind 0.

use crate::format::bytes::{Reader, put_bytes, put_number};
use crate::format::compression::{Encoding, compress, decompress};
use crate::format::entry::{put_entry, read_entry};
use crate::snapshot::entry::Entry;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The kind of a path that the other manifest has and this one lacks.
const REMOVED: u8 = 0;

/// Differences to another manifest by path; `None` removes a path.
pub(crate) type Delta = BTreeMap<Vec<u8>, Option<Entry>>;

/// All entries below a root, sorted by path.
pub(crate) type Listing = Vec<(Vec<u8>, Entry)>;

/// Writes paths and entries, which must be sorted by path.
pub(crate) fn write<'e>(entries: impl Iterator<Item = (&'e [u8], Option<&'e Entry>)>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut last: &[u8] = &[];
    for (path, entry) in entries {
        let shared = last.iter().zip(path).take_while(|(one, other)| one == other).count();
        put_number(&mut bytes, shared as u64);
        put_bytes(&mut bytes, path.get(shared..).unwrap_or_default());
        match entry {
            Some(entry) => put_entry(&mut bytes, entry),
            None => bytes.push(REMOVED),
        }
        last = path;
    }
    let mut packed = Vec::new();
    put_number(&mut packed, bytes.len() as u64);
    match compress(&bytes) {
        Some(deflated) => {
            packed.push(Encoding::Deflate as u8);
            packed.extend_from_slice(&deflated);
        }
        None => {
            packed.push(Encoding::Plain as u8);
            packed.extend_from_slice(&bytes);
        }
    }
    packed
}

/// Reads what [`write`] wrote. Returns `None` if the bytes are damaged.
fn read(packed: &[u8], mut found: impl FnMut(Vec<u8>, Option<Entry>)) -> Option<()> {
    let mut reader = Reader::new(packed);
    let size = reader.length()?;
    let encoding = Encoding::from_number(i64::from(reader.byte()?))?;
    let bytes = decompress(reader.rest(), encoding, size)?;
    let mut reader = Reader::new(&bytes);
    let mut path: Vec<u8> = Vec::new();
    while !reader.is_empty() {
        let shared = reader.length().filter(|shared| *shared <= path.len())?;
        path.truncate(shared);
        path.extend_from_slice(reader.bytes()?);
        let mut ahead = reader.clone();
        let entry = match ahead.byte()? {
            REMOVED => {
                reader = ahead;
                None
            }
            _ => Some(read_entry(&mut reader)?),
        };
        found(path.clone(), entry);
    }
    Some(())
}

/// Reads a whole manifest. Returns `None` if it is damaged.
pub(crate) fn read_listing(packed: &[u8]) -> Option<Listing> {
    let mut listing = Listing::new();
    let mut sorted = true;
    read(packed, |path, entry| {
        sorted &= entry.is_some() && listing.last().is_none_or(|(last, _)| *last < path);
        listing.extend(entry.map(|entry| (path, entry)));
    })?;
    sorted.then_some(listing)
}

/// Reads a difference. Returns `None` if it is damaged.
pub(crate) fn read_delta(packed: &[u8]) -> Option<Delta> {
    let mut delta = Delta::new();
    read(packed, |path, entry| {
        delta.insert(path, entry);
    })?;
    Some(delta)
}

/// Returns the difference that makes `old` to `new`. Both must be sorted.
pub(crate) fn difference(old: &Listing, new: &Listing) -> Delta {
    let mut delta = Delta::new();
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.0.cmp(&new.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return delta,
        };
        let before = if order.is_le() { old.next() } else { None };
        let after = if order.is_ge() { new.next() } else { None };
        if let Some((path, _)) = before.or(after)
            && before != after
        {
            delta.insert(path.clone(), after.map(|(_, entry)| entry.clone()));
        }
    }
}

/// Adds an earlier difference below a later one, which wins.
pub(crate) fn put_below(later: &mut Delta, earlier: Delta) {
    for (path, entry) in earlier {
        later.entry(path).or_insert(entry);
    }
}

/// Returns the listing with the difference applied.
pub(crate) fn apply(listing: Listing, delta: Delta) -> Listing {
    let mut old = listing.into_iter().peekable();
    let mut new = delta.into_iter().peekable();
    let mut applied = Listing::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.0.cmp(&new.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return applied,
        };
        if order.is_le() {
            let kept = old.next();
            applied.extend(kept.filter(|_| order.is_lt()));
        }
        if order.is_ge() {
            applied.extend(new.next().and_then(|(path, entry)| Some((path, entry?))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::{NotKeptReason, SpecialKind};
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = Entry> {
        let why = proptest::sample::select(NotKeptReason::ALL.to_vec());
        (0..9, any::<u64>(), 0_u32..0o10000, why).prop_map(|(kind, size, mode, why)| {
            let content = ContentId::of(&size.to_le_bytes());
            match kind {
                0 | 1 => Entry::File { content, size, mode },
                2 => Entry::Link { target: size.to_le_bytes().to_vec() },
                3 => Entry::Folder { mode },
                4 => Entry::Special { kind: SpecialKind::Socket },
                5 => Entry::FileNotKept { why, content: Some(content), size, mode },
                6 => Entry::FileNotKept { why, content: None, size, mode },
                7 => Entry::FolderNotKept { why },
                _ => Entry::Unknown { why },
            }
        })
    }

    fn path() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(b"ab/\xff".to_vec()), 0..6)
    }

    proptest! {
        #[test]
        fn a_listing_comes_back(
            entries in proptest::collection::btree_map(path(), entry(), 0..40),
        ) {
            let listing: Listing = entries.into_iter().collect();
            let packed = write(listing.iter().map(|(path, entry)| (path.as_slice(), Some(entry))));
            prop_assert_eq!(read_listing(&packed), Some(listing));
        }

        #[test]
        fn differences_apply_one_by_one_and_together(
            base in proptest::collection::btree_map(path(), entry(), 0..40),
            first in proptest::collection::btree_map(path(), proptest::option::of(entry()), 0..20),
            second in proptest::collection::btree_map(path(), proptest::option::of(entry()), 0..20),
        ) {
            let listing: Listing = base.into_iter().collect();
            let one_by_one = apply(apply(listing.clone(), first.clone()), second.clone());
            let entries = second.iter().map(|(path, entry)| (path.as_slice(), entry.as_ref()));
            let packed = write(entries);
            let mut together = read_delta(&packed).unwrap();
            prop_assert_eq!(&together, &second);
            put_below(&mut together, first);
            prop_assert_eq!(&apply(listing.clone(), together), &one_by_one);
            prop_assert_eq!(apply(listing.clone(), difference(&listing, &one_by_one)), one_by_one);
        }

        #[test]
        fn damaged_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read_listing(&bytes);
            read_delta(&bytes);
        }
    }
}
