//! Pictures of panels as text, which tests compare with files.

use super::Panel;
use super::drawing::{framed, middle};
use crate::keymap::{Action, Keymap};
use crate::theme::{ColorDepth, Glyphs, Theme};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

pub(crate) fn theme() -> Theme {
    Theme::dark(ColorDepth::Rgb, Glyphs::UNICODE)
}

/// Returns the panel as the screen draws it, without spaces at the ends of lines.
pub(crate) fn picture_with(
    panel: &mut dyn Panel,
    (width, height): (u16, u16),
    theme: &Theme,
) -> String {
    let whole = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(whole);
    let columns = middle(whole, 0).width.saturating_sub(4);
    let area = if panel.is_wide() { whole } else { middle(whole, panel.height(columns)) };
    let keymap = Keymap::default();
    let key = |(action, does): (Action, &'static str)| {
        let keys = keymap.keys(panel.context(), action);
        keys.first().map(|key| (key.to_string(), does))
    };
    let keys: Vec<_> = panel.hints().into_iter().filter_map(key).collect();
    let keys: Vec<(&str, &str)> = keys.iter().map(|(key, does)| (key.as_str(), *does)).collect();
    let inside = framed(area, &mut buffer, theme, &panel.title(), &keys);
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    panel.render(inside, &mut buffer, theme);
    theme.glyphs().simplify(&mut buffer);
    panel.was_shown();
    let row = |y| {
        let cells = (0..width).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    (0..height).map(row).collect()
}

pub(crate) fn picture(panel: &mut dyn Panel, size: (u16, u16)) -> String {
    picture_with(panel, size, &theme())
}

/// Compares a picture with the stored one of this name.
pub(crate) fn check(name: &str, picture: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../../tests/panels");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, picture));
}

/// Compares pictures of the usual sizes with files.
pub(crate) fn check_sizes(name: &str, panel: &mut dyn Panel) {
    for (width, height) in [(80, 24), (120, 40)] {
        let picture = picture(panel, (width, height));
        check(&format!("{name}-{width}x{height}"), &picture);
    }
}

/// Presses a key without modifiers, as the screen does.
pub(crate) fn press(panel: &mut dyn Panel, code: KeyCode) -> super::Outcome {
    let key = KeyEvent::new(code, KeyModifiers::NONE);
    let action = Keymap::default().action(panel.context(), key);
    panel.key(action, key)
}

/// Presses the keys of characters.
pub(crate) fn type_keys(panel: &mut dyn Panel, keys: &str) {
    for key in keys.chars() {
        press(panel, KeyCode::Char(key));
    }
}
