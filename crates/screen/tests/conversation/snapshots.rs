//! Whole conversations at several sizes.

use crate::samples::conversation;
use crate::{draw, draw_with, theme};
use attache_screen::layout::{RowOptions, row_lines};
use attache_screen::theme::{ColorDepth, Glyphs, Theme};
use attache_screen::transcript::{Jump, Scroll, Transcript};

fn check(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../screens");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("rows-{name}"), shown));
}

fn transcript() -> Transcript {
    let mut transcript = Transcript::new();
    transcript.update(&conversation(), &[]);
    transcript
}

/// Returns the lines of all rows, as a program without a screen prints them.
fn printed(width: usize, theme: &Theme, folded: Option<bool>) -> String {
    let mut printed = String::new();
    for row in conversation() {
        let initial = RowOptions::initial(&row);
        let options = RowOptions { folded: folded.unwrap_or(initial.folded), ..initial };
        for line in row_lines(&row, width, theme, options) {
            printed.push_str(line.line.to_string().trim_end());
            printed.push('\n');
        }
        printed.push('\n');
    }
    printed
}

#[test]
fn rows_print_at_several_widths() {
    for width in [40, 80, 160] {
        check(&format!("printed-{width}"), &printed(width, &theme(), None));
    }
    check("printed-unfolded-80", &printed(80, &theme(), Some(false)));
    check("printed-folded-80", &printed(80, &theme(), Some(true)));
}

#[test]
fn rows_print_without_unicode() {
    let ascii = Theme::dark(ColorDepth::None, Glyphs::ASCII);
    let printed = printed(60, &ascii, None);
    let ours = printed.lines().filter(|line| !line.contains("emoji") && !line.contains('語'));
    let mut ours = ours.filter(|line| !line.contains("עולם"));
    assert_eq!(ours.find(|line| !line.is_ascii()), None);
    check("printed-ascii-60", &printed);
}

#[test]
fn the_screen_shows_the_end_at_several_sizes() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let shown = draw(&mut transcript(), width, height);
        check(&format!("end-{width}x{height}"), &shown);
    }
}

#[test]
fn the_screen_shows_the_start_at_several_sizes() {
    for (width, height) in [(40, 12), (80, 24), (120, 40)] {
        let mut transcript = transcript();
        draw(&mut transcript, width, height);
        transcript.scroll(Scroll::Start);
        transcript.jump(Jump::NextToolCall);
        transcript.scroll(Scroll::Start);
        transcript.search("bracket");
        check(&format!("start-{width}x{height}"), &draw(&mut transcript, width, height));
    }
}

#[test]
fn a_tiny_screen_and_none_at_all_draw() {
    for (width, height) in [(10, 3), (3, 2), (1, 1), (0, 0)] {
        draw_with(&mut transcript(), width, height, &theme());
    }
}
