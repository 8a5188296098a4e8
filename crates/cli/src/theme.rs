//! The theme that fits the terminal.

use crate::folder;
use attache_screen::theme::{ColorDepth, Glyphs, Theme};

/// Returns the theme of the person's file `theme.toml`, or else the built-in one. Mistakes in the
/// file are added to `notices`.
pub(crate) fn of_terminal(notices: &mut Vec<String>) -> Theme {
    let variable = |name: &str| std::env::var(name).ok();
    let depth = ColorDepth::detect(variable);
    let glyphs = Glyphs::detect(variable);
    match folder::own_file("theme.toml", notices) {
        Some(text) => {
            let (theme, errors) = Theme::parse(&text, depth, glyphs);
            notices.extend(errors.iter().map(|error| format!("theme.toml: {error}")));
            theme
        }
        None => Theme::dark(depth, glyphs),
    }
}
