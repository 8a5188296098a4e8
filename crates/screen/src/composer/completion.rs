//! The lists beside the composer and when they are open.

use super::buffer::Buffer;
use super::chip::{Piece, mention};
use super::grapheme;
use super::history::History;
use crate::keymap::Action;
use crate::popup::{FileFinder, FoundFiles, ListItem, ListPopup, MAX_ROWS, Matcher, Pattern};
use std::ops::Range;

/// The maximum number of earlier prompts that a search shows.
const PROMPTS: usize = 100;

/// The number of characters of a prompt that a list shows.
const PREVIEW: usize = 200;

/// A command that the composer offers after `/`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlashCommand {
    /// The name, without the slash.
    pub name: String,
    /// The description. Sanitized.
    pub description: String,
    /// What can follow the name, such as `[NUMBER]`; empty if nothing can.
    pub hint: String,
}

/// The list beside the composer.
#[derive(Debug, Default)]
pub(super) struct Completion {
    commands: Vec<SlashCommand>,
    files: Option<FileFinder>,
    open: Option<Open>,
    /// Where the word begins whose list the person closed.
    dismissed: Option<usize>,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    /// The part of the text that the entry replaces.
    range: Range<usize>,
    query: String,
    list: ListPopup,
    /// The last report of the file finder that the list shows.
    report: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Files,
    Commands,
    /// Earlier prompts, with their places in the history, the newest first.
    History(Vec<usize>),
}

/// What the chosen entry does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    /// There is no entry.
    Nothing,
    /// The text replaces a part of the composer's text.
    Text {
        range: Range<usize>,
        text: String,
        /// Whether the text was there already.
        unchanged: bool,
        /// Whether the prompt is complete with it.
        submit: bool,
    },
    /// An earlier prompt, counted from the newest one, replaces the text.
    History(usize),
}

impl Completion {
    pub(super) fn set_commands(&mut self, commands: Vec<SlashCommand>) {
        self.commands = commands;
    }

    pub(super) fn set_files(&mut self, files: Option<FileFinder>) {
        self.files = files;
        self.close();
    }

    /// Returns whether a list is open and visible.
    pub(super) fn is_open(&self) -> bool {
        self.open.as_ref().is_some_and(Open::is_visible)
    }

    pub(super) fn is_history(&self) -> bool {
        self.open.as_ref().is_some_and(|open| matches!(open.kind, Kind::History(_)))
    }

    pub(super) fn list(&mut self) -> Option<&mut ListPopup> {
        self.open.as_mut().filter(|open| open.is_visible()).map(|open| &mut open.list)
    }

    pub(super) fn close(&mut self) {
        (self.open, self.dismissed) = (None, None);
    }

    /// Closes the list until another word begins.
    pub(super) fn dismiss(&mut self) {
        self.dismissed = self.open.take().map(|open| open.range.start);
    }

    /// Moves the selection. Returns false if the action is another one.
    pub(super) fn scroll(&mut self, action: Action) -> bool {
        let Some(open) = &mut self.open else { return false };
        let page = isize::try_from(MAX_ROWS - 1).unwrap_or(1);
        open.list.move_by(match action {
            Action::Up => -1,
            Action::Down => 1,
            Action::PageUp => -page,
            Action::PageDown => page,
            _ => return false,
        });
        true
    }

    /// Opens, changes or closes the list after a change of the text or of the cursor.
    pub(super) fn update(&mut self, buffer: &Buffer) {
        let word = word(buffer).filter(|word| match word.kind {
            Kind::Files => self.files.is_some(),
            _ => !self.commands.is_empty(),
        });
        let Some(word) = word else { return self.close() };
        if self.dismissed == Some(word.range.start) {
            self.open = None;
            return;
        }
        let is_new = self
            .open
            .as_ref()
            .is_none_or(|open| open.kind != word.kind || open.range.start != word.range.start);
        let (list, report) = match self.open.take().filter(|_| !is_new) {
            Some(open) if open.query == word.query => {
                self.open = Some(Open { range: word.range, ..open });
                return;
            }
            Some(open) => (open.list, open.report),
            None => Default::default(),
        };
        let mut open = Open { kind: word.kind, range: word.range, query: word.query, list, report };
        open.list.select_first();
        match (&open.kind, &self.files) {
            (Kind::Files, Some(files)) => {
                if is_new {
                    files.refresh();
                    open.list.set_note("searching…");
                }
                files.search(&open.query);
            }
            _ => open.list = commands(&self.commands, &open.query),
        }
        self.open = Some(open);
    }

    /// Takes the files that were found. Returns whether the list changed.
    pub(super) fn poll(&mut self) -> bool {
        let (Some(open), Some(files)) = (&mut self.open, &self.files) else { return false };
        if open.kind != Kind::Files {
            return false;
        }
        let Some(found) = files.found_since(open.report) else { return false };
        open.report = found.report;
        let is_wanted = found.query == open.query;
        if is_wanted {
            show_files(&mut open.list, found);
        }
        is_wanted
    }

    /// Returns what the selected entry does, and closes the list.
    pub(super) fn accept(&mut self, buffer: &Buffer) -> Accepted {
        let Some(open) = self.open.take() else { return Accepted::Nothing };
        let Some(item) = open.list.selected() else { return Accepted::Nothing };
        let (text, submit) = match &open.kind {
            Kind::History(places) => {
                let place = places.get(open.list.selected_index());
                return place.map_or(Accepted::Nothing, |place| Accepted::History(*place));
            }
            Kind::Files if !Pattern::new(&open.query).matches(&item.name) => {
                // The list still shows the result of an earlier query.
                return Accepted::Nothing;
            }
            Kind::Files => (mention(&item.name).unwrap_or_default(), false),
            Kind::Commands => (item.name.clone(), item.hint.is_empty()),
        };
        let unchanged = buffer.slice(open.range.clone()) == text;
        self.dismissed = Some(open.range.start);
        let space = !matches!(buffer.char_at(open.range.end), Some(after) if after.is_whitespace());
        let text = if space { text + " " } else { text };
        Accepted::Text { range: open.range, text, unchanged, submit }
    }

    /// Opens the search of earlier prompts.
    pub(super) fn open_history(&mut self, history: &History) {
        let mut open = Open {
            kind: Kind::History(Vec::new()),
            range: 0..0,
            query: String::new(),
            list: ListPopup::default(),
            report: 0,
        };
        open.search_history(history);
        self.open = Some(open);
    }

    /// Changes the search of earlier prompts. Returns false if the key does not belong to it.
    pub(super) fn search_key(
        &mut self,
        history: &History,
        character: Option<char>,
        action: Option<Action>,
    ) -> bool {
        let Some(open) = &mut self.open else { return false };
        match (character, action) {
            (Some(letter), _) => open.query.push(letter),
            (_, Some(Action::DeleteBackward)) => {
                open.query.truncate(grapheme::previous(&open.query, open.query.len()));
            }
            (_, Some(Action::DeleteToLineStart | Action::DeleteToSpace)) => open.query.clear(),
            (_, Some(Action::HistorySearch)) => {
                open.list.move_by(1);
                return true;
            }
            _ => return false,
        }
        open.search_history(history);
        true
    }
}

impl Open {
    /// Whether the list has something to show. A list of commands without an entry has not.
    fn is_visible(&self) -> bool {
        self.kind != Kind::Commands || !self.list.items().is_empty()
    }

    fn search_history(&mut self, history: &History) {
        let words: Vec<String> = self.query.split_whitespace().map(str::to_lowercase).collect();
        let (mut items, mut places) = (Vec::new(), Vec::new());
        for (place, prompt) in history.newest_first().enumerate() {
            let Some(item) = prompt_item(prompt, &words) else { continue };
            items.push(item);
            places.push(place);
            if items.len() == PROMPTS {
                break;
            }
        }
        let note = match items.is_empty() {
            true => format!("no earlier prompt has: {}", self.query),
            false => format!("search earlier prompts: {}", self.query),
        };
        self.list = ListPopup::new(items);
        self.list.set_note(note);
        self.kind = Kind::History(places);
    }
}

/// Returns the entry of a prompt that has all the words.
fn prompt_item(prompt: &[Piece], words: &[String]) -> Option<ListItem> {
    let shown: String = prompt
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            chip => chip.label(),
        })
        .collect();
    let folded = shown.to_lowercase();
    if !words.iter().all(|word| folded.contains(word.as_str())) {
        return None;
    }
    let name: String = shown
        .trim()
        .chars()
        .take(PREVIEW)
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let lower = name.to_lowercase();
    let mut matched = Vec::new();
    // Positions in the folded name are positions in the name if no letter changed its length.
    if lower.len() == name.len() {
        for word in words {
            let found = lower.match_indices(word.as_str());
            matched.extend(found.flat_map(|(at, word)| at..at + word.len()));
        }
        matched.sort_unstable();
        matched.dedup();
    }
    Some(ListItem { name, matched, ..ListItem::default() })
}

/// The beginning of a mention or command before the cursor.
struct Word {
    kind: Kind,
    range: Range<usize>,
    query: String,
}

fn word(buffer: &Buffer) -> Option<Word> {
    let cursor = buffer.cursor();
    if buffer.text().starts_with('!') {
        return None;
    }
    let before = buffer.slice(buffer.line_start(cursor)..cursor);
    if let Some(query) = buffer.slice(0..cursor).strip_prefix('/')
        && !query.contains(|letter: char| letter.is_whitespace() || letter == '/')
    {
        return Some(Word { kind: Kind::Commands, range: 0..cursor, query: query.to_owned() });
    }
    // A mention begins at the start of a word, and with a quote can have spaces.
    let quoted = ["@\"", "@'"].iter().filter_map(|mark| {
        let at = before.rfind(mark)?;
        let query = before.get(at + 2..)?;
        (!query.contains(mark.get(1..)?)).then_some((at, query))
    });
    let plain = before.rfind('@').and_then(|at| {
        let query = before.get(at + 1..)?;
        (!query.contains(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'')))
            .then_some((at, query))
    });
    let (at, query) = quoted.chain(plain).find(|(at, _)| starts_word(before, *at))?;
    let start = cursor - before.len() + at;
    Some(Word { kind: Kind::Files, range: start..cursor, query: query.to_owned() })
}

fn starts_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.chars().next_back());
    before.is_none_or(|letter| {
        letter.is_whitespace() || matches!(letter, '(' | '[' | '{' | '"' | '\'' | '`')
    })
}

fn commands(commands: &[SlashCommand], query: &str) -> ListPopup {
    let (pattern, mut matcher) = (Pattern::new(query), Matcher::default());
    let mut found: Vec<(bool, i32, &SlashCommand)> = commands
        .iter()
        .filter_map(|command| {
            let score = matcher.score(&pattern, &command.name)?;
            Some((command.name.starts_with(query), score, command))
        })
        .collect();
    if !pattern.is_empty() {
        found.sort_by_key(|(starts, score, _)| std::cmp::Reverse((*starts, *score)));
    }
    let items = found.into_iter().map(|(_, _, command)| ListItem {
        name: format!("/{}", command.name),
        matched: matcher.positions(&pattern, &command.name).iter().map(|at| at + 1).collect(),
        hint: command.hint.clone(),
        detail: command.description.clone(),
    });
    ListPopup::new(items.collect())
}

fn show_files(list: &mut ListPopup, found: FoundFiles) {
    let note = match (found.files.is_empty(), found.searching) {
        (_, true) => format!("searching… {} of {} files", found.matches, found.known),
        (true, false) => "no file matches".to_owned(),
        (false, false) => format!("{} of {} files", found.matches, found.known),
    };
    let items = found.files.into_iter().map(|file| ListItem {
        name: file.path.to_string(),
        matched: file.matched,
        ..ListItem::default()
    });
    list.set_items(items.collect());
    list.set_note(note);
}
