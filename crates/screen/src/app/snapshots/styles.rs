//! The same screen with other colours, with none, and without Unicode.

use super::stage::{Stage, compare};
use crate::theme::{ColorDepth, Glyphs, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::Style;

const SIZE: (u16, u16) = (60, 20);

/// Returns the styles of a buffer: a letter for each cell, and what each letter means.
fn styles(buffer: &Buffer) -> String {
    let mut known: Vec<Style> = Vec::new();
    let mut map = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        for x in buffer.area.left()..buffer.area.right() {
            let style = buffer[(x, y)].style();
            let at = known.iter().position(|it| *it == style).unwrap_or_else(|| {
                known.push(style);
                known.len() - 1
            });
            map.push(char::from_u32('a' as u32 + at as u32).unwrap());
        }
        map.push('\n');
    }
    let legend = ('a'..).zip(&known).map(|(letter, style)| format!("{letter} {}\n", named(style)));
    map + &legend.collect::<String>()
}

/// Returns the parts of a style that are set.
fn named(style: &Style) -> String {
    let colour = |name: &str, colour: Option<ratatui::style::Color>| {
        let colour = colour.filter(|colour| *colour != ratatui::style::Color::Reset);
        colour.map(|colour| format!("{name} {colour}"))
    };
    let modifiers = (!style.add_modifier.is_empty()).then(|| format!("{:?}", style.add_modifier));
    let parts = [colour("text", style.fg), colour("ground", style.bg), modifiers];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "plain".to_owned() } else { parts.join(", ") }
}

#[tokio::test]
async fn colours_of_each_theme() {
    let themes = [
        ("dark", Theme::dark(ColorDepth::Rgb, Glyphs::UNICODE)),
        ("light", Theme::light(ColorDepth::Rgb, Glyphs::UNICODE)),
        ("dark-16", Theme::dark(ColorDepth::Ansi16, Glyphs::UNICODE)),
        ("light-16", Theme::light(ColorDepth::Ansi16, Glyphs::UNICODE)),
        ("no-colour", Theme::dark(ColorDepth::None, Glyphs::UNICODE)),
    ];
    for (name, theme) in themes {
        let mut stage = Stage::open_with(SIZE, Some(theme)).await;
        stage.send("work", "שלום").await;
        stage.send("edit", "Allow").await;
        if name == "dark" {
            stage.compare("styled");
        }
        compare(&format!("styles-{name}"), &styles(&stage.draw()));
    }
}

#[tokio::test]
async fn a_screen_without_unicode() {
    let ascii = Theme::dark(ColorDepth::None, Glyphs::ASCII);
    let mut stage = Stage::open_with(SIZE, Some(ascii)).await;
    stage.send("work", "שלום").await;
    stage.compare("ascii");
    stage.send("edit", "Allow").await;
    stage.compare("ascii-question");
}
