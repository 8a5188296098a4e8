//! Searching in a conversation.

use crate::samples::{answer, call, conversation, paragraph, terminal, tool};
use crate::{draw, theme};
use attache_screen::theme::Element;
use attache_screen::transcript::{SearchStatus, Transcript};
use attache_view::CallStatus;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

fn status(current: usize, total: usize) -> SearchStatus {
    SearchStatus { current, total }
}

fn long() -> Transcript {
    let text = |n: u32| {
        format!("answer {n} {}", if n.is_multiple_of(10) { "Needle needle" } else { "hay" })
    };
    let rows: Vec<_> = (0..60).map(|n| answer(n as usize, vec![paragraph(&text(n))])).collect();
    let mut transcript = Transcript::new();
    transcript.update(&rows, &[]);
    draw(&mut transcript, 40, 8);
    transcript
}

#[test]
fn matches_are_counted_and_shown_one_after_another() {
    let mut transcript = long();
    // Begins at the visible rows, and continues at the start.
    assert_eq!(transcript.search("needle"), status(1, 12));
    assert!(draw(&mut transcript, 40, 8).contains("answer 0 Needle"));
    assert_eq!(transcript.search_next(false), status(2, 12));
    assert_eq!(transcript.search_next(false), status(3, 12));
    assert!(draw(&mut transcript, 40, 8).contains("answer 10 Needle"));
    assert_eq!(transcript.search_next(true), status(2, 12));
    assert_eq!(transcript.search_next(true), status(1, 12));
    assert_eq!(transcript.search_next(true), status(12, 12));
    assert!(draw(&mut transcript, 40, 8).contains("answer 50 Needle"));
    assert_eq!(transcript.search("absent"), status(0, 0));
    assert_eq!(transcript.search(""), status(0, 0));
    assert!(!transcript.is_searching());
}

#[test]
fn upper_case_in_the_query_makes_it_exact() {
    let mut transcript = long();
    assert_eq!(transcript.search("Needle").total, 6);
    assert_eq!(transcript.search("(needle").total, 0);
}

#[test]
fn matches_are_highlighted_also_across_the_end_of_a_line() {
    let mut transcript = Transcript::new();
    transcript.update(&[answer(0, vec![paragraph("a long answer with some words")])], &[]);
    let area = Rect::new(0, 0, 16, 4);
    let mut buffer = Buffer::empty(area);
    transcript.render(area, &mut buffer, &theme());
    assert_eq!(transcript.search("answer with"), status(1, 1));
    transcript.render(area, &mut buffer, &theme());
    let style = theme().element(Element::CurrentMatch);
    let marked: String = area
        .positions()
        .filter(|place| buffer[*place].bg == style.bg.unwrap())
        .map(|place| buffer[place].symbol().to_owned())
        .collect();
    assert_eq!(marked, "answerwith");
}

#[test]
fn a_match_in_a_folded_row_unfolds_it() {
    let mut run = call(0, "execute", "Run", CallStatus::Completed);
    run.outputs = vec![terminal(200)];
    let mut transcript = Transcript::new();
    transcript.update(&[tool(0, run)], &[]);
    draw(&mut transcript, 60, 10);
    assert_eq!(transcript.search("number 17 "), status(1, 1));
    assert!(draw(&mut transcript, 60, 10).contains("test number 17 ..."));
}

#[test]
fn new_rows_are_searched_too() {
    let mut rows = conversation();
    let mut transcript = Transcript::new();
    transcript.update(&rows, &[]);
    draw(&mut transcript, 60, 10);
    let before = transcript.search("nested").total;
    rows.push(answer(11, vec![paragraph("nested nested")]));
    transcript.update(&rows, &[]);
    assert_eq!(transcript.search_status().total, before + 2);
    rows[11] = answer(11, vec![paragraph("nested")]);
    transcript.update(&rows, std::slice::from_ref(&(11..12)));
    assert_eq!(transcript.search_status().total, before + 1);
    transcript.update(&rows[..11], &[]);
    assert_eq!(transcript.search_status().total, before);
}
