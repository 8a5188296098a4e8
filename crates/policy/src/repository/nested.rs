//! The repositories inside of a repository: the submodules that `.gitmodules` and the index name.

use super::read;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The longest index that is read, in bytes.
const LONGEST_INDEX: u64 = 64 * 1024 * 1024;

/// The mode of an index entry that is another repository.
const LINK: u32 = 0o160_000;

/// The folders below `files` in which git could find other repositories while it shows something.
/// Returns an error if they cannot be determined.
pub(super) fn nested(
    repository: &Path,
    files: &Path,
    long_names: bool,
) -> Result<Vec<PathBuf>, ()> {
    let listed = read(&files.join(".gitmodules"))?.unwrap_or_default();
    let mut names: Vec<Vec<u8>> = listed.lines().filter_map(path).map(String::into_bytes).collect();
    names.extend(links(&repository.join("index"), long_names)?);
    // A split index keeps most of its entries in other files.
    for entry in std::fs::read_dir(repository).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b"sharedindex.") {
            names.extend(links(&entry.path(), long_names)?);
        }
    }
    let mut paths: Vec<PathBuf> =
        names.into_iter().map(|name| files.join(OsString::from_vec(name))).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// The path in a line of `.gitmodules`.
fn path(line: &str) -> Option<String> {
    let (name, value) = line.split_once('=')?;
    let name = name.rsplit(']').next().unwrap_or(name).trim();
    name.eq_ignore_ascii_case("path").then(|| value.trim().replace('"', ""))
}

/// The names of the index entries that are other repositories.
fn links(file: &Path, long_names: bool) -> Result<Vec<Vec<u8>>, ()> {
    match file.metadata() {
        Ok(found) if !found.is_file() || found.len() > LONGEST_INDEX => return Err(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        _ => {}
    }
    let bytes = std::fs::read(file).map_err(|_| ())?;
    let mut rest = Bytes(&bytes);
    let is_index = rest.take(4)? == b"DIRC";
    let version = rest.number()?;
    if !is_index || !(2..=4).contains(&version) {
        return Err(());
    }
    let (mut found, mut name) = (Vec::new(), Vec::new());
    for _ in 0..rest.number()? {
        if rest.entry(version, long_names, &mut name)? == LINK {
            found.push(name.clone());
        }
    }
    Ok(found)
}

/// The unread bytes of an index.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], ()> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(())?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, ()> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().map_err(|_| ())?))
    }

    /// Reads an entry and returns its mode. Before the call, `name` is the name of the previous
    /// entry; after it, the name of this one.
    fn entry(&mut self, version: u32, long_names: bool, name: &mut Vec<u8>) -> Result<u32, ()> {
        let before = self.0.len();
        self.take(24)?;
        let mode = self.number()?;
        self.take(12 + if long_names { 32 } else { 20 })?;
        let flags = u16::from_be_bytes(self.take(2)?.try_into().map_err(|_| ())?);
        if version > 2 && flags & 0x4000 != 0 {
            self.take(2)?;
        }
        match version {
            // The next number says how many bytes to drop from the end of the previous name. The
            // rest is the beginning of this name.
            4 => {
                let dropped = self.offset()?;
                name.truncate(name.len().checked_sub(dropped).ok_or(())?);
            }
            _ => name.clear(),
        }
        let length = self.0.iter().position(|byte| *byte == 0).ok_or(())?;
        name.extend(self.take(length)?);
        match version {
            4 => self.take(1)?,
            // At least one zero byte pads the length to a multiple of eight.
            _ => self.take(8 - (before - self.0.len()) % 8)?,
        };
        Ok(mode)
    }

    /// Reads a number of any length, stored with seven bits in each byte.
    fn offset(&mut self) -> Result<usize, ()> {
        let mut value = 0_usize;
        for turn in 0..5 {
            let byte = usize::from(*self.take(1)?.first().ok_or(())?);
            value = value.checked_add(usize::from(turn > 0)).ok_or(())?;
            value = (value << 7) | (byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(())
    }
}
