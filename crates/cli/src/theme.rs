//! The theme that fits the terminal.

use crate::folder;
use attache_screen::theme::{ColorDepth, Glyphs, Theme};

/// Returns the theme of the person's file `theme.toml`, or else the built-in one. Mistakes in the
/// file are added to `notices`.
pub(crate) fn of_terminal(notices: &mut Vec<String>) -> Theme {
    let variable = |name: &str| std::env::var(name).ok();
    let depth = ColorDepth::detect(variable);
    let glyphs = Glyphs::detect(variable);
    let file = folder::configuration().map(|folder| folder.join("theme.toml"));
    match file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()) {
        Some(text) => {
            let (theme, errors) = Theme::parse(&text, depth, glyphs);
            notices.extend(errors.iter().map(|error| format!("theme.toml: {error}")));
            theme
        }
        None => Theme::dark(depth, glyphs),
    }
}
