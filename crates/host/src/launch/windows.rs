//! The rules of Windows for finding programs. Never run on Windows, only under Wine.

use std::ffi::OsStr;
use std::path::Path;

/// The shell that runs command lines, found in the `PATH`.
pub(crate) const SHELL: &str = "sh";

/// No folder is searched if there is no `PATH`.
pub(crate) const USUAL_PATH: &str = "";

/// `ERROR_BAD_EXE_FORMAT`: the file is not a program for this system.
pub(crate) const NOT_EXECUTABLE: i32 = 193;

/// Returns whether a program is given as a path, not as a name.
pub(crate) fn has_folder(program: &OsStr) -> bool {
    program.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\' | b':'))
}

/// Returns whether this is the name of the variable `PATH`, in any case.
pub(crate) fn is_path(variable: &OsStr) -> bool {
    variable.eq_ignore_ascii_case("PATH")
}

/// Returns whether a file exists. Its extension says whether it can be started.
pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file()
}
