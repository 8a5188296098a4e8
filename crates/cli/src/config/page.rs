//! The page of `attache config`, laid out for the width of the terminal.

use crate::show::paint::{BOLD, DIM, Paint};
use crate::show::width::{width, wrap};

/// The minimum width of values, in columns.
const LEAST: usize = 12;

/// The minimum width of names, so that all parts of the page align.
const NAMES: usize = 18;

/// A page that consists of parts. Each row of a part has a name, a value and a note.
pub(super) struct Page {
    pub(super) lines: Vec<String>,
    paint: Paint,
    /// The width of the terminal; `None` if no line is broken.
    columns: Option<usize>,
}

impl Page {
    pub(super) fn new(paint: Paint, columns: Option<usize>) -> Self {
        Self { lines: Vec::new(), paint, columns }
    }

    /// Starts a part.
    pub(super) fn part(&mut self, name: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(self.paint.paint(BOLD, name));
    }

    /// Adds aligned rows. A long value continues on further lines, with its note after or below it;
    /// nothing is cut.
    pub(super) fn rows(&mut self, rows: &[(String, String, String)]) {
        let names = rows.iter().map(|(name, ..)| width(name) + 2).max().unwrap_or(0).max(NAMES);
        let room = self.room(2 + names);
        let fits = |value: &str, note: &str| width(value) + 2 + width(note) <= room;
        let fitting = || rows.iter().filter(|(_, value, note)| fits(value, note));
        let note = fitting().map(|(.., note)| width(note)).max().unwrap_or(0);
        let value = fitting().map(|(_, value, _)| width(value)).max().unwrap_or(0);
        let value = value.min(room.saturating_sub(2 + note));
        for (name, text, note) in rows {
            let indent = " ".repeat(2 + names);
            let head = format!("  {name}{}", " ".repeat(names - width(name)));
            if fits(text, note) {
                let gap = " ".repeat(value.saturating_sub(width(text)) + 2);
                let line = format!("{head}{text}{gap}{}", self.paint.paint(DIM, note));
                self.lines.push(if note.is_empty() { format!("{head}{text}") } else { line });
                continue;
            }
            let mut parts = wrap(text, room);
            if !note.is_empty() {
                let behind = parts.last().is_some_and(|last| fits(last, note));
                let painted = wrap(note, room).into_iter().map(|line| self.paint.paint(DIM, line));
                match parts.last_mut().filter(|_| behind) {
                    Some(last) => last.extend(["  ".to_owned()].into_iter().chain(painted)),
                    None => parts.extend(painted),
                }
            }
            for (number, part) in parts.iter().enumerate() {
                self.lines.push(format!("{}{part}", if number == 0 { &head } else { &indent }));
            }
        }
    }

    /// Adds a list after a label, or nothing if the list is empty.
    pub(super) fn list(&mut self, word: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let indent = 2 + width(word) + 1;
        let lines = wrap(&items.join(", "), self.room(indent));
        for (number, line) in lines.iter().enumerate() {
            let head = if number == 0 { format!("  {word} ") } else { " ".repeat(indent) };
            self.lines.push(self.paint.paint(DIM, format!("{head}{line}")));
        }
    }

    /// Returns the number of columns that remain in a line after this many.
    fn room(&self, taken: usize) -> usize {
        self.columns.map_or(usize::MAX, |columns| columns.saturating_sub(taken).max(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::Page;
    use crate::show::paint::Paint;
    use crate::show::width::width;

    fn page(columns: Option<usize>) -> Vec<String> {
        let mut page = Page::new(Paint { colours: false }, columns);
        let row = |name: &str, value: &str, note: &str| {
            (name.to_owned(), value.to_owned(), note.to_owned())
        };
        page.part("files");
        page.rows(&[row(
            "settings",
            "/home/漢字漢字漢字漢字漢字漢字漢字漢字漢字/config.toml",
            "(not there)",
        )]);
        page.part("settings");
        page.rows(&[
            row("model", "offline", "environment, ATTACHE_MODEL"),
            row("titles", "(on: a model finds titles of sessions; off: it does not)", "default"),
            row(
                "base_url.openrouter",
                "https://gateway.example/a/very/long/address/that/never/ends/at/all/v1",
                "settings, line 3",
            ),
        ]);
        page.list(
            "not set:",
            &[
                "base_url.anthropic".to_owned(),
                "base_url.openai".to_owned(),
                "base_url.gemini".to_owned(),
            ],
        );
        page.lines
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_word_is_lost() {
        let plain: String = page(None).concat().split_whitespace().collect();
        for columns in [40, 60, 80, 100, 120] {
            let lines = page(Some(columns));
            assert!(lines.iter().all(|line| width(line) <= columns), "{columns}: {lines:#?}");
            let text: String = lines.concat().split_whitespace().collect();
            assert_eq!(text, plain, "{columns}");
        }
    }

    #[test]
    fn a_name_never_touches_its_value() {
        for columns in [None, Some(40), Some(80)] {
            assert!(
                page(columns).iter().any(|line| line.contains("base_url.openrouter  https")),
                "{:#?}",
                page(columns)
            );
        }
    }
}
