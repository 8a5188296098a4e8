//! The user of this process.

/// Returns the number of the user that this process acts as: 0 for `root`.
pub fn user() -> u32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::geteuid() }
}
