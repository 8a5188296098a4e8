//! What holds for every text and every order of updates.

use crate::samples::{answer, code, item, line, paragraph, prompt, row, table};
use crate::{draw, theme};
use attache_screen::layout::{RowOptions, block_lines, row_lines};
use attache_screen::transcript::{Scroll, Transcript};
use attache_view::{Block, Line, Marker, Role, Row, RowContent, Span, Style};
use proptest::prelude::*;
use ratatui::buffer::CellWidth;
use std::sync::Arc;
use unicode_segmentation::UnicodeSegmentation;

fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z/.-]{1,12}",
        2 => " {1,4}",
        2 => "[日本語한글👍🏽👩‍🔬🇩🇪é\u{301}\u{200d}שלא]{1,6}",
        1 => proptest::char::any()
            .prop_filter("control", |c| !c.is_control())
            .prop_map(String::from),
    ];
    proptest::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

fn lines() -> impl Strategy<Value = Line> {
    let role = prop_oneof![Just(Role::Text), Just(Role::Code), Just(Role::Keyword)];
    let span = (texts(), role, any::<bool>()).prop_map(|(text, role, linked)| Span {
        text,
        style: Style { link: linked.then(|| "https://example.org/page".into()), ..Style::of(role) },
    });
    proptest::collection::vec(span, 0..4).prop_map(|spans| Line { spans })
}

fn blocks() -> impl Strategy<Value = Arc<Block>> {
    let leaf = prop_oneof![
        proptest::collection::vec(lines(), 0..4)
            .prop_map(|lines| Arc::new(Block::Paragraph { lines })),
        lines().prop_map(|line| Arc::new(Block::Heading { level: 3, line })),
        texts().prop_map(|text| code("rust", &text)),
        (texts(), texts(), texts()).prop_map(|(a, b, c)| {
            table(&[&[a.as_str(), "b", c.as_str()], &[b.as_str(), c.as_str(), a.as_str()]])
        }),
        texts().prop_map(|text| item(2, Marker::Number(17), &text)),
        Just(Arc::new(Block::Rule)),
        lines().prop_map(|line| Arc::new(Block::Attachment { line })),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        proptest::collection::vec(inner, 0..3).prop_map(|blocks| Arc::new(Block::Quote { blocks }))
    })
}

/// Returns the columns that a line takes, as the buffer of the terminal counts them.
fn columns(line: &ratatui::text::Line<'_>) -> usize {
    let spans = line.spans.iter();
    spans.flat_map(|span| span.content.graphemes(true)).map(|g| usize::from(g.cell_width())).sum()
}

fn rows(count: usize) -> Vec<Arc<Row>> {
    let row = |index: usize| match index % 3 {
        0 => prompt(index, &format!("prompt {index}")),
        _ => answer(
            index,
            vec![paragraph(&format!("answer {index} {}", "word ".repeat(index % 40)))],
        ),
    };
    (0..count).map(row).collect()
}

/// Returns the lines of a screen without the scroll bar, whose place is an estimate.
fn without_scroll_bar(screen: &str) -> Vec<&str> {
    screen.lines().map(|line| line.trim_end_matches('█').trim_end()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(192)
    })]

    #[test]
    fn no_line_is_wider_than_the_width(
        blocks in proptest::collection::vec(blocks(), 0..4), width in 2usize..70,
    ) {
        for drawn in block_lines(&blocks, width, &theme()) {
            prop_assert!(columns(&drawn.line) <= width, "{:?} > {width}", drawn.line.to_string());
        }
        let thought = row(0, RowContent::Thought { blocks });
        for folded in [true, false] {
            let options = RowOptions { folded, now: None };
            for drawn in row_lines(&thought, width, &theme(), options) {
                prop_assert!(columns(&drawn.line) <= width, "{:?}", drawn.line.to_string());
            }
        }
    }

    #[test]
    fn a_streamed_message_looks_like_the_whole_message(
        words in proptest::collection::vec(texts(), 1..12), width in 12u16..50,
    ) {
        let mut streamed = Transcript::new();
        let mut text = "word ".repeat(200);
        let (mut blocks, mut last) = (Vec::new(), Vec::new());
        for (index, word) in words.iter().enumerate() {
            text.push_str(word);
            last = blocks.clone();
            last.push(paragraph(&text));
            let changed = 0..usize::from(index > 0);
            streamed.update(&[answer(0, last.clone())], std::slice::from_ref(&changed));
            draw(&mut streamed, width, 12);
            if index % 5 == 4 {
                blocks = last.clone();
                text = "word ".repeat(200);
            }
        }
        let mut whole = Transcript::new();
        whole.update(&[answer(0, last)], &[]);
        for _ in 0..6 {
            let (one, two) = (draw(&mut streamed, width, 12), draw(&mut whole, width, 12));
            prop_assert_eq!(without_scroll_bar(&one), without_scroll_bar(&two));
            streamed.scroll(Scroll::PageUp);
            whole.scroll(Scroll::PageUp);
        }
    }

    #[test]
    fn changes_elsewhere_do_not_move_the_visible_lines(
        up in 12isize..60, changed in 0usize..20, added in 0usize..5, grow in 0usize..30,
    ) {
        let mut rows = rows(40);
        let mut transcript = Transcript::new();
        transcript.update(&rows, &[]);
        draw(&mut transcript, 40, 10);
        transcript.scroll(Scroll::Lines(-up));
        let before = draw(&mut transcript, 40, 10);
        prop_assume!(!transcript.follows());
        // A row above the visible ones, or the last one, grows; rows are added.
        let index = if changed < 10 { changed } else { 39 };
        rows[index] = answer(index, vec![paragraph(&"grown ".repeat(grow + 60))]);
        for _ in 0..added {
            rows.push(prompt(rows.len(), "a new prompt"));
        }
        transcript.update(&rows, std::slice::from_ref(&(index..index + 1)));
        let after = draw(&mut transcript, 40, 10);
        // The last line has the hint.
        let (before, after) = (without_scroll_bar(&before), without_scroll_bar(&after));
        prop_assert_eq!(&before[..9], &after[..9]);
    }

    #[test]
    fn scrolling_down_shows_the_lines_that_scrolling_up_showed(up in 1isize..200) {
        let mut transcript = Transcript::new();
        transcript.update(&rows(40), &[]);
        let end = draw(&mut transcript, 40, 10);
        transcript.scroll(Scroll::Lines(-up));
        draw(&mut transcript, 40, 10);
        transcript.scroll(Scroll::Lines(up));
        prop_assert_eq!(draw(&mut transcript, 40, 10), end);
        prop_assert!(transcript.follows());
    }

    #[test]
    fn every_size_draws_without_a_panic(width in 0u16..30, height in 0u16..8, up in 0isize..50) {
        let mut transcript = Transcript::new();
        transcript.update(&crate::samples::conversation(), &[]);
        draw(&mut transcript, 80, 24);
        transcript.scroll(Scroll::Lines(-up));
        transcript.search("the");
        draw(&mut transcript, width, height);
        draw(&mut transcript, height, width);
    }
}

#[test]
fn a_resize_keeps_the_text_at_the_top() {
    let words: String = (0..600).map(|n| format!("w{n} ")).collect();
    let mut transcript = Transcript::new();
    transcript
        .update(&[answer(0, vec![Arc::new(Block::Paragraph { lines: vec![line(&words)] })])], &[]);
    draw(&mut transcript, 80, 10);
    transcript.scroll(Scroll::Lines(-12));
    let first = |screen: &str| screen.split_whitespace().next().unwrap().to_owned();
    let before = first(&draw(&mut transcript, 80, 10));
    for width in [40, 31, 60, 80] {
        let screen = draw(&mut transcript, width, 10);
        let top = screen.lines().next().unwrap();
        assert!(
            top.split_whitespace().any(|word| word == before),
            "{width}: {before} not in {top}"
        );
    }
}
