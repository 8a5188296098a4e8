//! Scrolling, jumping, folding, selecting and clicks.

use crate::draw;
use crate::samples::{answer, call, conversation, paragraph, prompt, terminal, tool};
use attache_screen::transcript::{Click, Jump, Scroll, Transcript};
use attache_view::{CallStatus, Row};
use std::sync::Arc;

fn rows(count: usize) -> Vec<Arc<Row>> {
    (0..count).map(|n| answer(n, vec![paragraph(&format!("answer {n}"))])).collect()
}

fn transcript(rows: &[Arc<Row>]) -> Transcript {
    let mut transcript = Transcript::new();
    transcript.update(rows, &[]);
    transcript
}

fn first_line(screen: &str) -> &str {
    screen.lines().next().unwrap().trim_end_matches('█').trim()
}

#[test]
fn it_follows_the_end_until_the_person_scrolls_up() {
    let mut rows = rows(20);
    let mut transcript = transcript(&rows);
    assert!(draw(&mut transcript, 30, 6).contains("answer 19"));
    rows.push(prompt(20, "one more"));
    transcript.update(&rows, &[]);
    assert!(draw(&mut transcript, 30, 6).contains("one more"));
    transcript.scroll(Scroll::Lines(-1));
    rows.push(prompt(21, "unseen"));
    rows.push(prompt(22, "unseen too"));
    transcript.update(&rows, &[]);
    let screen = draw(&mut transcript, 30, 6);
    assert!(!screen.contains("unseen"), "{screen}");
    assert!(screen.contains(" 2 new rows ↓"), "{screen}");
    assert_eq!(transcript.unseen(), 2);
    transcript.scroll(Scroll::End);
    let screen = draw(&mut transcript, 30, 6);
    assert!(screen.contains("unseen too") && !screen.contains("new rows"), "{screen}");
}

#[test]
fn a_last_row_that_grows_out_of_sight_is_announced() {
    let mut rows = rows(20);
    let mut transcript = transcript(&rows);
    draw(&mut transcript, 30, 6);
    transcript.scroll(Scroll::PageUp);
    rows[19] = answer(19, vec![paragraph("longer\nand longer")]);
    transcript.update(&rows, std::slice::from_ref(&(19..20)));
    assert!(draw(&mut transcript, 30, 6).contains("new text ↓"));
}

#[test]
fn pages_and_ends() {
    let mut transcript = transcript(&rows(50));
    draw(&mut transcript, 30, 10);
    transcript.scroll(Scroll::Start);
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "answer 0");
    transcript.scroll(Scroll::HalfPageDown);
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "");
    transcript.scroll(Scroll::Lines(1));
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "answer 3");
    transcript.scroll(Scroll::PageUp);
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "answer 0");
    transcript.scroll(Scroll::PageDown);
    transcript.scroll(Scroll::PageDown);
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "answer 9");
    transcript.scroll(Scroll::HalfPageUp);
    transcript.scroll(Scroll::Lines(-1));
    assert_eq!(first_line(&draw(&mut transcript, 30, 10)), "answer 6");
}

#[test]
fn jumps_go_between_messages_and_between_tool_calls() {
    let mut transcript = transcript(&conversation());
    draw(&mut transcript, 80, 12);
    transcript.scroll(Scroll::Start);
    draw(&mut transcript, 80, 12);
    assert!(transcript.jump(Jump::NextToolCall));
    assert_eq!(transcript.selected(), Some(2));
    draw(&mut transcript, 80, 12);
    assert!(transcript.jump(Jump::NextToolCall));
    assert_eq!(transcript.selected(), Some(4));
    assert!(first_line(&draw(&mut transcript, 80, 12)).starts_with("▌✓ edit"));
    assert!(transcript.jump(Jump::NextMessage));
    assert_eq!(transcript.selected(), Some(10));
    draw(&mut transcript, 80, 12);
    assert!(!transcript.jump(Jump::NextPrompt));
    assert!(transcript.jump(Jump::PreviousPrompt));
    assert_eq!(transcript.selected(), Some(0));
    draw(&mut transcript, 80, 12);
    assert!(!transcript.jump(Jump::PreviousRow));
    assert!(transcript.jump(Jump::NextRow));
    assert_eq!(transcript.selected(), Some(1));
}

#[test]
fn a_tool_call_folds_and_unfolds() {
    let mut run = call(0, "execute", "Run", CallStatus::Completed);
    run.outputs = vec![terminal(30)];
    let mut transcript = transcript(&[tool(0, run), prompt(1, "next")]);
    assert!(draw(&mut transcript, 60, 40).contains("▸ 24 earlier lines"));
    transcript.select(Some(0));
    transcript.toggle_fold();
    let screen = draw(&mut transcript, 60, 40);
    assert!(screen.contains("test number 1 ...") && !screen.contains("earlier"), "{screen}");
    transcript.toggle_fold();
    assert!(draw(&mut transcript, 60, 40).contains("▸ 24 earlier lines"));
    transcript.fold_all(false);
    assert!(draw(&mut transcript, 60, 40).contains("test number 1 ..."));
    transcript.fold_all(true);
    assert!(draw(&mut transcript, 60, 40).contains("▸ 24 earlier lines"));
}

#[test]
fn clicks_select_rows_fold_them_and_find_links() {
    let mut transcript = transcript(&conversation());
    draw(&mut transcript, 80, 20);
    let screen = draw(&mut transcript, 80, 20);
    let find = |screen: &str, text: &str| {
        let y = screen.lines().position(|line| line.contains(text)).unwrap();
        u16::try_from(y).unwrap()
    };
    let link = transcript.click(8, find(&screen, "See the rules"));
    assert_eq!(link, Click::Link("https://example.org/brackets".into()));
    assert_eq!(transcript.click(2, find(&screen, "See the rules")), Click::Row(10));
    assert_eq!(transcript.selected(), Some(10));
    transcript.scroll(Scroll::Start);
    let screen = draw(&mut transcript, 80, 20);
    let thought = find(&screen, "Thought");
    assert_eq!(transcript.click(4, thought), Click::Folded(1));
    assert!(draw(&mut transcript, 80, 20).contains("It must take the last one."));
    assert_eq!(transcript.click(200, 0), Click::Nothing);
}

#[test]
fn the_duration_of_a_running_call_grows() {
    let mut transcript = transcript(&[tool(0, call(0, "execute", "Run", CallStatus::Running))]);
    assert!(draw(&mut transcript, 60, 5).contains("Run · running"));
    assert!(transcript.is_running());
    transcript.set_now(4_500);
    assert!(draw(&mut transcript, 60, 5).contains("Run · 3.5 s"));
    let done = tool(0, call(0, "execute", "Run", CallStatus::Completed));
    transcript.update(&[done], std::slice::from_ref(&(0..1)));
    draw(&mut transcript, 60, 5);
    assert!(!transcript.is_running());
}

#[test]
fn the_selected_row_gives_its_text_its_code_and_its_command() {
    let mut transcript = transcript(&conversation());
    transcript.select(Some(10));
    let text = transcript.selected_text().unwrap();
    assert!(text.starts_with("## What changed\n\nThe parser now"), "{text}");
    assert!(text.contains("- [x] Tests\n- [ ] Documentation\n\n```rust\nfn parse() {\n"), "{text}");
    assert!(text.contains("| Input | Depth | Result |\n| --- | --- | --- |\n"), "{text}");
    let code = transcript.selected_code();
    assert_eq!(code.len(), 1);
    assert!(code[0].starts_with("fn parse() {\n"));
    assert_eq!(transcript.selected_command(), None);
    transcript.select(Some(5));
    assert_eq!(transcript.selected_command().unwrap(), "cargo test -p parser");
    transcript.select(Some(6));
    assert_eq!(transcript.selected_command().unwrap(), "git push origin fix/parser");
    transcript.select(Some(99));
    assert_eq!(transcript.selected_text(), None);
}

#[test]
fn rows_that_disappear_leave_a_valid_place() {
    let rows = rows(30);
    let mut transcript = transcript(&rows);
    draw(&mut transcript, 30, 6);
    transcript.scroll(Scroll::Lines(-3));
    transcript.select(Some(28));
    transcript.update(&rows[..4], &[]);
    assert!(draw(&mut transcript, 30, 6).contains("answer 3"));
    assert_eq!(transcript.selected(), None);
    transcript.update(&[], &[]);
    assert_eq!(draw(&mut transcript, 30, 3), "\n\n\n");
}

#[test]
fn a_jump_from_the_middle_of_a_long_row_does_not_go_back_to_its_start() {
    let long = |id| answer(id, vec![paragraph(&"one line\n".repeat(40))]);
    let mut transcript = transcript(&[long(0), long(1), long(2)]);
    draw(&mut transcript, 40, 10);
    transcript.scroll(Scroll::Start);
    transcript.scroll(Scroll::Lines(20));
    draw(&mut transcript, 40, 10);
    assert!(transcript.jump(Jump::NextMessage));
    assert_eq!(transcript.selected(), Some(1));
    transcript.scroll(Scroll::Lines(20));
    transcript.select(None);
    assert!(transcript.jump(Jump::PreviousMessage));
    assert_eq!(transcript.selected(), Some(1));
}

#[test]
fn a_jump_back_from_the_end_finds_the_last_row_even_if_all_rows_are_visible() {
    let mut transcript = transcript(&rows(3));
    draw(&mut transcript, 40, 60);
    assert!(transcript.jump(Jump::PreviousRow));
    assert_eq!(transcript.selected(), Some(2));
}
