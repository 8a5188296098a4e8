//! Files whose paths match the letters that a person typed.

use std::path::Path;

/// The maximum number of files that are examined.
const EXAMINED: usize = 50_000;

/// Returns the files below a folder whose paths have these letters in this order, at most `limit`
/// of them, the best first: those with the letters close together and near the end. Hidden and
/// ignored files are left out. Blocks on the disk.
pub(super) fn search(folder: &Path, letters: &str, limit: usize) -> Vec<String> {
    let letters: Vec<char> = letters.chars().flat_map(char::to_lowercase).collect();
    let walk = ignore::WalkBuilder::new(folder).sort_by_file_name(Ord::cmp).build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|it| it.is_file()));
    let mut found: Vec<(usize, String)> = files
        .take(EXAMINED)
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(folder).ok()?.to_str()?.to_owned();
            Some((distance(&path, &letters)?, path))
        })
        .collect();
    found.sort();
    found.into_iter().take(limit).map(|(_, path)| path).collect()
}

/// Returns how far the letters are from each other and from the end of the path; `None` if the path
/// does not have them in this order.
fn distance(path: &str, letters: &[char]) -> Option<usize> {
    let mut distance = 0;
    let mut wanted = letters.iter().rev().peekable();
    for letter in path.chars().rev().flat_map(char::to_lowercase) {
        match wanted.peek() {
            None => break,
            Some(next) if **next == letter => drop(wanted.next()),
            Some(_) => distance += 1,
        }
    }
    wanted.peek().is_none().then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::search;
    use std::fs;

    #[test]
    fn the_closest_paths_come_first() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src/main")).unwrap();
        for path in ["src/main/mod.rs", "src/main.rs", "README.md", ".hidden-main.rs"] {
            fs::write(folder.path().join(path), "").unwrap();
        }
        assert_eq!(search(folder.path(), "main.rs", 9), ["src/main.rs", "src/main/mod.rs"]);
        assert_eq!(search(folder.path(), "MAIN", 1), ["src/main.rs"]);
        assert_eq!(search(folder.path(), "", 9).len(), 3);
        assert!(search(folder.path(), "xyz", 9).is_empty());
    }
}
