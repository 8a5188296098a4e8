use super::*;
use crate::panel::pictures::{check, check_sizes, picture, picture_with, press, type_keys};
use crate::theme::{ColorDepth, Glyphs};
use attache_view::{FileChange, FileDiff, Line};
use ratatui::crossterm::event::KeyCode;
use std::path::Path;
use std::sync::Arc;

/// The changes of a turn and of the session.
struct Samples(Vec<DiffRow>);

impl ChangeSource for Samples {
    fn scopes(&self) -> &[&'static str] {
        &["this turn", "the session"]
    }

    fn changes(&self, scope: usize) -> DiffRow {
        self.0[scope].clone()
    }
}

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("let line_{number} = {number};\n")).collect()
}

fn file(path: &str, old: Option<&str>, new: Option<&str>) -> Arc<FileDiff> {
    Arc::new(FileDiff::compare(path, old, new, Path::new("/p")))
}

fn turn() -> DiffRow {
    let old = numbered(60);
    let new = old
        .replace("line_3 = 3", "line_3 = three()")
        .replace("let line_30 = 30;\n", "let thirty = 30;\nlet more = 31;\n")
        .replace("let line_55 = 55;\n", "");
    let renamed = FileDiff {
        path: Line::of("docs/logo.png", Role::Path),
        from: Some(Line::of("logo.png", Role::Path)),
        change: FileChange::Renamed,
        added: 0,
        removed: 0,
        hunks: Vec::new(),
        note: Some(Line::of("binary file", Role::Muted)),
    };
    let files = vec![
        file("/p/src/numbers.rs", Some(&old), Some(&new)),
        Arc::new(renamed),
        file("/p/README.md", None, Some("# Numbers\n\nCounts.\n")),
        file("/p/old.txt", Some("gone\n"), None),
    ];
    DiffRow { files }
}

fn review() -> ReviewPanel {
    let session = DiffRow { files: vec![file("/p/only.txt", Some("a\n"), Some("b\n"))] };
    let mut panel = ReviewPanel::of(Box::new(Samples(vec![turn(), session]))).unwrap();
    picture(&mut panel, (80, 24));
    panel
}

fn address(file: usize, hunk: Option<usize>) -> Option<HunkAddress> {
    Some(HunkAddress { file, hunk })
}

#[test]
fn a_review_looks_the_same() {
    let mut panel = review();
    check_sizes("review", &mut panel);
    check("review-side-by-side-160x30", &picture(&mut panel, (160, 30)));
    type_keys(&mut panel, "nn");
    check("review-third-change-80x24", &picture(&mut panel, (80, 24)));
}

#[test]
fn keys_go_from_one_change_to_the_next_and_from_file_to_file() {
    let mut panel = review();
    let mut seen = vec![panel.selected()];
    for _ in 0..7 {
        press(&mut panel, KeyCode::Char('n'));
        let shown = picture(&mut panel, (80, 24));
        assert!(shown.contains('▌'), "the selected change is visible:\n{shown}");
        seen.push(panel.selected());
    }
    let stops = [(0, Some(0)), (0, Some(1)), (0, Some(2)), (1, None), (2, Some(0)), (3, Some(0))];
    let expected: Vec<_> = stops.into_iter().map(|(file, hunk)| address(file, hunk)).collect();
    assert_eq!(seen[..6], expected);
    assert_eq!(seen[7], expected[5], "the last change is the end");
    press(&mut panel, KeyCode::Char('p'));
    assert_eq!(panel.selected(), address(2, Some(0)));
    press(&mut panel, KeyCode::BackTab);
    press(&mut panel, KeyCode::Char('{'));
    press(&mut panel, KeyCode::Char('{'));
    assert_eq!(panel.selected(), address(0, Some(0)));
    press(&mut panel, KeyCode::Tab);
    assert_eq!(panel.selected(), address(1, None));
}

#[test]
fn a_folded_file_shows_one_line_and_stays_selected() {
    let mut panel = review();
    type_keys(&mut panel, "no");
    let shown = picture(&mut panel, (80, 24));
    assert!(!shown.contains("thirty") && shown.contains("▸ src/numbers.rs +3 −3"), "{shown}");
    assert_eq!(panel.selected(), address(0, None));
    type_keys(&mut panel, "o");
    assert!(picture(&mut panel, (80, 24)).contains("line_3 = three()"));
    assert_eq!(panel.selected(), address(0, Some(0)));
}

#[test]
fn versions_are_side_by_side_by_width_and_by_key() {
    let mut panel = review();
    let sides = |panel: &mut ReviewPanel, width| {
        let shown = picture(panel, (width, 30));
        shown.lines().any(|line| line.contains("line_3 = 3") && line.contains("three()"))
    };
    assert!(!sides(&mut panel, 100) && sides(&mut panel, 160));
    type_keys(&mut panel, "s");
    assert!(!sides(&mut panel, 160));
    type_keys(&mut panel, "s");
    assert!(sides(&mut panel, 100));
}

#[test]
fn a_change_is_copied_in_the_unified_format() {
    let mut panel = review();
    type_keys(&mut panel, "n");
    let Outcome::Do(Request::Copy(text)) = press(&mut panel, KeyCode::Char('y')) else {
        panic!("nothing is copied")
    };
    assert!(text.starts_with("@@ -27,7 +27,8 @@\n let line_27 = 27;\n"), "{text}");
    assert!(text.contains("\n-let line_30 = 30;\n+let thirty = 30;\n+let more = 31;\n"), "{text}");
}

#[test]
fn a_key_shows_the_changes_of_the_whole_session() {
    let mut panel = review();
    type_keys(&mut panel, "t");
    let shown = picture(&mut panel, (80, 24));
    assert!(shown.contains("Changes of the session") && shown.contains("only.txt +1 −1"));
    assert_eq!(panel.selected(), address(0, Some(0)));
}

#[test]
fn a_turn_without_changes_opens_those_of_the_session() {
    let one = DiffRow { files: vec![file("/p/only.txt", Some("a\n"), Some("b\n"))] };
    let source = Samples(vec![DiffRow::default(), one]);
    let panel = ReviewPanel::of(Box::new(source)).unwrap();
    assert_eq!(panel.title(), "Changes of the session");
    let none = Samples(vec![DiffRow::default(), DiffRow::default()]);
    assert!(ReviewPanel::of(Box::new(none)).is_none());
}

#[test]
fn scrolling_selects_what_is_visible_and_a_click_selects_a_change() {
    let mut panel = review();
    for _ in 0..3 {
        press(&mut panel, KeyCode::PageDown);
        picture(&mut panel, (80, 24));
    }
    assert!(panel.selected() > address(0, Some(0)));
    press(&mut panel, KeyCode::Char('g'));
    let shown = picture(&mut panel, (80, 24));
    let line = shown.lines().position(|line| line.contains("thirty")).unwrap();
    panel.click(line as u16 - 1);
    assert_eq!(panel.selected(), address(0, Some(1)));
    let header = shown.lines().position(|line| line.contains("▾ src/numbers.rs")).unwrap();
    panel.click(header as u16 - 1);
    assert!(picture(&mut panel, (80, 24)).contains("▸ src/numbers.rs"));
}

#[test]
fn a_long_change_is_drawn_at_every_place_of_it() {
    let new = numbered(5_000);
    let row = DiffRow { files: vec![file("/p/long.rs", None, Some(&new))] };
    let source = Samples(vec![row.clone(), row]);
    let mut panel = ReviewPanel::of(Box::new(source)).unwrap();
    picture(&mut panel, (80, 24));
    press(&mut panel, KeyCode::Char('G'));
    assert!(picture(&mut panel, (80, 24)).contains("line_5000"));
    press(&mut panel, KeyCode::Char('g'));
    let mut seen = 0;
    for _ in 0..400 {
        let shown = picture(&mut panel, (80, 24));
        let last = format!("line_{} ", seen + 1);
        assert!(seen == 5_000 || shown.contains(&last), "{last} is skipped:\n{shown}");
        let numbers =
            shown.lines().filter_map(|line| line.split("line_").nth(1)?.split(' ').next());
        seen = numbers.filter_map(|number| number.parse().ok()).max().unwrap_or(seen);
        press(&mut panel, KeyCode::PageDown);
    }
    assert_eq!(seen, 5_000);
}

#[test]
fn changes_and_the_selection_have_marks_without_colors_and_unicode() {
    let plain = Theme::dark(ColorDepth::None, Glyphs::ASCII);
    let mut panel = ReviewPanel::of(Box::new(Samples(vec![turn(), turn()]))).unwrap();
    let shown = picture_with(&mut panel, (80, 24), &plain);
    check("review-ascii-80x24", &shown);
    assert!(shown.is_ascii(), "{shown}");
}
