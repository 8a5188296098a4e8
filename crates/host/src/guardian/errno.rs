//! The number of the last system error.

use std::ffi::c_int;
use std::io;

/// Returns the number of the last error of a system call in this thread.
pub(crate) fn errno() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
