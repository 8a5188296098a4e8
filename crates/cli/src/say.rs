//! Lines for the person at the terminal.

use crate::show::paint::Paint;
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

/// Returns an integer with commas between groups of three digits, such as `1,234`.
pub(crate) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes text in a style.
pub(crate) fn say(style: anstyle::Style, text: &str) {
    println(&Paint::of(&io::stdout()).paint(style, sanitize::text(text)));
}
