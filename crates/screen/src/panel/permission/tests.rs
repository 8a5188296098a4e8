use super::*;
use crate::panel::pictures::{check, check_sizes, picture, press, theme, type_keys};
use attache_client::PermissionRequest;
use attache_protocol::v1::{Diff, PermissionOptionKind, ToolKind};
use attache_protocol::{Patch, Raw};
use attache_session::{PermissionId, ToolCallContent, ToolCallPatch};
use std::path::Path;
use std::thread::sleep;

fn panel(diffs: &[(&str, usize)], command: Option<&str>) -> PermissionPanel {
    let mut call = ToolCallPatch::new("c");
    call.title = Patch::Set("Change the numbers".to_owned());
    call.kind = Patch::Set(ToolKind::Edit);
    let diff = |(path, lines): &(&str, usize)| {
        let new: String = (1..=*lines).map(|line| format!("number {line}\n")).collect();
        ToolCallContent::Diff(Diff::new(*path, new))
    };
    call.content = Patch::Set(diffs.iter().map(diff).collect());
    if let Some(command) = command {
        call.kind = Patch::Set(ToolKind::Execute);
        let input = format!("{{\"command\":{command:?}}}");
        call.raw_input = Patch::Set(Raw::from_text(&input).unwrap());
    }
    let options = vec![
        PermissionOption::new("once", "Allow", PermissionOptionKind::AllowOnce),
        PermissionOption::new("no", "Reject", PermissionOptionKind::RejectOnce),
    ];
    let request = PermissionRequest::new(PermissionId(1), "s".into(), call, options);
    let view = PermissionView::new(&request, "agent", Path::new("/p"));
    let mut panel = PermissionPanel::new(Box::new(view), &request.options, "agent", theme());
    picture(&mut panel, (80, 18));
    panel
}

fn is_allowed(outcome: &Outcome) -> bool {
    let Outcome::CloseAnd(Request::Answer(answer)) = outcome else { return false };
    matches!(answer, PanelAnswer::Permission(Decision::Allow))
}

/// Draws, and waits until a key can no longer be one that is held down.
fn look(panel: &mut PermissionPanel) -> String {
    let shown = picture(panel, (80, 18));
    sleep(QUIET + QUIET / 6);
    shown
}

#[test]
fn questions_look_the_same() {
    let files = [("/p/src/numbers.rs", 40), ("/p/README.md", 3)];
    check_sizes("permission-diff", &mut panel(&files, None));
    check_sizes("permission-command", &mut panel(&[], Some("rm -rf things\necho done")));
    check("permission-diff-40x12", &picture(&mut panel(&files, None), (40, 12)));
    let mut asked = panel(&files, None);
    picture(&mut asked, (80, 24));
    press(&mut asked, KeyCode::Char('y'));
    check("permission-asked-again-80x24", &picture(&mut asked, (80, 24)));
}

#[test]
fn a_diff_that_is_visible_as_a_whole_is_allowed_at_once() {
    let mut panel = panel(&[("/p/a", 3)], None);
    assert!(is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn a_long_diff_is_allowed_by_a_second_key_that_is_not_held_down() {
    let mut panel = panel(&[("/p/a", 300)], None);
    assert!(look(&mut panel).contains("more lines"));
    assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))));
    let shown = picture(&mut panel, (80, 18));
    assert!(shown.contains("lines not seen: y again answers"), "{shown}");
    assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))), "the key is held down");
    look(&mut panel);
    assert!(is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn scrolling_and_another_answer_take_the_first_key_back() {
    let mut panel = panel(&[("/p/a", 300)], None);
    look(&mut panel);
    type_keys(&mut panel, "y");
    look(&mut panel);
    press(&mut panel, KeyCode::PageDown);
    look(&mut panel);
    assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))));
    assert!(look(&mut panel).contains("y again answers"));
    press(&mut panel, KeyCode::Down);
    look(&mut panel);
    assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn a_diff_that_was_read_to_its_end_is_allowed_by_one_key() {
    let mut panel = panel(&[("/p/a", 60)], None);
    for _ in 0..20 {
        press(&mut panel, KeyCode::PageDown);
        picture(&mut panel, (80, 18));
    }
    assert!(is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn no_changed_file_is_below_what_must_be_seen() {
    let paths: Vec<String> = (1..=30).map(|number| format!("/p/file-{number}")).collect();
    let files: Vec<(&str, usize)> = paths.iter().map(|path| (path.as_str(), 50)).collect();
    let mut panel = panel(&files, None);
    let mut shown = look(&mut panel);
    for _ in 0..12 {
        assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))));
        let next = look(&mut panel);
        let is_asked = next.contains("again answers");
        shown.push_str(&next);
        if is_asked {
            break;
        }
    }
    for number in 1..=30 {
        assert!(shown.contains(&format!("file-{number} (new)")), "file {number}:\n{shown}");
    }
    assert!(is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn a_long_command_is_seen_to_its_end_before_a_key_allows_it() {
    let command = format!("{}rm -rf things", "echo x\n".repeat(30));
    let mut panel = panel(&[], Some(&command));
    let mut shown = look(&mut panel);
    while !shown.contains("│   rm -rf things") {
        assert!(!is_allowed(&press(&mut panel, KeyCode::Char('y'))));
        shown = look(&mut panel);
        assert!(!shown.contains("again answers"), "the command must be seen:\n{shown}");
    }
    assert!(is_allowed(&press(&mut panel, KeyCode::Char('y'))));
}

#[test]
fn a_click_on_an_answer_gives_it_and_a_click_elsewhere_does_not() {
    let mut panel = panel(&[("/p/a", 3)], None);
    let shown = look(&mut panel);
    let frame = shown.lines().position(|line| line.starts_with('┌')).unwrap();
    let row = |text: &str| {
        let line = shown.lines().position(|line| line.contains(text)).unwrap();
        u16::try_from(line - frame - 1).unwrap()
    };
    assert!(matches!(panel.click(row("number 2")), Outcome::Stay));
    let refused = panel.click(row("n  no"));
    let is_refused = matches!(
        refused,
        Outcome::CloseAnd(Request::Answer(PanelAnswer::Permission(Decision::Reject)))
    );
    assert!(is_refused, "{refused:?}");
    assert!(is_allowed(&panel.click(row("y  yes"))));
    assert!(matches!(panel.click(200), Outcome::Stay));
}

#[test]
fn the_whole_question_opens_in_the_pager() {
    let mut panel = panel(&[("/p/a", 300)], Some("make numbers"));
    let Outcome::Do(Request::Read(row)) = press(&mut panel, KeyCode::Char('v')) else {
        panic!("nothing opens")
    };
    let mut pager = crate::panel::pager::PagerPanel::new(&row);
    assert!(picture(&mut pager, (80, 24)).contains("$ make numbers"));
    press(&mut pager, KeyCode::Char('G'));
    assert!(picture(&mut pager, (80, 24)).contains("number 300"));
}
