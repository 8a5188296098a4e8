//! How the composer is drawn.

use super::super::{Composer, ComposerStyles, SlashCommand};
use super::{press, shown};
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::Rect;

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
fn rows_are_drawn() {
    let mut composer = Composer::default();
    composer.set_placeholder("Ask anything");
    assert_eq!(draw(&mut composer, 20, 2), "› █sk anything\n");
    press(&mut composer, "The quick brown fox jumps over 漢字");
    assert_eq!(composer.height(20, 10), 3);
    assert_eq!(draw(&mut composer, 20, 3), "› The quick brown\n  fox jumps over\n  漢 字 █");
    composer.paste(&"line\n".repeat(214)).unwrap();
    assert_eq!(
        draw(&mut composer, 40, 2),
        "› The quick brown fox jumps over\n  漢 字 [pasted 214 lines]█"
    );
}
