//! Finds out whether an entry has exactly the name with which it was found. A file system that
//! ignores the case finds `Readme` under the name `README` too.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use crate::files::entry_info::EntryInfo;
use crate::files::root_folder::{RootFolder, info};
use crate::files::system::names::names;
use crate::files::system::paths::name_of;

/// The number of names up to which a folder is searched for an exact name.
const MOST_NAMES: usize = 1_000_000;

impl RootFolder {
    /// Returns whether an entry, and each folder on the way to it, has exactly the name that the
    /// path spells. On a file system that ignores the case, it may have another one. Differences
    /// between names without letters that have a case are not found.
    ///
    /// # Errors
    /// Returns an error if there is no such entry, or if it cannot be examined.
    pub fn has_exact_name(&self, path: &Path) -> io::Result<bool> {
        let mut folder = self.folder.again()?;
        let mut names_left = path.components().peekable();
        while let Some(name) = names_left.next() {
            let name = name.as_os_str();
            let found = info(&folder, name)?.ok_or(io::ErrorKind::NotFound)?;
            let list = || {
                let opened = folder.open_folder(OsStr::new("."))?;
                names(opened, MOST_NAMES)
            };
            if !is_exact(name, &found, |other| info(&folder, other), list)? {
                return Ok(false);
            }
            if names_left.peek().is_some() {
                folder = folder.below(name)?;
            }
        }
        Ok(true)
    }
}

/// Returns whether the entry that was found under a name has exactly this name. `look` finds an
/// entry of the same folder, and `list` returns the names in it.
///
/// The folder is listed only if the name with another case leads to the same entry.
fn is_exact(
    name: &OsStr,
    found: &EntryInfo,
    look: impl Fn(&OsStr) -> io::Result<Option<EntryInfo>>,
    list: impl FnOnce() -> io::Result<Vec<OsString>>,
) -> io::Result<bool> {
    let Some(other) = with_other_case(name) else { return Ok(true) };
    match look(&other)? {
        Some(other) if other.is_same_entry(found) => Ok(list()?.iter().any(|it| it == name)),
        _ => Ok(true),
    }
}

/// Returns the name with the other case of its ASCII letters, or of all letters if it has no ASCII
/// letter. Returns `None` for a name without letters that have a case.
fn with_other_case(name: &OsStr) -> Option<OsString> {
    let bytes = name.as_encoded_bytes();
    let swapped: Vec<u8> = match bytes.iter().any(u8::is_ascii_alphabetic) {
        true => bytes.iter().map(|byte| swapped_ascii(*byte)).collect(),
        false => str::from_utf8(bytes).ok()?.chars().map(swapped).collect::<String>().into(),
    };
    if swapped == bytes { None } else { name_of(swapped) }
}

fn swapped_ascii(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }
}

fn swapped(letter: char) -> char {
    let (mut upper, mut lower) = (letter.to_uppercase(), letter.to_lowercase());
    // Letters whose other case is several letters stay.
    match (upper.next(), upper.next(), lower.next(), lower.next()) {
        (Some(upper), None, _, _) if upper != letter => upper,
        (_, _, Some(lower), None) => lower,
        _ => letter,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{EntryInfo, RootFolder, is_exact, with_other_case};
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    /// Returns whether a folder with one entry has it exactly under this name.
    fn found(entry: &str, name: &str, ignores_case: bool) -> bool {
        let file = tempfile::tempfile().unwrap();
        let is_it = |name: &OsStr| match ignores_case {
            true => name.to_str().unwrap().to_lowercase() == entry.to_lowercase(),
            false => name == entry,
        };
        assert!(is_it(OsStr::new(name)), "it is found under this name");
        let look = |name: &OsStr| Ok(is_it(name).then(|| EntryInfo::of(&file).unwrap()));
        let list = || Ok(vec![OsString::from("other"), OsString::from(entry)]);
        is_exact(OsStr::new(name), &EntryInfo::of(&file).unwrap(), look, list).unwrap()
    }

    #[test]
    fn an_entry_of_another_case_is_not_exact() {
        for (entry, name) in [("foo", "Foo"), ("a.RS", "a.rs"), ("ä", "Ä"), ("λ1", "Λ1")] {
            assert!(!found(entry, name, true), "{entry} {name}");
            assert!(found(entry, entry, true) && found(name, name, true), "{entry} {name}");
            assert!(found(entry, entry, false) && found(name, name, false), "{entry} {name}");
        }
        assert!(found("1", "1", true));
    }

    #[test]
    fn two_names_of_one_file_are_both_exact() {
        let folder = tempfile::tempdir().unwrap();
        let root = RootFolder::open(&folder.path().canonicalize().unwrap()).unwrap();
        std::fs::create_dir_all(root.path().join("Deep/er")).unwrap();
        std::fs::write(root.path().join("Deep/er/file"), "").unwrap();
        // A file system that ignores the case has this link already.
        let _linked =
            std::fs::hard_link(root.path().join("Deep/er/file"), root.path().join("Deep/er/FILE"));
        assert!(root.has_exact_name(Path::new("Deep/er/file")).unwrap());
        assert!(root.has_exact_name(Path::new("Deep")).unwrap());
        assert!(root.has_exact_name(Path::new("Deep/none")).is_err());
        if !root.path().join("deep").exists() {
            assert!(root.has_exact_name(Path::new("Deep/er/FILE")).unwrap());
        }
    }

    #[test]
    fn each_name_with_letters_has_another_case() {
        let other = |name: &[u8]| with_other_case(OsStr::from_bytes(name));
        assert_eq!(other(b"a\xffB").unwrap().as_bytes(), b"A\xffb");
        assert_eq!(other("Äß".as_bytes()).unwrap(), "äß");
        assert_eq!(other("日本".as_bytes()), None);
        assert_eq!(other(b"\xff"), None);
    }
}
