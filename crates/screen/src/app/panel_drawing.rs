//! How the panel over the conversation is drawn.

use crate::app::state::{App, now};
use crate::panel::Facts;
use crate::panel::drawing::{framed, middle};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

impl App {
    pub(crate) fn draw_panel(&mut self, area: Rect, buffer: &mut Buffer) {
        let screen = self.screen_values();
        let Some(panel) = &mut self.panel else { return };
        let session = self.slots.get(self.focus).and_then(|slot| slot.session());
        let screen = &screen;
        panel.refresh(&Facts { hub: &self.hub, session, screen, now: now() });
        let area = match panel.is_wide() {
            true => area,
            false => {
                let width = middle(area, 0).width.saturating_sub(4);
                middle(area, panel.height(width))
            }
        };
        let context = panel.context();
        let keys: Vec<(String, &str)> = panel
            .hints()
            .into_iter()
            .filter_map(|(action, does)| {
                let keys = self.keymap.keys(context, action);
                keys.first().map(|key| (key.to_string(), does))
            })
            .collect();
        let keys: Vec<(&str, &str)> =
            keys.iter().map(|(key, does)| (key.as_str(), *does)).collect();
        let inside = framed(area, buffer, &self.theme, &panel.title(), &keys);
        let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        self.panel_area = inside;
        panel.render(inside, buffer, &self.theme);
    }
}
