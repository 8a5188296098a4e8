//! The pictures of the screen in the documents, each taken from a run.
//!
//! A line `<!-- picture: NAME -->` stands before the block with the picture. `UPDATE_DOCS=1` writes
//! the block.

use crate::project::{MAIN, Project};
use crate::screen::Screen;
use regex::{Captures, Regex};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test run screen_pictures";

/// The documents with pictures.
const DOCUMENTS: [&str; 2] = ["README.md", "docs/screen.md"];

/// The folder in pictures, which is as long as the real one.
const FOLDER: &str = "/home/ann/tally";

const SIZE: (u16, u16) = (80, 24);

/// A project with a short path, and the home of its user.
struct Tally {
    folder: TempDir,
    home: Project,
}

impl Tally {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("tall").rand_bytes(6).tempdir_in("/tmp");
        let folder = folder.unwrap();
        for (name, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            ("README.md", "# Tally\n\nAdds up numbers.\n"),
            ("main.rs", MAIN),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { folder, home: Project::empty() }
    }

    fn open(&self) -> Screen {
        let mut command = self.home.attache(&[]);
        command
            .current_dir(self.folder.path())
            .env("ATTACHE_STORE", self.home.path().join("sessions.db"))
            .env("XDG_DATA_HOME", self.home.path().join(".data"));
        let mut screen = Screen::run(command, SIZE);
        until_all(&mut screen, &["costs nothing", "Offline · Ask · main"]);
        screen
    }

    /// Returns what the screen shows, without what differs from run to run.
    fn picture(&self, screen: &Screen) -> String {
        let shown = screen.text().replace(self.folder.path().to_str().unwrap(), FOLDER);
        let passing = Regex::new("… [0-9] s ").unwrap().replace_all(&shown, "… 1 s ");
        let took = Regex::new("(?m) · [0-9.]+ s( |$)").unwrap();
        let took =
            took.replace_all(&passing, |found: &Captures<'_>| " ".repeat(found[0].chars().count()));
        let lines = took.lines().map(str::trim_end).collect::<Vec<_>>();
        lines.join("\n").trim_start_matches('\n').to_owned() + "\n"
    }
}

/// Reads until the screen shows all of these texts. A frame is drawn from top to bottom, so the
/// last one is at the bottom of what changes.
fn until_all(screen: &mut Screen, texts: &[&str]) {
    screen.until_that(texts[0], |shown| texts.iter().all(|text| shown.contains(text)));
}

fn first_start() -> String {
    let tally = Tally::new();
    let screen = tally.open();
    let picture = tally.picture(&screen);
    screen.quits_with("\x04");
    picture
}

fn question() -> String {
    let tally = Tally::new();
    let mut screen = tally.open();
    screen.press("rename total to sum in main.rs\r");
    until_all(&mut screen, &["no, and say why", "─ asks for permission … "]);
    let picture = tally.picture(&screen);
    screen.quits_with("\x11");
    picture
}

fn answer() -> String {
    let tally = Tally::new();
    let mut screen = tally.open();
    screen.press("rename total to sum in main.rs\r");
    screen.until("no, and say why");
    screen.answer("y");
    until_all(&mut screen, &["`main.rs`: 2 places", &"─".repeat(80)]);
    let picture = tally.picture(&screen);
    screen.quits_with("\x11");
    picture
}

fn queue() -> String {
    let tally = Tally::new();
    let mut screen = tally.open();
    screen.press("run sleep 50\r");
    screen.until("running sleep 50");
    screen.press("where is total used\r");
    screen.press("summarize this project\r");
    until_all(&mut screen, &["2 summarize this project", "─ running sleep 50 … "]);
    let picture = tally.picture(&screen);
    screen.quits_with("\x11");
    picture
}

fn settings() -> String {
    let tally = Tally::new();
    let mut screen = tally.open();
    screen.press("\x1bo");
    screen.until("esc close");
    let picture = tally.picture(&screen);
    screen.press("\x1b");
    screen.until_gone("Settings");
    screen.quits_with("\x04");
    picture
}

type Picture = (&'static str, fn() -> String);

const PICTURES: [Picture; 5] = [
    ("first start", first_start),
    ("question", question),
    ("answer", answer),
    ("queue", queue),
    ("settings", settings),
];

/// Returns the document with these pictures in place of its own.
fn with_pictures(document: &str, pictures: &[(&str, String)]) -> String {
    let mut written = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        written.push_str(&format!("{line}\n"));
        let name = line.strip_prefix("<!-- picture: ").and_then(|rest| rest.strip_suffix(" -->"));
        let Some(name) = name else { continue };
        let (_, picture) = pictures
            .iter()
            .find(|(each, _)| *each == name)
            .unwrap_or_else(|| panic!("there is no picture {name:?}"));
        assert_eq!(lines.next(), Some("```text"), "the block of {name:?}");
        written.push_str(&format!("```text\n{picture}```\n"));
        assert!(lines.any(|line| line == "```"), "the block of {name:?} does not end");
    }
    written
}

fn path(document: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document)
}

#[test]
fn the_pictures_in_the_documents_are_taken_from_runs() {
    let pictures = PICTURES.map(|(name, take)| (name, take()));
    let mut all = String::new();
    for document in DOCUMENTS {
        let before = fs::read_to_string(path(document)).unwrap();
        let after = with_pictures(&before, &pictures);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(path(document), &after).unwrap();
        } else {
            assert_eq!(after, before, "{document} differs: {COMMAND}");
        }
        all.push_str(&after);
    }
    for (name, _) in pictures {
        assert!(all.contains(&format!("<!-- picture: {name} -->")), "no document shows {name:?}");
    }
}
