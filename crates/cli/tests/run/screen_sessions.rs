//! Several sessions in the full screen: the picker, drafts and positions.

use crate::project::Project;
use crate::screen_agent::{open, quit};

#[test]
fn words_after_resume_filter_the_picker() {
    let project = Project::new();
    for prompt in ["paint the fence", "mow the lawn"] {
        let mut screen = open(&project, &["--", prompt], (100, 30));
        screen.until("asked <");
        quit(screen);
    }
    let mut screen = open(&project, &["--resume", "fence"], (100, 30));
    screen.until("› paint the fence");
    assert!(!screen.text().contains("mow the lawn"), "{}", screen.text());
    screen.quits_with("\x11");
    let mut screen = open(&project, &["--resume", "the"], (100, 30));
    let shown = screen.until("2 sessions");
    assert!(shown.contains("Search in texts (Enter): the"), "{shown}");
    screen.press("\x7f\x7f\x7fmow\r");
    screen.until_gone("2 sessions");
    screen.until("1 session");
    screen.press("\r");
    screen.until("› mow the lawn");
    screen.quits_with("\x11");
}

#[test]
fn sessions_are_renamed_tagged_archived_and_deleted_in_the_picker() {
    let project = Project::new();
    let mut screen = open(&project, &["--", "paint the fence"], (100, 30));
    screen.until("asked <paint");
    quit(screen);
    let mut screen = open(&project, &[], (100, 30));
    screen.press("/sessions\r");
    screen.until("> ");
    screen.until("paint the fence");
    // Ctrl-R renames.
    screen.press("\x12");
    screen.until("New title:");
    screen.press("\x15garden\r");
    screen.until_gone("New title");
    screen.until("garden");
    // Ctrl-T sets the tags.
    screen.press("\x14");
    screen.until("Tags:");
    screen.press("home summer\r");
    screen.until("garden #home #summer");
    // Ctrl-A archives, Ctrl-X shows what is archived.
    screen.press("\x01");
    screen.until("0 sessions");
    screen.press("\x18");
    screen.until("(archived)");
    screen.press("\x01");
    screen.until_gone("(archived)");
    // Ctrl-D deletes, after a question.
    screen.press("\x04");
    screen.until("Delete \"garden\" for good?");
    screen.press("n");
    screen.until_gone("for good?");
    screen.press("\x04");
    screen.until("for good?");
    screen.press("y");
    screen.until("0 sessions");
    screen.press("\x1b");
    screen.until_gone("0 sessions");
    screen.quits_with("\x11");
}

#[test]
fn each_session_keeps_its_draft_and_its_place() {
    let project = Project::new();
    let mut screen = open(&project, &["--", "many"], (80, 24));
    screen.until("that was all");
    screen.press("\x1b[5~\x1b[5~\x1b[5~");
    let before = screen.until_gone("that was all");
    let place = before.split("message ").nth(1).map(|rest| rest[..3].to_owned());
    screen.press("draft of one");
    screen.until("› draft of one");
    screen.press("\x1bN");
    screen.until("Write what to do");
    screen.press("draft of two");
    screen.until("› draft of two");
    screen.press("\x1bp");
    let shown = screen.until("› draft of one");
    assert!(!shown.contains("that was all"), "{shown}");
    let now = shown.split("message ").nth(1).map(|rest| rest[..3].to_owned());
    assert_eq!(now, place, "{before}\n{shown}");
    screen.press("\x1bn");
    screen.until("› draft of two");
    screen.quits_with("\x11");
}
