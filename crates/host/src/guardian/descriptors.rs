//! Closes many descriptors at once, with plain system calls.

use std::os::fd::RawFd;

/// Closes every descriptor from `first` on.
///
/// # Safety
/// Nothing in this process may use these descriptors again.
pub(crate) unsafe fn close_all(first: RawFd) {
    // SAFETY: the caller promises that they are unused, and the system refuses to close a number
    // that is not open.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        for descriptor in first..descriptor_limit() {
            libc::close(descriptor);
        }
    }
}

/// Marks every descriptor from `first` on to be closed by `exec`. Until then they still work,
/// including the standard library's error pipe.
///
/// # Safety
/// This process must be about to call `exec`.
pub(crate) unsafe fn close_at_exec(first: RawFd) {
    // SAFETY: only a flag changes, and only in this process. The system refuses numbers that are
    // not open.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
            == 0
        {
            return;
        }
        for descriptor in first..descriptor_limit() {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// Returns a number that is greater than every possible descriptor of this process, but not so
/// large that a loop up to it takes long.
unsafe fn descriptor_limit() -> RawFd {
    // SAFETY: a plain system call with a pointer to a valid local for its result.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur.clamp(256, 1 << 20) as RawFd
    }
}
