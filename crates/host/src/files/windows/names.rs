//! The names in an open folder.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::windows::ffi::OsStringExt as _;

use windows_sys::Win32::Storage::FileSystem::FILE_FULL_DIR_INFO;

use crate::files::system::native;

/// Returns the names in a folder, at most `limit` of them.
pub(crate) fn names(folder: File, limit: usize) -> io::Result<Vec<OsString>> {
    let mut buffer = vec![0_u64; 8 * 1024];
    let mut found = Vec::new();
    while found.len() < limit && native::next_entries(&folder, &mut buffer)? {
        let bytes: Vec<u8> = buffer.iter().flat_map(|part| part.to_ne_bytes()).collect();
        let mut rest = bytes.as_slice();
        while let Some((name, next)) = first_name(rest) {
            if name != "." && name != ".." && found.len() < limit {
                found.push(name);
            }
            match next {
                0 => break,
                next => rest = rest.get(next..).unwrap_or_default(),
            }
        }
    }
    Ok(found)
}

/// Returns the name in the first structure of a list, and the offset of the next structure, or 0.
fn first_name(list: &[u8]) -> Option<(OsString, usize)> {
    const NAME: usize = offset_of!(FILE_FULL_DIR_INFO, FileName);
    let number = |at: usize| {
        let bytes = list.get(at..)?.first_chunk::<4>()?;
        usize::try_from(u32::from_ne_bytes(*bytes)).ok()
    };
    let length = number(offset_of!(FILE_FULL_DIR_INFO, FileNameLength))?;
    let (units, _) = list.get(NAME..)?.get(..length)?.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_ne_bytes(*unit)).collect();
    Some((OsString::from_wide(&units), number(offset_of!(FILE_FULL_DIR_INFO, NextEntryOffset))?))
}
