//! Waits for descriptors that a parent made non-blocking.

use std::io;
use std::os::fd::AsRawFd as _;

/// Waits until the descriptor is ready. Only call it from threads that do nothing else.
pub(super) fn wait_for(file: &std::fs::File, events: libc::c_short) -> io::Result<()> {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events, revents: 0 };
    // SAFETY: the single pollfd is on the stack for the whole call and names an open descriptor.
    match unsafe { libc::poll(&raw mut poll, 1, -1) } {
        -1 if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => {
            Err(io::Error::last_os_error())
        }
        _ => Ok(()),
    }
}
