//! The conversation on the screen, drawn into a buffer and compared as text.
//!
//! `INSTA_UPDATE=always` writes the files in `../screens/`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod layout;
mod properties;
mod samples;
mod scrolling;
mod searching;
mod snapshots;

use attache_screen::theme::{ColorDepth, Glyphs, Theme};
use attache_screen::transcript::Transcript;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

fn theme() -> Theme {
    Theme::dark(ColorDepth::Rgb, Glyphs::UNICODE)
}

/// Returns the text of a buffer, without spaces at the ends of lines.
fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut line = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(symbol.width().max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Draws a transcript and returns the text.
fn draw(transcript: &mut Transcript, width: u16, height: u16) -> String {
    draw_with(transcript, width, height, &theme())
}

fn draw_with(transcript: &mut Transcript, width: u16, height: u16, theme: &Theme) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    transcript.render(area, &mut buffer, theme);
    text(&buffer)
}
