//! Pasted texts and images.

use super::super::{Composer, ComposerEvent, EditorText, ImageFile, Piece, from_stored, to_stored};
use super::{press, sent, shown};
use std::path::{Path, PathBuf};

#[test]
fn long_pastes_are_chips() {
    let mut composer = Composer::default();
    let log = "line\n".repeat(214);
    press(&mut composer, "see ");
    composer.paste(&log).unwrap();
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
    composer.paste(&log).unwrap();
    press(&mut composer, "<backspace>");
    assert_eq!(composer.text(), "");
    press(&mut composer, "<ctrl-_>");
    assert_eq!(composer.text(), log);
    press(&mut composer, "<ctrl-w><ctrl-y><ctrl-y>");
    assert_eq!(shown(&composer), "[pasted 214 lines][pasted 214 lines]|");
    press(&mut composer, "<backspace><ctrl-x>");
    assert_eq!(shown(&composer), format!("{log}|"));
    assert_eq!(sent(press(&mut composer, "\n")), log);

    composer.paste("one\r\ntwo\tthree\u{1b}[31m\u{7}").unwrap();
    assert_eq!(shown(&composer), "one\ntwo\tthree[31m|");
    composer.clear();
    composer.paste(&"x".repeat(1000)).unwrap();
    assert_eq!(composer.pieces(), [Piece::Text("x".repeat(1000))]);
    composer.clear();
    composer.paste(&"x".repeat(1001)).unwrap();
    assert_eq!(shown(&composer), "[pasted 1001 characters]|");
}

/// Writes a PNG file of 1,240 bytes.
fn write_image(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 1232]].concat()).unwrap();
    path
}

#[test]
fn images_are_chips() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_image(folder.path(), "my shot.png");
    let mut composer = Composer::default();
    press(&mut composer, "look at ");
    composer.paste(&format!("'{}'", path.display())).unwrap();
    assert_eq!(shown(&composer), "look at [image my shot.png, PNG, 1 kB]|");
    assert_eq!(composer.text(), format!("look at @\"{}\"", path.display()));
    let image = ImageFile::open(&path).unwrap();
    let pieces = [Piece::Text("look at ".to_owned()), Piece::Image(image.clone())];
    assert_eq!(composer.pieces(), pieces);
    composer.clear();
    composer.attach_image(image);
    assert_eq!(composer.text(), format!("@\"{}\"", path.display()));
    // Several files that are dropped at once.
    composer.clear();
    let url = format!("file://{}", path.display()).replace(' ', "%20");
    composer.paste(&format!("{url}\n{url}\n")).unwrap();
    assert_eq!(composer.pieces().len(), 2);
    // A path that cannot be attached is text, with a message.
    composer.clear();
    std::fs::write(&path, "text").unwrap();
    let why = composer.paste(&format!("'{}'", path.display())).unwrap_err();
    assert!(why.contains("my shot.png is not an image"), "{why}");
    assert_eq!(shown(&composer), format!("'{}'|", path.display()));
}

#[test]
fn a_prompt_keeps_its_meaning_when_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let image = ImageFile::open(write_image(folder.path(), "a.png")).unwrap();
    let mut composer = Composer::default();
    press(&mut composer, "see @main.rs ");
    composer.paste(&"@secret\n".repeat(20)).unwrap();
    composer.attach_image(image);
    let pieces = composer.pieces();
    // A draft, and a prompt of the history file.
    let mut restored = Composer::default();
    restored.set_pieces(&from_stored(&to_stored(&pieces)));
    assert_eq!(restored.pieces(), pieces);
    // An external editor.
    let written = EditorText::new(&pieces);
    assert!(!written.text().contains("@secret"), "{}", written.text());
    restored.set_pieces(&written.pieces(&format!("{} and more", written.text())));
    assert_eq!(restored.pieces()[..3], pieces);
    assert_eq!(restored.pieces()[3], Piece::Text(" and more".to_owned()));
    // The history of this run.
    restored.clear();
    press(&mut restored, "<up>");
    assert_eq!(restored.pieces()[..3], pieces);
    // A typed text that is too long to be edited still mentions files.
    let long = format!("@main.rs {}", "word ".repeat(60_000));
    restored.set_text(&long);
    assert_eq!(restored.pieces(), [Piece::Text(long)]);
}

#[test]
fn a_text_of_three_megabytes_does_not_stall() {
    let mut composer = Composer::default();
    let text = "word ".repeat(600_000);
    composer.paste(&text).unwrap();
    assert_eq!(composer.height(40, 10), 1);
    // It is too long to be edited here.
    assert_eq!(press(&mut composer, "<ctrl-x>"), ComposerEvent::Ignored);
    press(&mut composer, "x<left><left>y");
    assert_eq!(composer.text(), format!("y{text}x"));
    composer.set_text(&text);
    assert_eq!(shown(&composer), "[text of 3000000 characters]|");
    assert_eq!(sent(press(&mut composer, "\n")), text);
    press(&mut composer, "<up>");
    assert_eq!(composer.text(), text);
}

#[test]
fn a_chip_that_no_text_contains_is_forgotten() {
    let mut composer = Composer::default();
    for _ in 0..2000 {
        composer.paste(&"x".repeat(5000)).unwrap();
        press(&mut composer, "<backspace>");
    }
    composer.paste(&"x".repeat(5000)).unwrap();
    // The steps that can be undone hold some of them.
    assert!(format!("{:?}", composer.editor.chips).len() < 1200 * 6000);
}
