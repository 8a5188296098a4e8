//! Processes whose parent has ended.

use std::io;

/// Makes this process the parent of its descendants whose own parent ends. Without it, a process
/// that kills its guardian becomes a child of the system's first process, and nothing shows any
/// more that this process started it. On systems other than Linux, this does nothing.
///
/// # Errors
/// Returns an error if the system refuses it.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    // SAFETY: this changes one attribute of the process and touches no memory.
    if unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
