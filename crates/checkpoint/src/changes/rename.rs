//! Finds renamed files: a removed and an added path with the same or much the same content.

use crate::changes::contents::Contents;
use crate::changes::lines::{is_binary, lines};
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use std::collections::{HashMap, HashSet, VecDeque};

/// The number of removed and of added files up to which similar contents are looked for.
const MOST_FILES: usize = 100;

/// The largest content that is compared, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// A path with the entry that it had or has.
pub(crate) type Side<'a> = (&'a TreePath, &'a Entry);

/// Returns pairs of a removed and an added path with the same content. A pair with the same file
/// name is preferred. Empty files are left out.
pub(crate) fn exact(removed: &[Side<'_>], added: &[Side<'_>]) -> Vec<(TreePath, TreePath)> {
    // Thousands of files may have the same content, so each path is looked at only a few times.
    let mut by_name: HashMap<_, VecDeque<usize>> = HashMap::new();
    let mut by_content: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (index, (path, entry)) in removed.iter().enumerate() {
        if let (Some(content), Some(1..)) = (entry.content(), entry.size()) {
            let name = path.relative().file_name();
            by_name.entry((content, name)).or_default().push_back(index);
            by_content.entry(content).or_default().push_back(index);
        }
    }
    let mut paired = HashSet::new();
    let mut pairs = Vec::new();
    for (path, entry) in added {
        let Some(content) = entry.content() else { continue };
        let name = path.relative().file_name();
        let mut next = |indexes: Option<&mut VecDeque<usize>>| {
            let indexes = indexes?;
            std::iter::from_fn(|| indexes.pop_front()).find(|index| paired.insert(*index))
        };
        let same_name = next(by_name.get_mut(&(content, name)));
        let old = same_name.or_else(|| next(by_content.get_mut(&content)));
        if let Some((old, _)) = old.and_then(|index| removed.get(index)) {
            pairs.push(((*old).clone(), (*path).clone()));
        }
    }
    pairs
}

/// Returns pairs of a removed and an added path with similar text, for a bounded number of files.
pub(crate) fn similar(
    removed: &[Side<'_>],
    added: &[Side<'_>],
    contents: &dyn Contents,
) -> Vec<(TreePath, TreePath)> {
    if removed.len() > MOST_FILES || added.len() > MOST_FILES {
        return Vec::new();
    }
    let text = |(path, entry): &Side<'_>| {
        let Entry::File { content, size: 1..=MOST_BYTES, .. } = entry else { return None };
        Some(((*path).clone(), contents.content(*content).ok()?))
    };
    let mut old: Vec<(TreePath, Vec<u8>)> = removed.iter().filter_map(text).collect();
    let mut pairs = Vec::new();
    for (path, new) in added.iter().filter_map(text) {
        if let Some(found) = old.iter().position(|(_, old)| is_alike(old, &new)) {
            pairs.push((old.swap_remove(found).0, path));
        }
    }
    pairs
}

/// Returns whether two texts have at least half of their bytes in common lines.
pub(crate) fn is_alike(old: &[u8], new: &[u8]) -> bool {
    if old == new {
        return true;
    }
    if is_binary(old) || is_binary(new) {
        return false;
    }
    let mut left: HashMap<&[u8], u32> = HashMap::new();
    lines(old).into_iter().for_each(|line| *left.entry(line).or_default() += 1);
    let mut common = 0;
    for line in lines(new) {
        if let Some(count) = left.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            common += line.len();
        }
    }
    common * 2 >= old.len().max(new.len()) && common > 0
}

#[cfg(test)]
mod tests {
    use super::{exact, is_alike, similar};
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::Entry;
    use crate::snapshot::path::TreePath;
    use std::collections::HashMap;

    #[test]
    fn equal_contents_are_paired_by_name_first_and_similar_ones_by_their_lines() {
        let mut contents = HashMap::new();
        let mut side = |path: &str, text: &str| {
            let content = ContentId::of(text.as_bytes());
            contents.insert(content, text.as_bytes().to_vec());
            let size = text.len() as u64;
            (TreePath::new(0, path), Entry::File { content, size, mode: 0o644 })
        };
        let removed =
            [side("a/x", "1\n"), side("a/y", "1\n"), side("e", ""), side("s", "1\n2\n3\n")];
        let added = [side("b/y", "1\n"), side("f", ""), side("t", "1\n2\n3\n4\n")];
        let removed: Vec<_> = removed.iter().map(|(path, entry)| (path, entry)).collect();
        let added: Vec<_> = added.iter().map(|(path, entry)| (path, entry)).collect();
        let path = |text: &str| TreePath::new(0, text);
        assert_eq!(exact(&removed, &added), [(path("a/y"), path("b/y"))]);
        assert_eq!(similar(&removed, &added[2..], &contents), [(path("s"), path("t"))]);
        assert!(!is_alike(b"a\nb\nc\n", b"a\nx\ny\n"));
        assert!(!is_alike(b"", b"x"));
    }
}
