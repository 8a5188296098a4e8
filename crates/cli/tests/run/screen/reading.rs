//! Reading, the queue and the mouse in the full screen.

use super::{RENAME, Screen};
use crate::project::{MAIN, Project};
use std::thread;
use std::time::Duration;

impl Screen {
    /// Clicks on the first line of the screen that contains `text`, in its sixth column.
    fn click(&mut self, text: &str) {
        let shown = self.text();
        let row = shown.lines().position(|line| line.contains(text));
        let row = row.unwrap_or_else(|| panic!("{text} is not visible:\n{shown}"));
        self.press(&format!("\x1b[<0;6;{}M", row + 1));
    }
}

#[test]
fn the_pager_searches_and_the_review_goes_through_the_changes() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (100, 30));
    screen.press(RENAME);
    screen.until("no, and say why");
    screen.answer("y");
    screen.until("is now");
    screen.press("\t{v");
    screen.until("pagedown scroll");
    screen.press("/fn sum");
    screen.until("match 1 of 1");
    screen.press("\r\x1b");
    screen.until_gone("match 1 of 1");
    screen.press("q");
    screen.until_gone("pagedown scroll");
    screen.press("d");
    let shown = screen.until("change 1 of 1");
    assert!(shown.contains("1 file +2 −2") || shown.contains("1 file +2 -2"), "{shown}");
    screen.press("s");
    screen.until_that("both versions side by side", |shown| {
        shown.lines().any(|line| line.contains("fn total() {}") && line.contains("fn sum() {}"))
    });
    screen.press("o");
    screen.until_gone("fn sum() {}");
    screen.press("t");
    screen.until("Changes of the session");
    screen.press("q");
    screen.until_gone("Changes of the session");
    screen.quits_with("\x11");
}

#[test]
fn a_key_resumes_a_paused_queue() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (100, 30));
    screen.press(RENAME);
    screen.until("no, and say why");
    screen.answer("\t");
    screen.press("help\r");
    screen.until("waiting for their turn");
    screen.press("\x1b");
    screen.until("queue paused, the turn before was cancelled: alt-u resumes it");
    screen.until("queue paused (alt-u resumes)");
    screen.press("\x1bq");
    screen.until("r resume");
    screen.press("r");
    screen.until("No prompt waits");
    screen.press("\x1b");
    screen.until("rename A to B");
    assert_eq!(project.main(), MAIN);
    screen.quits_with("\x11");
}

#[test]
fn clicks_choose_a_command_and_an_answer() {
    let project = Project::new();
    let mut screen = Screen::open(&project, &[], (100, 30));
    screen.press("/revi");
    screen.until("changes of the turn");
    screen.click("/review");
    screen.until_gone("/review  ");
    screen.press("\r");
    screen.until("no tool call of this session changed a file");
    screen.press(RENAME);
    screen.until("no, and say why");
    screen.click("yes");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(project.main(), MAIN, "the question was new");
    screen.click("yes");
    screen.until("is now");
    assert_eq!(project.main(), MAIN.replace("total", "sum"));
    screen.quits_with("\x11");
}
