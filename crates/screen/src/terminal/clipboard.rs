//! The clipboard of the person's terminal, through OSC 52, which also works over SSH.

use super::modes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Write};

/// The largest text that is copied, in bytes; many terminals refuse more.
const LIMIT: usize = 74_000;

/// Copies a text.
///
/// # Errors
/// Returns a message for the person if the text is too long for most terminals, or if the terminal
/// cannot be written.
pub(crate) fn copy(text: &str) -> Result<(), String> {
    if text.len() > LIMIT {
        let kilobytes = text.len() / 1000;
        return Err(format!("{kilobytes} kB are too much for the clipboard of a terminal"));
    }
    let written = modes::terminal().and_then(|mut terminal| write(&mut terminal, text));
    written.map_err(|error| format!("the terminal cannot be written: {error}"))
}

fn write(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).as_bytes())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_copied_as_base64() {
        let mut shown = Vec::new();
        super::write(&mut shown, "a\x1b[31m").unwrap();
        assert_eq!(String::from_utf8(shown).unwrap(), "\x1b]52;c;YRtbMzFt\x07");
        assert!(super::copy(&"x".repeat(100_000)).unwrap_err().contains("100 kB"));
    }
}
