//! Styles of the layout.

use crate::samples::{answer, call, diff, line, tool};
use crate::{draw_with, theme};
use attache_screen::layout::{RowOptions, block_lines, duration, row_lines, text_lines};
use attache_screen::theme::{ColorDepth, Element, Glyphs, Theme};
use attache_screen::transcript::Transcript;
use attache_view::markdown::Markdown;
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

/// Returns the lines of Markdown without colours.
fn markdown(text: &str, depth: ColorDepth, columns: usize) -> Vec<String> {
    let mut markdown = Markdown::default();
    markdown.push(text);
    markdown.finish();
    let theme = Theme::dark(depth, Glyphs::ASCII);
    let lines = block_lines(&markdown.blocks(), columns, &theme);
    lines.iter().map(|line| line.line.to_string().trim_end().to_owned()).collect()
}

#[test]
fn inline_code_has_marks_where_colors_are_few() {
    let text = "# Use `make`\n\nRun `make **x**` or `cargo test`.\n\n- `a`\n\n| `b` | c |\n|---|---|\n\
                | d | `e` |\n\n```\nlet f = 1;\n```\n";
    for depth in [ColorDepth::None, ColorDepth::Ansi16] {
        let shown = markdown(text, depth, 60).join("\n");
        for part in ["# Use `make`", "Run `make **x**` or `cargo test`.", "* `a`", "`b`", "`e`"] {
            assert!(shown.contains(part), "{part}:\n{shown}");
        }
        assert!(shown.contains("| let f = 1;"), "code blocks have a bar:\n{shown}");
    }
    assert!(!markdown(text, ColorDepth::Rgb, 60).join("\n").contains('`'));
}

#[test]
fn a_growing_paragraph_with_marked_code_is_laid_out_like_the_whole() {
    let whole: String = (0..60).map(|word| format!("the word `code {word}` and more ")).collect();
    let theme = Theme::dark(ColorDepth::None, Glyphs::ASCII);
    let rows = |text: &str| {
        let mut markdown = Markdown::default();
        markdown.push(text);
        vec![answer(0, markdown.blocks())]
    };
    let mut growing = Transcript::new();
    for end in (1..=whole.len()).step_by(7).chain([whole.len()]) {
        let rows = rows(&whole[..end]);
        growing.update(&rows, std::slice::from_ref(&(0..1)));
        let mut fresh = Transcript::new();
        fresh.update(&rows, &[]);
        assert_eq!(
            draw_with(&mut growing, 40, 50, &theme),
            draw_with(&mut fresh, 40, 50, &theme),
            "at {end}"
        );
    }
}
