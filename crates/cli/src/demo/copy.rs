//! A bounded copy of a folder, so that the demo never changes the person's files.

use ignore::WalkBuilder;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The maximum number of files.
pub(super) const FILES: usize = 2000;

/// The maximum number of bytes.
pub(super) const BYTES: u64 = 20_000_000;

/// The maximum size of a file that is copied, in bytes.
pub(super) const FILE_BYTES: u64 = 1_000_000;

/// The number of entries after which a folder counts as too large.
const LOOKED_AT: usize = 50_000;

/// The result of a copy.
#[derive(Debug)]
pub(super) enum Copied {
    /// Nothing was copied: the folder has no text files.
    Nothing,
    /// These files were copied; `left_out` other files were binary, too large or beyond a limit.
    Files { count: usize, bytes: u64, left_out: usize },
}

/// Copies the text files below `from`, except hidden files and those that `.gitignore` lists.
/// Symbolic links are omitted, because they can lead out of the copy, back to the person's files.
pub(super) fn copy(from: &Path, to: &Path) -> Result<Copied, String> {
    let cannot = |what: &Path, error: io::Error| {
        format!("{} cannot be copied for the demo: {error}", what.display())
    };
    fs::create_dir_all(to).map_err(|error| cannot(from, error))?;
    let (mut count, mut bytes, mut left_out) = (0, 0, 0);
    let walk = WalkBuilder::new(from)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(Ord::cmp)
        .build();
    for entry in walk.take(LOOKED_AT).flatten() {
        let Ok(inside) = entry.path().strip_prefix(from) else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let size = entry.metadata().map_or(u64::MAX, |metadata| metadata.len());
        if count >= FILES || size > FILE_BYTES || bytes + size > BYTES || !is_text(entry.path()) {
            left_out += 1;
            continue;
        }
        let target = to.join(inside);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| cannot(parent, error))?;
        }
        // A file that disappears or cannot be read is skipped.
        match fs::read(entry.path()).and_then(|content| fs::write(&target, content)) {
            Ok(()) => (count, bytes) = (count + 1, bytes + size),
            Err(_) => left_out += 1,
        }
    }
    Ok(if count == 0 { Copied::Nothing } else { Copied::Files { count, bytes, left_out } })
}

/// Returns whether the start of the file contains no zero byte.
fn is_text(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(8192).read_to_end(&mut start));
    read.is_ok() && !start.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::{Copied, copy};
    use std::fs;

    #[test]
    fn only_text_that_is_not_ignored_is_copied() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &[u8]| {
            let path = from.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        file("src/a.rs", b"fn a() {}\n");
        file("image.png", b"\x89PNG\0\0");
        file(".gitignore", b"target\n");
        file("target/out.txt", b"built");
        file(".env", b"SECRET=1");
        file("large.txt", &vec![b'x'; 2 << 20]);
        std::os::unix::fs::symlink("/etc/passwd", from.path().join("link")).unwrap();
        let copied = copy(from.path(), &to.path().join("p")).unwrap();
        assert!(matches!(copied, Copied::Files { count: 1, bytes: 10, left_out: 2 }), "{copied:?}");
        let copies: Vec<_> = fs::read_dir(to.path().join("p"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(copies, ["src"]);
    }

    #[test]
    fn an_empty_folder_has_nothing_to_copy() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(matches!(copy(from.path(), &to.path().join("p")).unwrap(), Copied::Nothing));
    }
}
