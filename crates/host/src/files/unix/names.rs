//! The names in an open folder.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::IntoRawFd;
use std::os::unix::ffi::OsStrExt;

/// An open stream of names, closed when dropped.
struct Stream(*mut libc::DIR);

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is open and not used afterwards.
        unsafe { libc::closedir(self.0) };
    }
}

/// Returns the names in a folder, at most `limit` of them.
pub(crate) fn names(folder: File, limit: usize) -> io::Result<Vec<OsString>> {
    let descriptor = folder.into_raw_fd();
    // SAFETY: the descriptor is open and has no other owner from here on.
    let stream = unsafe { libc::fdopendir(descriptor) };
    if stream.is_null() {
        let error = io::Error::last_os_error();
        // SAFETY: the call failed, so the descriptor is still ours.
        unsafe { libc::close(descriptor) };
        return Err(error);
    }
    let stream = Stream(stream);
    let mut names = Vec::new();
    while names.len() < limit {
        // SAFETY: the stream is open, and only this thread uses it.
        let entry = unsafe { libc::readdir(stream.0) };
        if entry.is_null() {
            break;
        }
        // SAFETY: the entry is valid until the next call, and its name is NUL-terminated.
        let name = unsafe { CStr::from_ptr((*entry).d_name.as_ptr()) };
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(OsStr::from_bytes(name.to_bytes()).to_owned());
        }
    }
    Ok(names)
}
