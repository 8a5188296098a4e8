//! Tests of the keys.

use super::*;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use std::collections::BTreeMap;

fn event(key: &str) -> KeyEvent {
    let key: Key = key.parse().unwrap();
    KeyEvent::new(key.code(), key.modifiers())
}

fn errors(text: &str) -> Vec<String> {
    Keymap::read(text).1.iter().map(KeyFileError::to_string).collect()
}

#[test]
fn default_keys_do_what_the_table_says() {
    let keymap = Keymap::default();
    for (context, key, action) in [
        (Context::Composer, "enter", Some(Action::Submit)),
        (Context::Composer, "alt-enter", Some(Action::Newline)),
        (Context::Composer, "ctrl-j", Some(Action::Newline)),
        (Context::Composer, "?", Some(Action::Help)),
        (Context::Composer, "k", None),
        (Context::Composer, "pageup", Some(Action::PageUp)),
        (Context::Composer, "shift-tab", Some(Action::NextMode)),
        (Context::Conversation, "k", Some(Action::ScrollUp)),
        (Context::Conversation, "G", Some(Action::Bottom)),
        (Context::Conversation, "alt-q", Some(Action::Queue)),
        (Context::Question, "y", Some(Action::Allow)),
        (Context::Question, "esc", Some(Action::Cancel)),
        (Context::Picker, "y", None),
        (Context::Picker, "esc", Some(Action::Dismiss)),
        (Context::Pager, "q", Some(Action::Dismiss)),
    ] {
        assert_eq!(keymap.action(context, event(key)), action, "{context:?} {key}");
    }
    let release = KeyEvent { kind: KeyEventKind::Release, ..event("enter") };
    assert_eq!(keymap.action(Context::Composer, release), None);
}

#[test]
fn default_keys_are_valid_and_have_one_meaning() {
    let mut found = BTreeMap::new();
    for (context, action, keys) in DEFAULTS {
        assert!(!keys.is_empty(), "{context:?} {action:?}");
        for key in *keys {
            let read: Key = key.parse().unwrap();
            assert_eq!(read.to_string(), *key);
            let before = found.insert((*context, (*key).to_owned()), *action);
            assert_eq!(before, None, "{context:?}: {key} does {before:?} and {action:?}");
            let plain = context.takes_text() && read.character().is_some();
            assert!(!plain || *context == Context::Composer, "{context:?} {key}");
        }
    }
    for action in Action::ALL {
        assert!(DEFAULTS.iter().any(|(_, used, _)| used == action), "{action:?} has no key");
        assert_eq!(Action::named(action.name()), Some(*action));
        assert!(!action.description().ends_with('.'), "{action:?}");
    }
}

#[test]
fn every_action_has_a_key_that_all_terminals_send() {
    let plain = |key: &Key| match key.code() {
        KeyCode::Enter | KeyCode::Backspace | KeyCode::Tab => {
            (key.modifiers() - KeyModifiers::ALT).is_empty() || key.to_string() == "shift-tab"
        }
        KeyCode::Char(letter) if key.modifiers().contains(KeyModifiers::CONTROL) => {
            letter.is_ascii_lowercase() && !matches!(letter, 'i' | 'm') || letter == '_'
        }
        _ => true,
    };
    for (context, action, keys) in DEFAULTS {
        let mut keys = keys.iter().map(|key| key.parse::<Key>().unwrap());
        assert!(keys.any(|key| plain(&key)), "{context:?} {action:?}");
    }
}

#[test]
fn a_file_changes_keys() {
    let (keymap, errors) = Keymap::read(
        "[composer]\nsubmit = [\"ctrl-enter\", \"alt-s\"]\nnewline = \"enter\"\nsend_now = []\n",
    );
    assert_eq!(errors, []);
    let action = |key| keymap.action(Context::Composer, event(key));
    assert_eq!(action("enter"), Some(Action::Newline));
    assert_eq!(action("alt-enter"), None);
    assert_eq!(action("alt-s"), Some(Action::Submit));
    assert_eq!(keymap.keys(Context::Composer, Action::SendNow), []);
}

#[test]
fn two_actions_can_swap_their_keys() {
    let (keymap, errors) = Keymap::read("[popup]\nup = [\"down\"]\ndown = [\"up\"]\n");
    assert_eq!(errors, []);
    assert_eq!(keymap.action(Context::Popup, event("up")), Some(Action::Down));
    assert_eq!(keymap.action(Context::Popup, event("down")), Some(Action::Up));
}

#[test]
fn mistakes_name_line_and_column_and_keep_the_defaults() {
    let text = "\
[composer]
submit = [\"ctrl-enter\", \"hyper-x\"]
sumbit = [\"enter\"]
undo = 3
# é
[conversation]
top = ['x', 'x y']
stop_call = \"g\"
fold = \"z\"
help = \"z\"
paste_image = \"v\"
[kitchen]
[picker]
up = \"k\"
";
    assert_eq!(
        errors(text),
        [
            "line 2, column 25: `hyper-x` is not a key",
            "line 3, column 1: `sumbit` is not an action",
            "line 4, column 8: write the keys as undo = [\"KEY\", …]",
            "line 7, column 13: `x y` is not a key",
            "line 10, column 8: `z` is already a key of `fold`",
            "line 11, column 1: `paste_image` does nothing in `conversation`",
            "line 12, column 2: `kitchen` is not a context",
            "line 14, column 6: `k` is text here: add `ctrl-` or `alt-`",
        ]
    );
    let (keymap, _) = Keymap::read(text);
    assert_eq!(keymap.action(Context::Composer, event("enter")), Some(Action::Submit));
    assert_eq!(keymap.action(Context::Conversation, event("g")), Some(Action::StopCall));
    assert_eq!(keymap.action(Context::Conversation, event("home")), Some(Action::Top));
    assert_eq!(
        errors("[composer]\nundo = \"ctrl-k\"\n"),
        ["line 2, column 8: `ctrl-k` was the last key of `delete_to_line_end`, which has none now"]
    );
}

#[test]
fn a_file_that_is_no_toml_is_reported_and_its_other_lines_count() {
    let text = "[composer]\nsubmit = [\"alt-s\"\nundo = \"ctrl-z\"\n";
    assert!(!errors(text).is_empty());
    assert!(errors("composer = 3\n")[0].starts_with("line 1, column 1: write `[composer]`"));
    for text in ["[", "\"", "[composer", "= 3", "[composer]\n[composer]", "\u{0}", "é = 'é'"] {
        assert!(!errors(text).is_empty(), "{text:?}");
    }
    assert!(!errors(&"[composer]\n".repeat(200_000)).is_empty());
}

#[test]
fn the_default_file_lists_every_key() {
    let file = Keymap::default_file();
    assert_eq!(errors(&file), [""; 0]);
    // Without the comment marks, it sets every key to its default.
    let lines = file.lines().map(|line| match line.strip_prefix("# ") {
        Some(entry) if entry.contains(" = [\"") => entry,
        _ => line,
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let (keymap, errors) = Keymap::read(&text);
    assert_eq!(errors, []);
    assert!(keymap.rows.iter().all(|row| row.chosen));
    assert_eq!(keymap.actions, Keymap::default().actions);
    assert!(file.lines().all(|line| line.len() <= 100), "{file}");
    assert!(file.contains(
        "\n[composer]\n\n# Send the prompt, or put it in the queue while a turn runs.\n# submit = [\"enter\"]\n"
    ));
}

#[test]
fn the_help_shows_keys_that_work() {
    let keymap = Keymap::default();
    let help = keymap.help(Context::Pager);
    assert_eq!(help[0], ("up, k".to_owned(), "Scroll up"));
    let of = |keys: &str| help.iter().find(|(shown, _)| shown == keys).map(|(_, what)| *what);
    // The pager has its own meaning for esc, ctrl-c and pageup.
    assert_eq!(of("esc"), None);
    assert_eq!(of("ctrl-s, f2"), Some("List the sessions"));
    for context in Context::ALL {
        assert!(!keymap.help(context).is_empty());
    }
}
