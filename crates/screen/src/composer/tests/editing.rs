//! Keys that edit and send the text.

use super::super::{Composer, ComposerEvent, Draft};
use super::{press, sent, shown};

#[test]
fn keys_edit_the_text() {
    for (keys, expected) in [
        ("hello", "hello|"),
        ("hello<left><left>XY", "helXY|lo"),
        ("one two<ctrl-a>", "|one two"),
        ("one two<alt-b>", "one |two"),
        ("one two<alt-b><alt-b><alt-f>", "one| two"),
        ("a-b c<alt-backspace><alt-backspace>", "a-|"),
        ("a-b c<ctrl-w><ctrl-w>", "|"),
        ("one two<ctrl-a><alt-d>", "| two"),
        ("one two<alt-b><ctrl-k>", "one |"),
        ("one two<alt-b><ctrl-u>", "|two"),
        ("one<alt-enter>two<ctrl-u><ctrl-u>", "one|"),
        ("one<ctrl-j>two<up><ctrl-a><ctrl-k>", "|\ntwo"),
        ("one<ctrl-j>two<up><ctrl-k>", "one|two"),
        ("one two<ctrl-w><ctrl-w><ctrl-y>", "one two|"),
        ("a b<ctrl-w><ctrl-a><ctrl-k><ctrl-y>", "a |"),
        ("one<ctrl-w>two<ctrl-w><ctrl-y><alt-y>", "one|"),
        ("one<ctrl-w>two<ctrl-w><ctrl-y><left><alt-y>", "tw|o"),
        ("ab<ctrl-t>", "ba|"),
        ("abc<left><left><ctrl-t>", "ba|c"),
        ("one\\\ntwo", "one\ntwo|"),
        ("漢字👩‍👩‍👧x<left><left><backspace>", "漢|👩‍👩‍👧x"),
        ("abc<left><delete>", "ab|"),
        ("one two<ctrl-_>", "one |"),
        ("one two<ctrl-_><ctrl-_>", "|"),
        ("one two<ctrl-_><ctrl-_><alt-_>", "one |"),
        ("one<ctrl-_>two<alt-_>", "two|"),
        ("?x", "x|"),
        ("x?", "x?|"),
        ("a<tab>b", "ab|"),
    ] {
        let mut composer = Composer::default();
        // The width of the rows is known after the first drawing.
        composer.height(40, 10);
        press(&mut composer, keys);
        assert_eq!(shown(&composer), expected, "{keys}");
    }
}

#[test]
fn enter_sends_the_prompt() {
    let mut composer = Composer::default();
    assert_eq!(sent(press(&mut composer, "one<ctrl-j>two\n")), "one\ntwo");
    assert!(composer.is_empty());
    assert_eq!(sent(press(&mut composer, "!ls -la\n")), "!ls -la");
    assert_eq!(sent(press(&mut composer, " !ls\n")), " !ls");
    assert_eq!(press(&mut composer, "  \n"), ComposerEvent::Ignored);
    composer.clear();
    assert_eq!(press(&mut composer, "\n"), ComposerEvent::Ignored);
    let now = press(&mut composer, "x<alt-s>");
    assert!(matches!(now, ComposerEvent::SendNow(_)));
    for key in ["<esc>", "<ctrl-c>", "<pageup>", "<f1>", "<ctrl-g>", "<tab>", "<ctrl-d>", "?"] {
        assert_eq!(press(&mut composer, key), ComposerEvent::Ignored, "{key}");
    }
}

#[test]
fn cleared_text_is_not_lost() {
    let mut composer = Composer::default();
    press(&mut composer, "a long thought");
    assert!(composer.clear());
    assert!(!composer.clear());
    assert_eq!(composer.text(), "");
    press(&mut composer, "<ctrl-_>");
    assert_eq!(composer.text(), "a long thought");
    composer.clear();
    press(&mut composer, "<up>");
    assert_eq!(composer.text(), "a long thought");
}

#[test]
fn sessions_keep_their_drafts() {
    let mut composer = Composer::default();
    press(&mut composer, "one ");
    composer.paste(&"x\n".repeat(20)).unwrap();
    let first = composer.swap(Draft::default());
    assert_eq!(shown(&composer), "|");
    press(&mut composer, "two");
    let second = composer.swap(first);
    assert_eq!(shown(&composer), "one [pasted 20 lines]|");
    press(&mut composer, "<ctrl-_>");
    assert_eq!(shown(&composer), "one |");
    composer.swap(second);
    assert_eq!(shown(&composer), "two|");
}
