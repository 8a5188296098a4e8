//! Windows has no signals: each program ends with a code.

use std::process::ExitStatus;

/// Returns `None`: no signal ends a program.
pub(crate) fn of(_status: ExitStatus) -> Option<i32> {
    None
}

/// The numbers and names of signals: none.
pub(crate) const NAMES: &[(i32, &str)] = &[];
