//! What is known about the terminal.

use std::io::{self, IsTerminal};

/// Its width in columns, as it is now; `None` if neither stdout nor stderr is one.
pub(crate) fn columns() -> Option<usize> {
    let of_stdout = terminal_size::terminal_size_of(io::stdout());
    let (width, _) = of_stdout.or_else(|| terminal_size::terminal_size_of(io::stderr()))?;
    Some(usize::from(width.0)).filter(|columns| *columns > 0)
}

/// Whether lines written to stdout can be rewritten.
pub(crate) fn can_rewrite() -> bool {
    io::stdout().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
