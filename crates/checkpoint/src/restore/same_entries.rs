//! Finds entries that several paths of a plan lead to. A change through one path would apply to the
//! others too, for example on a file system that ignores the normalization of names.

use attache_host::{EntryInfo, EntryKind};
use std::collections::{HashMap, HashSet};

/// Returns the ids of entries with more paths than hard links. Folders have no hard links.
pub(crate) fn same_entries<'a>(found: impl Iterator<Item = &'a EntryInfo>) -> HashSet<(u64, u64)> {
    let mut paths: HashMap<(u64, u64), u64> = HashMap::new();
    let mut same = HashSet::new();
    for info in found {
        let paths = paths.entry(info.id()).or_default();
        *paths += 1;
        let most = if info.kind == EntryKind::Folder { 1 } else { info.links.max(1) };
        if *paths > most {
            same.insert(info.id());
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use super::same_entries;
    use attache_host::RootFolder;
    use std::fs;
    use std::path::Path;

    #[test]
    fn an_entry_with_more_paths_than_links_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = RootFolder::open(&folder.path().canonicalize().unwrap()).unwrap();
        fs::write(root.path().join("one"), "").unwrap();
        fs::hard_link(root.path().join("one"), root.path().join("two")).unwrap();
        fs::create_dir(root.path().join("folder")).unwrap();
        let info = |name: &str| root.entry(Path::new(name)).unwrap().unwrap();
        let (one, two, inner) = (info("one"), info("two"), info("folder"));
        assert!(same_entries([&one, &two, &inner].into_iter()).is_empty());
        let found = same_entries([&one, &two, &one, &inner, &inner].into_iter());
        assert_eq!(found.len(), 2);
        assert!(found.contains(&two.id()) && found.contains(&inner.id()));
    }
}
