//! Tests of the lists beside the composer.

use super::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

/// Returns the paths in the order of their scores for this pattern.
fn ranked(typed: &str, paths: &[&'static str]) -> Vec<&'static str> {
    let (pattern, mut matcher) = (Pattern::new(typed), Matcher::default());
    let mut found: Vec<_> =
        paths.iter().filter_map(|path| Some((matcher.score(&pattern, path)?, *path))).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, path)| path).collect()
}

#[test]
fn better_matches_come_first() {
    for (typed, expected) in [
        ("main", &["src/main.rs", "src/domain.rs", "main/src/lib.rs"][..]),
        ("comp", &["src/composer.rs", "src/my_composer.rs", "crates/other/map.rs"]),
        ("sl", &["src/lib.rs", "src/tool.rs"]),
        ("ft", &["src/fooTest.rs", "src/footer.rs"]),
        ("FT", &["src/FooTest.rs"]),
        ("lib", &["lib.rs", "src/lib.rs", "src/deep/folder/lib.rs"]),
        ("src/li", &["src/lib.rs", "src/a/lines.rs"]),
        ("über", &["docs/Überblick.md"]),
    ] {
        let mut shuffled = expected.to_vec();
        shuffled.reverse();
        assert_eq!(ranked(typed, &shuffled), expected, "{typed}");
    }
    assert_eq!(ranked("xyz", &["src/main.rs"]), [""; 0]);
    assert_eq!(ranked("FT", &["src/footer.rs"]), [""; 0]);
}

#[test]
fn positions_are_those_of_the_best_match() {
    for (typed, path, expected) in [
        ("main", "domain/main.rs", &[7, 8, 9, 10][..]),
        ("cl", "src/cli/lines.rs", &[4, 8]),
        ("ü", "aü/ü.md", &[4]),
        ("", "a", &[]),
        ("z", "a", &[]),
    ] {
        let positions = Matcher::default().positions(&Pattern::new(typed), path);
        assert_eq!(positions, expected, "{typed} in {path}");
    }
}

fn draw(list: &mut ListPopup, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut cells = Buffer::empty(area);
    list.render(area, &mut cells, &ListStyles::default());
    let row = |y| (0..width).map(|x| cells[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn item(name: &str, hint: &str, detail: &str) -> ListItem {
    ListItem {
        name: name.to_owned(),
        hint: hint.to_owned(),
        detail: detail.to_owned(),
        ..ListItem::default()
    }
}

#[test]
fn a_list_is_drawn_in_few_columns() {
    let mut list = ListPopup::new(vec![
        item("/help", "", "show this list and the agent's own commands"),
        item("/switch", "[NUMBER|WORDS]", "list sessions, or continue one"),
        item("crates/screen/src/composer/drawing.rs", "", ""),
    ]);
    list.set_note("3 of 9 files");
    assert_eq!(list.height(), 4);
    list.move_by(1);
    assert_eq!(
        draw(&mut list, 40, 4),
        "  /help                       show this\n\
         > /switch [NUMBER|WORDS]      list sessi\n  \
         crates/screen/src/composer/drawing.rs\n  \
         3 of 9 files"
    );
    assert_eq!(draw(&mut list, 24, 3), "  /help\n> /switch [NUMBER|WORDS]\n  3 of 9 files");
    list.move_by(1);
    assert_eq!(draw(&mut list, 24, 2), "> ../composer/drawing.rs\n  3 of 9 files");
}

#[test]
fn the_selection_stays_visible() {
    let items = (0..30).map(|at| item(&at.to_string(), "", "")).collect();
    let mut list = ListPopup::new(items);
    assert_eq!(list.height(), MAX_ROWS);
    list.move_by(-1);
    assert_eq!(list.selected_index(), 29);
    assert_eq!(draw(&mut list, 10, 3), "  27\n  28\n> 29");
    list.move_by(1);
    assert_eq!(draw(&mut list, 10, 3), "> 0\n  1\n  2");
    list.move_by(9);
    list.move_by(-2);
    assert_eq!(draw(&mut list, 10, 3), "  5\n  6\n> 7");
    assert!(list.click(Rect::new(0, 5, 10, 3), 6));
    assert_eq!(list.selected_index(), 6);
    assert!(!list.click(Rect::new(0, 5, 10, 3), 8));
    list.set_items(vec![item("8", "", ""), item("9", "", "")]);
    assert_eq!(list.selected_index(), 0);
    for (width, height) in [(0, 0), (1, 1), (2, 3), (3, 1)] {
        draw(&mut list, width, height);
    }
}

#[test]
fn a_list_is_above_or_below_the_composer() {
    let screen = Rect::new(0, 0, 40, 12);
    let composer = |y, height| Rect::new(0, y, 40, height);
    assert_eq!(place(10, composer(10, 1), screen), Rect::new(0, 0, 40, 10));
    assert_eq!(place(3, composer(10, 1), screen), Rect::new(0, 7, 40, 3));
    assert_eq!(place(5, composer(1, 1), screen), Rect::new(0, 2, 40, 5));
    assert_eq!(place(10, composer(5, 4), screen), Rect::new(0, 0, 40, 5));
    assert_eq!(place(10, composer(0, 12), screen).height, 0);
}

/// Searches until the result is complete.
fn find(folder: &Path, query: &str) -> FoundFiles {
    let (sender, receiver) = mpsc::sync_channel(1);
    let notify = move || {
        // A full channel already has a notice.
        let _ = sender.try_send(());
    };
    let finder = FileFinder::start(folder, Arc::new(notify)).unwrap();
    finder.search(query);
    loop {
        receiver.recv_timeout(Duration::from_secs(60)).unwrap();
        let found = finder.found_since(0).unwrap();
        if !found.searching && found.query == query {
            assert_eq!(finder.found_since(found.report), None);
            return found;
        }
    }
}

#[test]
fn files_are_found_and_ignore_files_honoured() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    };
    for path in
        ["src/main.rs", "src/a b.rs", "target/main.o", ".git/main", ".github/main.yml", "x/y/z.md"]
    {
        write(path);
    }
    fs::write(folder.path().join(".gitignore"), "target\n").unwrap();
    let paths = |query: &str| {
        let found = find(folder.path(), query);
        assert_eq!(found.known, 5, "{found:?}");
        found.files.iter().map(|file| file.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(paths("main"), ["src/main.rs", ".github/main.yml"]);
    assert_eq!(paths("a b"), ["src/a b.rs"]);
    assert_eq!(paths("")[0], ".gitignore");
    assert_eq!(paths("").len(), 5);
}

#[test]
fn a_finder_ends_in_the_middle_of_its_work() {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..500 {
        fs::write(folder.path().join(format!("file{at}")), "").unwrap();
    }
    for _ in 0..10 {
        let finder = FileFinder::start(folder.path(), Arc::new(|| {})).unwrap();
        finder.search("f");
        finder.refresh();
        finder.search("file1");
        drop(finder);
    }
    let missing = folder.path().join("missing");
    let found = find(&missing, "x");
    assert_eq!((found.files, found.known), (Vec::new(), 0));
}

/// Returns all files that a finder finds.
fn found(folder: &Path) -> Vec<String> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let notify = move || {
        // A full channel already has a notice.
        let _ = sender.try_send(());
    };
    let finder = FileFinder::start(folder, Arc::new(notify)).unwrap();
    finder.search("");
    loop {
        receiver.recv_timeout(Duration::from_secs(60)).unwrap();
        if let Some(found) = finder.found_since(0).filter(|found| !found.searching) {
            let mut paths: Vec<String> =
                found.files.iter().map(|file| file.path.to_string()).collect();
            paths.sort();
            return paths;
        }
    }
}

#[test]
fn files_that_can_be_attached_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let file = |name: &str| fs::write(folder.path().join(name), "").unwrap();
    for name in ["sub", "ignored", ".git"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in ["a b", "a\nb", ".hidden", "sub/漢 'x'.md", "ignored/a", "log", ".git/config"] {
        file(name);
    }
    fs::write(folder.path().join(".gitignore"), "ignored/\n").unwrap();
    fs::write(folder.path().join(".ignore"), "log\n").unwrap();
    fs::write(outside.path().join("secret"), "").unwrap();
    let link = |to: &Path, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
    };
    link(Path::new("a b"), "link");
    link(Path::new("sub"), "link to folder");
    link(Path::new("."), "loop");
    link(Path::new("gone"), "broken");
    link(&outside.path().join("secret"), "link to outside");
    assert_eq!(
        found(folder.path()),
        [".gitignore", ".hidden", ".ignore", "a\nb", "a b", "link", "sub/漢 'x'.md"]
    );
}
