//! Earlier prompts.

use super::super::{Composer, ComposerEvent, Piece};
use super::{names, press, shown};

#[test]
fn history_keeps_the_draft() {
    let mut composer = Composer::default();
    composer.height(40, 10);
    composer.add_history(vec![Piece::Text("first".to_owned())]);
    composer.add_history(vec![Piece::Text("second\nline".to_owned())]);
    press(&mut composer, "draft<up>");
    assert_eq!(shown(&composer), "second\nline|");
    press(&mut composer, "<up><up>");
    assert_eq!(shown(&composer), "first|");
    assert_eq!(press(&mut composer, "<up>"), ComposerEvent::Ignored);
    press(&mut composer, "<down><down>");
    assert_eq!(shown(&composer), "draft|");
    assert_eq!(press(&mut composer, "<down>"), ComposerEvent::Ignored);
    // A changed prompt is a draft of its own, and a prompt is in the history once.
    press(&mut composer, "<ctrl-p>!<ctrl-p>");
    assert_eq!(shown(&composer), "second\nline|");
    press(&mut composer, "<ctrl-n>");
    assert_eq!(shown(&composer), "second\nline!|");
    press(&mut composer, "<ctrl-u><ctrl-u><ctrl-u>first\n<ctrl-p><ctrl-p>");
    assert_eq!(shown(&composer), "second\nline|");
}

#[test]
fn history_is_searched_as_you_type() {
    let mut composer = Composer::default();
    for prompt in ["fix the tests", "add tests for parsing", "write docs"] {
        composer.add_history(vec![Piece::Text(prompt.to_owned())]);
    }
    press(&mut composer, "draft<ctrl-r>");
    assert_eq!(names(&mut composer), ["write docs", "add tests for parsing", "fix the tests"]);
    press(&mut composer, "test");
    assert_eq!(names(&mut composer), ["add tests for parsing", "fix the tests"]);
    press(&mut composer, "<ctrl-r>\n");
    assert_eq!(shown(&composer), "fix the tests|");
    press(&mut composer, "<ctrl-_>");
    assert_eq!(shown(&composer), "draft|");
    press(&mut composer, "<ctrl-r>zzz");
    assert_eq!(names(&mut composer), [""; 0]);
    assert_eq!(press(&mut composer, "\n"), ComposerEvent::Changed);
    press(&mut composer, "<ctrl-r>zzz<backspace><esc>");
    assert_eq!(shown(&composer), "draft|");
    press(&mut composer, "<ctrl-r>docs<left>!");
    assert_eq!(shown(&composer), "write doc!|s");
    assert_eq!(press(&mut composer, "<ctrl-r>fix<ctrl-c>"), ComposerEvent::Changed);
    assert_eq!(press(&mut composer, "<ctrl-r>fix<ctrl-s>"), ComposerEvent::Ignored);
    assert_eq!(shown(&composer), "write doc!|s");
}
