//! Tests of the composer: keys in, text and cursor out.

use super::*;
use crate::keymap::{Action, Key};
use proptest::prelude::*;
use ratatui::buffer::Buffer as Cells;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Presses the keys of a text: `<ctrl-a>` is a key with a name, other characters are typed.
pub(super) fn press(composer: &mut Composer, keys: &str) -> ComposerEvent {
    let mut last = ComposerEvent::Ignored;
    let mut rest = keys;
    while let Some(letter) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|after| after.split_once('>'));
        let named = named.and_then(|(name, after)| Some((name.parse::<Key>().ok()?, after)));
        let (key, after) = match named {
            Some(found) => found,
            None => {
                let key = if letter == '\n' { "enter".to_owned() } else { letter.to_string() };
                (key.parse().unwrap(), &rest[letter.len_utf8()..])
            }
        };
        last = composer.handle(KeyEvent::new(key.code(), key.modifiers()));
        rest = after;
    }
    last
}

/// Returns the text with `|` at the cursor.
pub(super) fn shown(composer: &Composer) -> String {
    let (text, cursor) = (composer.editor.buffer.text(), composer.editor.buffer.cursor());
    let mut shown = String::new();
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if at == cursor {
            shown.push('|');
        }
        match grapheme::is_chip(letter) {
            true => shown.push_str(composer.editor.chips.label(letter)),
            false if at < text.len() => shown.push(letter),
            false => {}
        }
    }
    shown
}

fn draw(composer: &mut Composer, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut cells = Cells::empty(area);
    let at = composer.render(area, &mut cells, &ComposerStyles::default()).unwrap();
    let row = |y| {
        let symbols = (0..width).map(|x| match at.x == x && at.y == y {
            true => "█",
            false => cells[(x, y)].symbol(),
        });
        symbols.collect::<String>().trim_end().to_owned()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

/// Returns the screen with the composer at the bottom and its list above it. `█` is the cursor.
fn screen(composer: &mut Composer, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut cells = Cells::empty(area);
    let rows = composer.height(width, height / 2);
    let bottom = Rect { y: height - rows, height: rows, ..area };
    let at = composer.render(bottom, &mut cells, &ComposerStyles::default()).unwrap();
    if let Some(list) = composer.popup() {
        let place = crate::popup::place(list.height(), bottom, area);
        list.render(place, &mut cells, &crate::popup::ListStyles::default());
    }
    let row = |y| {
        let symbols = (0..width).map(|x| match at.x == x && at.y == y {
            true => "█",
            false => cells[(x, y)].symbol(),
        });
        symbols.collect::<String>().trim_end().to_owned()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_small_screen_shows_the_text_and_the_list() {
    let mut composer = Composer::default();
    let command = |name: &str, hint: &str, description: &str| SlashCommand {
        name: name.to_owned(),
        hint: hint.to_owned(),
        description: description.to_owned(),
    };
    composer.set_commands(vec![
        command("model", "[NAME]", "choose the model of this session"),
        command("mode", "", "choose the mode"),
        command("mouse", "on|off", "let the terminal select text"),
    ]);
    press(&mut composer, "/mo<down>");
    assert_eq!(
        screen(&mut composer, 40, 5),
        "\n  /mode          choose the mode\n> /model [NAME]  choose the model of thi\n  \
         /mouse on|off  let the terminal select\n› /mo█"
    );
    assert_eq!(
        screen(&mut composer, 80, 4),
        "  /mode          choose the mode\n> /model [NAME]  choose the model of this session\n  \
         /mouse on|off  let the terminal select text\n› /mo█"
    );
    composer.clear();
    press(&mut composer, "!cargo test --workspace -- --nocapture<ctrl-j>echo 漢字");
    assert_eq!(
        screen(&mut composer, 40, 6),
        "\n\n\n$ !cargo test --workspace --\n  --nocapture\n  echo 漢 字 █"
    );
    assert_eq!(
        screen(&mut composer, 80, 4),
        "\n\n$ !cargo test --workspace -- --nocapture\n  echo 漢 字 █"
    );
    // A low composer scrolls to the cursor.
    assert_eq!(screen(&mut composer, 40, 2), "\n  echo 漢 字 █");
    press(&mut composer, "<alt-<>");
    assert_eq!(screen(&mut composer, 40, 2), "\n$ █cargo test --workspace --");
}

#[test]
fn a_click_moves_the_cursor() {
    let mut composer = Composer::default();
    press(&mut composer, "The quick brown fox jumps over 漢字");
    let area = Rect::new(3, 5, 20, 3);
    let mut cells = Cells::empty(Rect::new(0, 0, 30, 10));
    composer.render(area, &mut cells, &ComposerStyles::default());
    for (x, y, expected) in [
        (5, 5, "|The quick brown fox jumps over 漢字"),
        (9, 5, "The |quick brown fox jumps over 漢字"),
        (22, 5, "The quick brown| fox jumps over 漢字"),
        (6, 7, "The quick brown fox jumps over |漢字"),
        (7, 7, "The quick brown fox jumps over 漢|字"),
        (20, 7, "The quick brown fox jumps over 漢字|"),
    ] {
        composer.click(area, ratatui::layout::Position::new(x, y));
        assert_eq!(shown(&composer), expected, "{x} {y}");
    }
}

#[test]
fn selected_text_is_marked() {
    let mut composer = Composer::default();
    composer.set_text("one two");
    composer.set_vim(true);
    press(&mut composer, "<esc>0wve");
    let area = Rect::new(0, 0, 20, 1);
    let mut cells = Cells::empty(area);
    composer.render(area, &mut cells, &ComposerStyles::default());
    let reversed = ratatui::style::Modifier::REVERSED;
    let marked = (0..20).filter(|x| cells[(*x, 0)].modifier.contains(reversed));
    assert_eq!(marked.collect::<Vec<_>>(), [6, 7, 8]);
}

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
fn rows_are_drawn() {
    let mut composer = Composer::default();
    composer.set_placeholder("Ask anything");
    assert_eq!(draw(&mut composer, 20, 2), "› █sk anything\n");
    press(&mut composer, "The quick brown fox jumps over 漢字");
    assert_eq!(composer.height(20, 10), 3);
    assert_eq!(draw(&mut composer, 20, 3), "› The quick brown\n  fox jumps over\n  漢 字 █");
    composer.paste(&"line\n".repeat(214));
    assert_eq!(
        draw(&mut composer, 40, 2),
        "› The quick brown fox jumps over\n  漢 字 [pasted 214 lines]█"
    );
}

/// A notice of what a composer sends.
fn sent(event: ComposerEvent) -> String {
    match event {
        ComposerEvent::Submit(submitted) if submitted.shell => format!("!{}", submitted.text()),
        ComposerEvent::Submit(submitted) => submitted.text(),
        event => format!("{event:?}"),
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
fn history_keeps_the_draft() {
    let mut composer = Composer::default();
    composer.height(40, 10);
    composer.add_history("first");
    composer.add_history("second\nline");
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
        composer.add_history(prompt);
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

fn names(composer: &mut Composer) -> Vec<String> {
    let items = composer.popup().map(|list| list.items().to_vec()).unwrap_or_default();
    items.into_iter().map(|item| item.name).collect()
}

#[test]
fn long_pastes_are_chips() {
    let mut composer = Composer::default();
    let log = "line\n".repeat(214);
    press(&mut composer, "see ");
    composer.paste(&log);
    press(&mut composer, " and fix");
    assert_eq!(shown(&composer), "see [pasted 214 lines] and fix|");
    assert_eq!(composer.text(), format!("see {log} and fix"));
    // It is one unit, which undo brings back.
    press(&mut composer, "<alt-b><left><left><backspace>x");
    press(&mut composer, "<alt-b><alt-b><backspace>");
    composer.clear();
    press(&mut composer, "<up>");
    assert!(!composer.is_empty());

    let mut composer = Composer::default();
    composer.paste(&log);
    press(&mut composer, "<backspace>");
    assert_eq!(composer.text(), "");
    press(&mut composer, "<ctrl-_>");
    assert_eq!(composer.text(), log);
    press(&mut composer, "<ctrl-w><ctrl-y><ctrl-y>");
    assert_eq!(shown(&composer), "[pasted 214 lines][pasted 214 lines]|");
    press(&mut composer, "<backspace><ctrl-x>");
    assert_eq!(shown(&composer), format!("{log}|"));
    assert_eq!(sent(press(&mut composer, "\n")), log);

    composer.paste("one\r\ntwo\tthree\u{1b}[31m\u{7}");
    assert_eq!(shown(&composer), "one\ntwo\tthree[31m|");
    composer.clear();
    composer.paste(&"x".repeat(1000));
    assert_eq!(composer.pieces(), [Piece::Text("x".repeat(1000))]);
    composer.clear();
    composer.paste(&"x".repeat(1001));
    assert_eq!(shown(&composer), "[pasted 1001 characters]|");
}

#[test]
fn images_are_chips_and_mentions() {
    let mut composer = Composer::default();
    press(&mut composer, "look at ");
    composer.paste("'/tmp/my shot.png'");
    assert_eq!(shown(&composer), "look at [image my shot.png]|");
    assert_eq!(composer.text(), "look at @\"/tmp/my shot.png\"");
    let image = Piece::Image("/tmp/my shot.png".into());
    assert_eq!(composer.pieces(), [Piece::Text("look at ".to_owned()), image]);
    composer.clear();
    composer.attach_image("/tmp/clip.png".into());
    assert_eq!(composer.text(), "@/tmp/clip.png");
}

#[test]
fn a_text_of_three_megabytes_does_not_stall() {
    let mut composer = Composer::default();
    let text = "word ".repeat(600_000);
    composer.paste(&text);
    assert_eq!(composer.height(40, 10), 1);
    // It is too long to be edited here.
    assert_eq!(press(&mut composer, "<ctrl-x>"), ComposerEvent::Ignored);
    press(&mut composer, "x<left><left>y");
    assert_eq!(composer.text(), format!("y{text}x"));
    composer.set_text(&text);
    assert_eq!(shown(&composer), "[pasted 3000000 characters]|");
    assert_eq!(sent(press(&mut composer, "\n")), text);
    press(&mut composer, "<up>");
    assert_eq!(composer.text(), text);
}

#[test]
fn a_chip_that_no_text_contains_is_forgotten() {
    let mut composer = Composer::default();
    for _ in 0..2000 {
        composer.paste(&"x".repeat(5000));
        press(&mut composer, "<backspace>");
    }
    composer.paste(&"x".repeat(5000));
    // The steps that can be undone hold some of them.
    assert!(format!("{:?}", composer.editor.chips).len() < 1200 * 6000);
}

#[test]
fn sessions_keep_their_drafts() {
    let mut composer = Composer::default();
    press(&mut composer, "one ");
    composer.paste(&"x\n".repeat(20));
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

#[test]
fn commands_are_offered() {
    let mut composer = Composer::default();
    let command = |name: &str, hint: &str| SlashCommand {
        name: name.to_owned(),
        description: format!("do {name}"),
        hint: hint.to_owned(),
    };
    composer.set_commands(vec![
        command("help", ""),
        command("model", "NAME"),
        command("mouse", ""),
    ]);
    press(&mut composer, "/");
    assert_eq!(names(&mut composer), ["/help", "/model", "/mouse"]);
    press(&mut composer, "mo<down>");
    assert_eq!(names(&mut composer), ["/model", "/mouse"]);
    press(&mut composer, "<tab>");
    assert_eq!(shown(&composer), "/mouse |");
    assert_eq!(names(&mut composer), [""; 0]);
    composer.clear();
    // A command without arguments is sent at once.
    assert_eq!(sent(press(&mut composer, "/he\n")), "/help ");
    press(&mut composer, "/mod\n");
    assert_eq!(shown(&composer), "/model |");
    composer.clear();
    assert_eq!(sent(press(&mut composer, "/help\n")), "/help");
    // Esc closes the list for this word.
    press(&mut composer, "/h<esc>e");
    assert_eq!(names(&mut composer), [""; 0]);
    assert_eq!(press(&mut composer, "<esc>"), ComposerEvent::Ignored);
    for keys in ["/zzz", "a /h", "/usr/bin", "!/h", "/help x"] {
        composer.clear();
        press(&mut composer, keys);
        assert_eq!(names(&mut composer), [""; 0], "{keys}");
    }
}

#[test]
fn files_are_offered() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.rs", "my file.txt", "@odd.rs"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    let notify = move || {
        // A full channel already has a notice.
        let _ = sender.try_send(());
    };
    let mut composer = Composer::default();
    composer.set_files(Some(FileFinder::start(folder.path(), Arc::new(notify)).unwrap()));
    for (typed, name, expected) in [
        ("see @ma", "main.rs", "see @main.rs |"),
        ("(@main<left><left>", "main.rs", "(@main.rs |in"),
        ("@myf", "my file.txt", "@\"my file.txt\" |"),
        ("@\"my fi", "my file.txt", "@\"my file.txt\" |"),
        ("@odd", "@odd.rs", "@\"@odd.rs\" |"),
    ] {
        composer.clear();
        press(&mut composer, typed);
        while !composer.poll() || names(&mut composer) != [name] {
            receiver.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
        }
        press(&mut composer, "<tab>");
        assert_eq!(shown(&composer), expected, "{typed}");
        assert!(composer.popup().is_none());
    }
    for keys in ["me@main", "@ main", "!cat @main"] {
        composer.clear();
        press(&mut composer, keys);
        assert!(composer.popup().is_none(), "{keys}");
    }
}

/// Keys with names, and characters of all kinds.
const KEYS: &[&str] = &[
    "a",
    "b",
    " ",
    "é",
    "漢",
    "👩",
    "\u{200d}",
    "\u{301}",
    "🇩",
    "\u{202e}",
    "!",
    "@",
    "/",
    "\"",
    "(",
    ")",
    "\\",
    "\n",
    "<tab>",
    "<esc>",
    "<alt-enter>",
    "<left>",
    "<right>",
    "<up>",
    "<down>",
    "<ctrl-a>",
    "<ctrl-e>",
    "<alt-b>",
    "<alt-f>",
    "<alt-<>",
    "<backspace>",
    "<delete>",
    "<ctrl-w>",
    "<ctrl-u>",
    "<ctrl-k>",
    "<alt-d>",
    "<ctrl-y>",
    "<alt-y>",
    "<ctrl-t>",
    "<ctrl-_>",
    "<alt-_>",
    "<ctrl-r>",
    "<ctrl-p>",
    "<ctrl-n>",
    "<ctrl-x>",
    "<alt-s>",
    "<pageup>",
    "d",
    "c",
    "y",
    "p",
    "P",
    "i",
    "w",
    "e",
    "$",
    "0",
    "^",
    "v",
    "V",
    "x",
    "r",
    ".",
    "u",
    "J",
    "~",
    ">",
    "<",
    "f",
    "t",
    ";",
    ",",
    "%",
    "G",
    "g",
    "j",
    "k",
    "h",
    "l",
    "o",
    "O",
    "A",
    "C",
    "D",
    "9",
    "2",
    "{",
    "}",
    "[",
    "s",
    "X",
    "U",
];

proptest! {
    #[test]
    fn no_key_breaks_the_composer(
        keys in prop::collection::vec((0..KEYS.len() + 3, 1..50u16), 0..80),
        vim in any::<bool>(),
    ) {
        let mut composer = Composer::default();
        composer.set_vim(vim);
        let command = SlashCommand { name: "ab".to_owned(), ..SlashCommand::default() };
        composer.set_commands(vec![command]);
        for (key, width) in keys {
            match KEYS.get(key) {
                Some(key) => drop(press(&mut composer, key)),
                None if key == KEYS.len() => composer.paste(&"漢\n".repeat(12)),
                None if key == KEYS.len() + 1 => composer.paste("/tmp/a.png"),
                None => composer.paste("b\u{301} \u{100000}\r\n\t👩\u{200d}"),
            }
            let (text, cursor) = (composer.editor.buffer.text(), composer.editor.buffer.cursor());
            prop_assert!(grapheme::is_boundary(text, cursor), "{text:?} {cursor}");
            let area = Rect::new(0, 0, width, width % 5 + 1);
            let mut cells = Cells::empty(area);
            let at = composer.render(area, &mut cells, &ComposerStyles::default());
            prop_assert!(at.is_some_and(|at| area.contains(at)));
            prop_assert!(composer.height(width, 7) <= 7);
            if width % 7 == 0 {
                composer.click(area, ratatui::layout::Position::new(width / 2, width % 5));
            }
        }
        while composer.act(Action::Undo) == ComposerEvent::Changed {}
        prop_assert_eq!(composer.text(), "");
    }
}
