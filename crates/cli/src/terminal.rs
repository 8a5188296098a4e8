//! What is known about the terminal.

use std::io::{self, IsTerminal};

/// Its width in columns, as it is now; `None` if neither stdout nor stderr is one.
pub(crate) fn columns() -> Option<usize> {
    let of_stdout = terminal_size::terminal_size_of(io::stdout());
    let (width, _) = of_stdout.or_else(|| terminal_size::terminal_size_of(io::stderr()))?;
    Some(usize::from(width.0)).filter(|columns| *columns > 0)
}

/// Names of terminals that understand no sequences.
const PLAIN: [&str; 6] = ["", "dumb", "unknown", "emacs", "cons25", "su"];

/// Whether lines written to stdout can be rewritten.
pub(crate) fn can_rewrite() -> bool {
    io::stdout().is_terminal() && !is_plain()
}

/// Whether the person's lines can be edited: keys come from a terminal and are shown on one that
/// understands sequences.
pub(crate) fn can_edit() -> bool {
    io::stdin().is_terminal() && can_rewrite()
}

/// Whether the terminal understands no sequences, or nothing says which one it is.
fn is_plain() -> bool {
    std::env::var_os("TERM")
        .is_none_or(|term| PLAIN.iter().any(|plain| term.eq_ignore_ascii_case(plain)))
}
