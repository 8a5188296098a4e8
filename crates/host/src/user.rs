//! The user of this process.

/// Returns the id of the user that this process runs as: 0 for `root`.
pub fn user() -> u32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::geteuid() }
}
