//! Properties of the terminal.

use std::io::{self, IsTerminal};

/// Returns the current width in columns; `None` if neither stdout nor stderr is a terminal.
pub(crate) fn columns() -> Option<usize> {
    let of_stdout = terminal_size::terminal_size_of(io::stdout());
    let (width, _) = of_stdout.or_else(|| terminal_size::terminal_size_of(io::stderr()))?;
    Some(usize::from(width.0)).filter(|columns| *columns > 0)
}

/// Names of terminals without escape sequences.
const PLAIN: [&str; 6] = ["", "dumb", "unknown", "emacs", "cons25", "su"];

/// Returns whether lines on stdout can be rewritten.
pub(crate) fn can_rewrite() -> bool {
    io::stdout().is_terminal() && !is_plain()
}

/// Returns whether lines can be edited: keys come from a terminal, and the output is a terminal
/// with escape sequences.
pub(crate) fn can_edit() -> bool {
    io::stdin().is_terminal() && can_rewrite()
}

/// Returns whether the terminal has no escape sequences, or is unknown.
fn is_plain() -> bool {
    std::env::var_os("TERM")
        .is_none_or(|term| PLAIN.iter().any(|plain| term.eq_ignore_ascii_case(plain)))
}
