//! The colours, text attributes and marks of the screen.

mod color_depth;
mod glyphs;
mod palette;
mod theme_file;

pub use self::color_depth::ColorDepth;
pub use self::glyphs::Glyphs;
pub use self::palette::Element;
pub use self::theme_file::ThemeError;

use self::palette::Palette;
use self::theme_file::ThemeFile;
use attache_view::{Color as ViewColor, Role, Style as ViewStyle};
use ratatui::style::{Color, Modifier, Style};

const DARK: &str = include_str!("theme/dark.toml");
const DARK_16: &str = include_str!("theme/dark-16.toml");
const LIGHT: &str = include_str!("theme/light.toml");
const LIGHT_16: &str = include_str!("theme/light-16.toml");

/// The styles of all texts and parts of the screen, and the [`Glyphs`].
///
/// Colours never carry information alone: a mark, a sign or a word says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    palette: Palette,
    glyphs: Glyphs,
    depth: ColorDepth,
    light: bool,
}

impl Theme {
    /// Returns the built-in theme for dark terminals.
    pub fn dark(depth: ColorDepth, glyphs: Glyphs) -> Self {
        Self::built_in(false, depth, glyphs)
    }

    /// Returns the built-in theme for light terminals.
    pub fn light(depth: ColorDepth, glyphs: Glyphs) -> Self {
        Self::built_in(true, depth, glyphs)
    }

    /// Returns the text of a built-in theme, as an example of a theme file: `dark` or `light`.
    pub fn source(name: &str) -> Option<&'static str> {
        match name {
            "dark" => Some(DARK),
            "light" => Some(LIGHT),
            _ => None,
        }
    }

    /// Reads the text of a theme file, and returns the mistakes in it.
    ///
    /// Entries that the file omits, and entries with a mistake, keep the style of the theme that
    /// `base` names in the file: `dark` (the default) or `light`. Colours that the terminal lacks
    /// become the nearest ones.
    pub fn parse(text: &str, depth: ColorDepth, glyphs: Glyphs) -> (Self, Vec<ThemeError>) {
        let file = ThemeFile::parse(text);
        let mut theme = Self::built_in(file.light.unwrap_or(false), depth, glyphs);
        for (entry, style) in file.entries {
            let style = fit(style, depth);
            // Without colours, an entry of colours only would lose what marks it.
            if depth != ColorDepth::None || !style.add_modifier.is_empty() {
                theme.palette.set(entry, style);
            }
        }
        (theme, file.errors)
    }

    fn built_in(light: bool, depth: ColorDepth, glyphs: Glyphs) -> Self {
        let few = matches!(depth, ColorDepth::None | ColorDepth::Ansi16);
        let source = match (light, few) {
            (false, false) => DARK,
            (false, true) => DARK_16,
            (true, false) => LIGHT,
            (true, true) => LIGHT_16,
        };
        let mut palette = Palette::default();
        for (entry, style) in ThemeFile::parse(source).entries {
            palette.set(entry, fit(style, depth));
        }
        Self { palette, glyphs, depth, light }
    }

    /// Returns the terminal style of a piece of text.
    pub fn style(&self, style: &ViewStyle) -> Style {
        let mut drawn = self.role(style.role);
        if let Some(colors) = style.colors {
            let fit = |color: Option<ViewColor>| self.depth.nearest(terminal_color(color?));
            drawn.fg = fit(colors.foreground).or(drawn.fg);
            drawn.bg = fit(colors.background).or(drawn.bg);
        }
        if style.link.is_some() {
            drawn = drawn.patch(self.element(Element::Link));
        }
        let modifiers = [
            (style.strong, Modifier::BOLD),
            (style.emphasis, Modifier::ITALIC),
            (style.struck, Modifier::CROSSED_OUT),
            (style.underlined, Modifier::UNDERLINED),
        ];
        for (_, modifier) in modifiers.into_iter().filter(|(set, _)| *set) {
            drawn = drawn.add_modifier(modifier);
        }
        drawn
    }

    /// Whether inline code needs marks around it, because its style has at most a colour, and the
    /// terminal has few colours or none.
    pub(crate) fn marks_code(&self) -> bool {
        let code = self.role(Role::Code);
        let is_plain = code.bg.is_none() && code.add_modifier.is_empty();
        is_plain && matches!(self.depth, ColorDepth::None | ColorDepth::Ansi16)
    }

    /// Returns the style of a role.
    pub fn role(&self, role: Role) -> Style {
        self.palette.role(role)
    }

    /// Returns the style of a part of the screen.
    pub fn element(&self, element: Element) -> Style {
        self.palette.element(element)
    }

    /// Returns the marks, bullets and borders.
    pub fn glyphs(&self) -> &Glyphs {
        &self.glyphs
    }

    /// Returns the colours that the theme may use.
    pub fn depth(&self) -> ColorDepth {
        self.depth
    }

    /// Whether the theme is for light terminals.
    pub fn is_light(&self) -> bool {
        self.light
    }
}

fn terminal_color(color: ViewColor) -> Color {
    match color {
        ViewColor::Indexed(index) => Color::Indexed(index),
        ViewColor::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}

/// Replaces the colours of a style by the nearest ones that the terminal draws.
fn fit(mut style: Style, depth: ColorDepth) -> Style {
    style.fg = style.fg.and_then(|color| depth.nearest(color));
    style.bg = style.bg.and_then(|color| depth.nearest(color));
    style
}

#[cfg(test)]
mod tests;
