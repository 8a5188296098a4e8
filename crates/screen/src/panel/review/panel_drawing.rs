//! How the review draws its changes and the line above them.

use super::{MARK, ReviewPanel};
use crate::panel::drawing::put;
use crate::theme::Theme;
use attache_view::{FileDiff, Role};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

impl ReviewPanel {
    /// Returns the line above the changes: how much changed, and which place is selected.
    pub(super) fn summary(&self, theme: &Theme) -> Vec<(String, Role)> {
        let files = &self.changes.files;
        let count = |of: fn(&FileDiff) -> usize| files.iter().map(|file| of(file)).sum::<usize>();
        let (added, removed) = (count(|file| file.added), count(|file| file.removed));
        let noun = if files.len() == 1 { "file" } else { "files" };
        let glyphs = theme.glyphs();
        let mut parts = vec![
            (format!("{} {noun} ", files.len()), Role::Text),
            (format!("+{added} "), Role::Added),
            (format!("{}{removed}", glyphs.minus), Role::Removed),
        ];
        let between = format!(" {} ", glyphs.separator);
        if let Some(counts) = self.counts() {
            parts.push((format!("{between}{counts}"), Role::Text));
        }
        if let Some(selected) = self.selected() {
            let place = format!("{between}change {} of {}", self.selected + 1, self.stops.len());
            parts.push((place, Role::Muted));
            let path = files.get(selected.file).map(|file| file.path.text()).unwrap_or_default();
            parts.push((between, Role::Muted));
            parts.push((path, Role::Path));
        }
        parts
    }

    pub(super) fn draw_changes(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let columns = usize::from(area.width.saturating_sub(MARK));
        if self.list.set_format(theme, columns, usize::from(area.height)) {
            self.select(self.selected);
        }
        self.follow();
        let lines = self.list.visible();
        self.drawn = lines.iter().map(|(segment, _)| *segment).collect();
        let selected = self.stops.get(self.selected).map(|(_, first, last)| *first..=*last);
        for ((segment, line), y) in lines.into_iter().zip(area.y..area.bottom()) {
            if selected.as_ref().is_some_and(|range| range.contains(&segment)) {
                let style = theme.role(Role::Name);
                put(buffer, area.x, y, area.right(), theme.glyphs().selected, style);
            }
            let x = (area.x + MARK).min(area.right());
            buffer.set_line(x, y, &line.line, area.right() - x);
        }
    }
}
