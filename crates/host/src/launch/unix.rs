//! The rules of Unix for finding programs.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The shell that runs command lines.
pub(crate) const SHELL: &str = "/bin/sh";

/// The C library's default if there is no `PATH`.
pub(crate) const USUAL_PATH: &str = "/bin:/usr/bin";

/// The error number of a file that the system cannot execute.
pub(crate) const NOT_EXECUTABLE: i32 = libc::ENOEXEC;

/// Returns whether a program is given as a path, not as a name.
pub(crate) fn has_folder(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

/// Returns whether this is the name of the variable `PATH`.
pub(crate) fn is_path(variable: &OsStr) -> bool {
    variable == "PATH"
}

/// Returns whether a file exists and may be executed.
pub(crate) fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
