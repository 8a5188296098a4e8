//! Styles of the layout.

use crate::samples::{call, diff, tool};
use crate::theme;
use attache_screen::layout::{RowOptions, duration, row_lines};
use attache_screen::theme::Element;
use attache_view::{CallStatus, Role};

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
