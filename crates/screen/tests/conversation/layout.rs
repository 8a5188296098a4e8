//! Styles of the layout.

use crate::samples::{call, diff, line, tool};
use crate::theme;
use attache_screen::layout::{RowOptions, duration, row_lines, text_lines};
use attache_screen::theme::{ColorDepth, Element, Glyphs, Theme};
use attache_view::{CallStatus, Line, Role, Span};

#[test]
fn words_that_differ_are_marked_in_a_diff() {
    let mut edit = call(0, "edit", "Edit", CallStatus::Completed);
    edit.outputs = vec![diff()];
    let row = tool(0, edit);
    for width in [80, 160] {
        let lines = row_lines(&row, width, &theme(), RowOptions::initial(&row));
        let spans = lines.iter().flat_map(|line| &line.line.spans);
        let find = |text: &str| spans.clone().find(|span| span.content == text).unwrap().style;
        let added = theme().element(Element::AddedWords);
        let removed = theme().element(Element::RemovedWords);
        assert_eq!(find("rfind").bg, added.bg);
        assert_eq!(find("find").bg, removed.bg);
        assert_eq!(find("+ ").fg, theme().role(Role::Added).fg);
        assert_eq!(find("- ").fg, theme().role(Role::Removed).fg);
    }
}

#[test]
fn durations_are_short() {
    assert_eq!(duration(2_345), "2.3 s");
    assert_eq!(duration(42_900), "42 s");
    assert_eq!(duration(200_000), "3 min 20 s");
    assert_eq!(duration(3_900_000), "1 h 5 min");
    assert_eq!(duration(-5), "0.0 s");
}

#[test]
fn lines_print_with_escape_sequences() {
    let mut mixed = line("plain ");
    mixed.spans.push(Span::new("worse", Role::Error));
    let rgb = text_lines(std::slice::from_ref(&mixed), 20, &theme());
    assert_eq!(rgb[0].ansi(), "plain \u{1b}[1;38;2;255;123;114mworse\u{1b}[0m");
    let few = Theme::dark(ColorDepth::Ansi16, Glyphs::ASCII);
    let few = text_lines(std::slice::from_ref(&mixed), 20, &few);
    assert_eq!(few[0].ansi(), "plain \u{1b}[1;91mworse\u{1b}[0m");
    let none = Theme::dark(ColorDepth::None, Glyphs::ASCII);
    let none = text_lines(&[mixed, Line::default()], 20, &none);
    assert_eq!(none[0].ansi(), "plain \u{1b}[1mworse\u{1b}[0m");
    assert_eq!(none[1].ansi(), "");
}
