//! Lines for the person at the terminal.

use crate::show::paint::Paint;
use attache_models::text::grouped;
use attache_view::sanitize;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line for the person.
pub(crate) fn println(line: &str) {
    // An error is ignored: if the terminal is gone, reading fails too.
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// Returns a number with what it counts, such as `1 file` or `1,234 files`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(number: N, what: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// Writes text in a style.
pub(crate) fn say(style: anstyle::Style, text: &str) {
    println(&Paint::of(&io::stdout()).paint(style, sanitize::text(text)));
}
