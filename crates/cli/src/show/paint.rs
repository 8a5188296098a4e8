//! Colours of the output.

use anstyle::{AnsiColor, Style};
use std::fmt::Display;

// The styles of the output: dimmed, bold, and four colours.
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const CYAN: Style = AnsiColor::Cyan.on_default();

/// Whether text may be coloured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    /// Whether escape sequences may be written at all.
    pub(crate) colours: bool,
}

impl Paint {
    /// Returns the colours for `stream`, by `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE`, `TERM=dumb`,
    /// and whether the stream is a terminal.
    pub(crate) fn of(stream: &impl anstream::stream::RawStream) -> Self {
        let set = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some() && !set("CLICOLOR_FORCE", "0");
        // CI systems usually show colours, but TERM=dumb overrides that.
        let dumb = set("TERM", "dumb") && !forced;
        Self {
            colours: !dumb && anstream::AutoStream::choice(stream) != anstream::ColorChoice::Never,
        }
    }

    /// Returns `text` in `style`. The text must be free of control characters.
    pub(crate) fn paint(self, style: Style, text: impl Display) -> String {
        let text = text.to_string();
        if self.colours && !text.is_empty() { format!("{style}{text}{style:#}") } else { text }
    }
}
