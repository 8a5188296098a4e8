//! Closes many descriptors at once, with plain system calls.

use std::os::fd::RawFd;

/// Closes every descriptor from `first` on.
///
/// # Safety
/// Nothing in this process may use them again.
pub(crate) unsafe fn close_all(first: RawFd) {
    // SAFETY: the caller promises that they are unused; closing a number that is not open is
    // refused.
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

/// Marks every descriptor from `first` on to be closed by `exec`. Until then they work, also the
/// standard library's error pipe.
///
/// # Safety
/// This process is about to `exec`.
pub(crate) unsafe fn close_at_exec(first: RawFd) {
    // SAFETY: only a flag changes, in this process alone; numbers that are not open are refused.
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

/// One more than the highest possible descriptor of this process, limited for loops.
unsafe fn descriptor_limit() -> RawFd {
    // SAFETY: a plain system call with a valid place for its answer.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        limit.rlim_cur.clamp(256, 1 << 20) as RawFd
    }
}
