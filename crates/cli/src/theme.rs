//! The theme that fits the terminal.

use crate::folder;
use crate::settings::Settings;
use attache_screen::theme::{ColorDepth, Glyphs, Theme};

/// The name of the person's file of styles.
pub(crate) const FILE: &str = "theme.toml";

/// Returns the theme of the person's file, or else the built-in one of the settings. Mistakes in
/// the file are added to `notices`.
pub(crate) fn of_terminal(notices: &mut Vec<String>) -> Theme {
    let variable = |name: &str| std::env::var(name).ok();
    let depth = ColorDepth::detect(variable);
    let glyphs = Glyphs::detect(variable);
    match folder::own_file(FILE, notices) {
        Some(text) => {
            let (theme, errors) = Theme::parse(&text, depth, glyphs);
            notices.extend(errors.iter().map(|error| format!("theme.toml: {error}")));
            theme
        }
        None => match Settings::read().theme() {
            Some("light") => Theme::light(depth, glyphs),
            _ => Theme::dark(depth, glyphs),
        },
    }
}
