//! Waiting for a descriptor that does not block.

use std::io;
use std::os::fd::AsRawFd as _;

/// Waits until a descriptor that a parent left non-blocking is ready. Only threads that serve
/// nothing else call this.
pub(super) fn wait_for(file: &std::fs::File, events: libc::c_short) -> io::Result<()> {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events, revents: 0 };
    // SAFETY: one pollfd, on our stack for the whole call, naming an open descriptor.
    match unsafe { libc::poll(&raw mut poll, 1, -1) } {
        -1 if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => {
            Err(io::Error::last_os_error())
        }
        _ => Ok(()),
    }
}
