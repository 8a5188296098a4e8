//! The editor without modes: movements and edits of a text that is drawn in rows.

use super::buffer::Buffer;
use super::chip::{Chips, Piece};
use super::grapheme::is_chip;
use super::image::{ImageFile, image_paths};
use super::kill_ring::KillRing;
use super::layout::{self, Layout};
use crate::keymap::Action;
use std::ops::Range;

/// The number of lines and characters from which a pasted text becomes a chip.
const CHIP_LINES: usize = 10;
const CHIP_CHARACTERS: usize = 1000;

/// The maximum size of the text without its chips, in bytes: a longer one could not be edited
/// without delay. A longer paste becomes a chip.
const TEXT_LIMIT: usize = 256 << 10;

/// A text with its chips, rows and cut texts.
#[derive(Debug, Default)]
pub(super) struct Editor {
    pub(super) buffer: Buffer,
    pub(super) chips: Chips,
    pub(super) kills: KillRing,
    layout: Layout,
    /// The number of columns for the text.
    width: usize,
    /// The column that moves up and down keep.
    goal: Option<usize>,
    /// The part of the text that the last action inserted from the cut texts.
    yanked: Option<Range<usize>>,
    /// Whether the last action typed a character.
    typing: bool,
    /// Whether edits are one step until a movement or the vim mode ends it.
    pub(super) long_steps: bool,
}

impl Editor {
    /// Inserts a typed character. Characters of a word are undone together.
    pub(super) fn type_character(&mut self, letter: char) {
        let after_space = self.buffer.char_before(self.buffer.cursor()).is_none_or(|c| c == ' ');
        if !self.typing || after_space && letter != ' ' {
            self.end_step();
        }
        self.insert_clean(letter.encode_utf8(&mut [0; 4]));
        self.settle();
        self.typing = true;
    }

    fn end_step(&mut self) {
        if !self.long_steps {
            self.buffer.end_step();
        }
    }

    /// Inserts a text without characters that only control a terminal.
    fn insert_clean(&mut self, text: &str) {
        self.buffer.insert(&clean(text));
    }

    /// Inserts a pasted text: whole, or as a chip if it is long. Paths of images become chips.
    ///
    /// # Errors
    /// Returns a message for the person if the text is the path of an image that cannot be
    /// attached. The path is inserted as text.
    pub(super) fn paste(&mut self, pasted: &str) -> Result<(), String> {
        self.settle();
        self.end_step();
        let opened = image_paths(pasted).map(|paths| {
            paths.into_iter().map(ImageFile::open).collect::<Result<Vec<_>, String>>()
        });
        let result = match opened {
            Some(Ok(images)) => {
                images.into_iter().for_each(|image| self.insert_chip(Piece::Image(image)));
                Ok(())
            }
            Some(Err(why)) => {
                self.paste_text(pasted);
                Err(format!("{why}: the path is inserted as text"))
            }
            None => {
                self.paste_text(pasted);
                Ok(())
            }
        };
        self.end_step();
        result
    }

    fn paste_text(&mut self, pasted: &str) {
        if is_long(pasted) || self.buffer.len() + pasted.len() > TEXT_LIMIT {
            self.insert_chip(Piece::Paste(unix_lines(pasted).into()));
        } else {
            self.insert_clean(pasted);
        }
    }

    /// Inserts a chip at the cursor.
    pub(super) fn insert_chip(&mut self, piece: Piece) {
        if let Some(letter) = self.chips.add(piece) {
            self.buffer.insert(letter.encode_utf8(&mut [0; 4]));
        }
    }

    /// Replaces the text, which can be undone, and puts the cursor at its end.
    pub(super) fn set(&mut self, pieces: &[Piece]) {
        self.settle();
        self.buffer.end_step();
        self.buffer.replace(0..self.buffer.len(), "");
        for piece in pieces {
            match piece {
                Piece::Text(text) if self.buffer.len() + text.len() <= TEXT_LIMIT => {
                    self.insert_clean(text);
                }
                // It is too long to be edited here.
                Piece::Text(text) => self.insert_chip(Piece::Text(unix_lines(text))),
                chip => self.insert_chip(chip.clone()),
            }
        }
        self.buffer.end_step();
    }

    /// Replaces the chip at or before the cursor by its text. Returns false if there is no chip, or
    /// if its text is too long to be edited here.
    fn expand(&mut self) -> bool {
        let cursor = self.buffer.cursor();
        let before = self.buffer.previous(cursor);
        let found = [cursor, before].into_iter().find_map(|at| {
            let chip = self.buffer.char_at(at).filter(|letter| is_chip(*letter))?;
            Some((at..at + chip.len_utf8(), self.chips.get(chip)?.text()))
        });
        let Some((range, text)) = found else { return false };
        if self.buffer.len() + text.len() > TEXT_LIMIT {
            return false;
        }
        self.buffer.replace(range, &clean(&text));
        true
    }

    /// Ends what only consecutive actions share.
    pub(super) fn settle(&mut self) {
        self.goal = None;
        self.yanked = None;
        self.typing = false;
        self.kills.end();
    }

    /// Returns whether an action changes the text, other than by undo and redo.
    pub(super) fn edits(action: Action) -> bool {
        use Action::*;
        matches!(
            action,
            Newline
                | DeleteBackward
                | DeleteForward
                | DeleteWordBackward
                | DeleteToSpace
                | DeleteWordForward
                | DeleteToLineStart
                | DeleteToLineEnd
                | Yank
                | YankOlder
                | Transpose
        )
    }

    /// Returns whether an action moves the cursor in its line.
    pub(super) fn moves(action: Action) -> bool {
        use Action::*;
        matches!(action, Left | Right | WordLeft | WordRight | LineStart | LineEnd)
    }

    /// Does an action. Returns false if the action does nothing here.
    pub(super) fn act(&mut self, action: Action) -> bool {
        use Action::*;
        if self.cut(action) {
            return true;
        }
        let goal = self.goal.filter(|_| matches!(action, Up | Down));
        let yanked = self.yanked.take().filter(|_| action == YankOlder);
        self.settle();
        self.goal = goal;
        match action {
            Newline | DeleteBackward | DeleteForward | Transpose => self.end_step(),
            _ => self.buffer.end_step(),
        }
        let (cursor, buffer) = (self.buffer.cursor(), &mut self.buffer);
        match action {
            Left => buffer.move_to(buffer.previous(cursor)),
            Right => buffer.move_to(buffer.next(cursor)),
            WordLeft => buffer.move_to(word_left(buffer, cursor)),
            WordRight => buffer.move_to(word_right(buffer, cursor)),
            LineStart => buffer.move_to(buffer.line_start(cursor)),
            LineEnd => buffer.move_to(buffer.line_end(cursor)),
            TextStart => buffer.move_to(0),
            TextEnd => buffer.move_to(buffer.len()),
            Up => return self.vertical(false),
            Down => return self.vertical(true),
            Newline => buffer.insert("\n"),
            DeleteBackward if cursor > 0 => buffer.replace(buffer.previous(cursor)..cursor, ""),
            DeleteForward if !buffer.is_empty() => buffer.replace(cursor..buffer.next(cursor), ""),
            Undo => return buffer.undo(),
            Redo => return buffer.redo(),
            Yank => return self.yank(cursor..cursor),
            YankOlder => {
                let Some(yanked) = yanked else { return false };
                self.kills.rotate();
                return self.yank(yanked);
            }
            Transpose => return self.transpose(),
            ExpandPaste => return self.expand(),
            _ => return false,
        }
        true
    }

    /// Does an action that cuts a part of the text.
    fn cut(&mut self, action: Action) -> bool {
        let (buffer, cursor) = (&self.buffer, self.buffer.cursor());
        let (range, before) = match action {
            Action::DeleteWordBackward => (word_left(buffer, cursor)..cursor, true),
            Action::DeleteToSpace => (space_left(buffer, cursor)..cursor, true),
            Action::DeleteWordForward => (cursor..word_right(buffer, cursor), false),
            // At the start of a line, the line feed before it is cut.
            Action::DeleteToLineStart => {
                let start = buffer.line_start(cursor);
                (if start == cursor { buffer.previous(cursor) } else { start }..cursor, true)
            }
            Action::DeleteToLineEnd => {
                let end = buffer.line_end(cursor);
                (cursor..if end == cursor { buffer.next(cursor) } else { end }, false)
            }
            _ => return false,
        };
        if !range.is_empty() {
            self.kills.cut(buffer.slice(range.clone()), before);
            (self.goal, self.yanked, self.typing) = (None, None, false);
            self.end_step();
            self.buffer.replace(range, "");
        }
        true
    }

    fn yank(&mut self, range: Range<usize>) -> bool {
        let Some(text) = self.kills.newest() else { return false };
        let yanked = range.start..range.start + text.len();
        self.buffer.replace(range, text);
        self.yanked = Some(yanked);
        true
    }

    /// Swaps the two characters before the end of the line, or those around the cursor.
    fn transpose(&mut self) -> bool {
        let (cursor, buffer) = (self.buffer.cursor(), &mut self.buffer);
        let end = if cursor == buffer.line_end(cursor) { cursor } else { buffer.next(cursor) };
        let second = buffer.previous(end);
        let first = buffer.previous(second);
        if first < buffer.line_start(cursor) || first == second {
            return false;
        }
        let swapped = [buffer.slice(second..end), buffer.slice(first..second)].concat();
        buffer.replace(first..end, &swapped);
        true
    }

    /// Moves the cursor by a row. Returns false in the first or last row.
    fn vertical(&mut self, down: bool) -> bool {
        self.layout.update(&self.buffer, &self.chips, self.width);
        let (text, cursor) = (self.buffer.text(), self.buffer.cursor());
        let row = self.layout.row_of(cursor);
        let to = if down { row + 1 } else { row.wrapping_sub(1) };
        if to >= self.layout.len() {
            return false;
        }
        let here = || layout::column(text, self.layout.row(row), cursor, &self.chips);
        let goal = self.goal.unwrap_or_else(here);
        let at = self.position(to, goal);
        self.buffer.move_to(at);
        self.goal = Some(goal);
        true
    }

    /// Returns the position at a row and a column of the text.
    pub(super) fn position(&self, row: usize, column: usize) -> usize {
        let range = self.layout.row(row);
        let text = self.buffer.text();
        let is_last = text.as_bytes().get(range.end).is_none_or(|byte| *byte == b'\n');
        layout::position(text, range, column, is_last, &self.chips)
    }

    /// Divides the text into rows of this width, and returns them.
    pub(super) fn rows(&mut self, width: usize) -> &Layout {
        self.width = width;
        self.layout.update(&self.buffer, &self.chips, width);
        &self.layout
    }

    /// Replaces the text, its steps and its chips, and returns the earlier ones.
    pub(super) fn swap(&mut self, buffer: Buffer, chips: Chips) -> (Buffer, Chips) {
        self.settle();
        self.layout.clear();
        // Chips belong to their text.
        self.kills.retain(|text| !text.contains(is_chip));
        (std::mem::replace(&mut self.buffer, buffer), std::mem::replace(&mut self.chips, chips))
    }
}

fn is_long(text: &str) -> bool {
    text.lines().take(CHIP_LINES + 1).count() > CHIP_LINES
        || text.chars().take(CHIP_CHARACTERS + 1).count() > CHIP_CHARACTERS
}

fn unix_lines(text: &str) -> String {
    match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text.to_owned(),
    }
}

/// Removes control characters but tabs and line feeds, and the characters that mean chips.
fn clean(text: &str) -> String {
    let kept = |letter: &char| {
        !is_chip(*letter) && (!letter.is_control() || matches!(letter, '\n' | '\t'))
    };
    unix_lines(text).chars().filter(kept).collect()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || is_chip(letter)
}

/// Returns the start of the word before `at`.
fn word_left(buffer: &Buffer, at: usize) -> usize {
    let before = skip_left(buffer, at, |letter| !is_word(letter));
    match buffer.char_before(before) {
        Some(chip) if is_chip(chip) => buffer.previous(before),
        _ => skip_left(buffer, before, |letter| is_word(letter) && !is_chip(letter)),
    }
}

/// Returns the end of the word after `at`.
fn word_right(buffer: &Buffer, at: usize) -> usize {
    let after = skip_right(buffer, at, |letter| !is_word(letter));
    match buffer.char_at(after) {
        Some(chip) if is_chip(chip) => buffer.next(after),
        _ => skip_right(buffer, after, |letter| is_word(letter) && !is_chip(letter)),
    }
}

/// Returns the end of the space before the word before `at`.
fn space_left(buffer: &Buffer, at: usize) -> usize {
    let before = skip_left(buffer, at, char::is_whitespace);
    skip_left(buffer, before, |letter| !letter.is_whitespace())
}

fn skip_left(buffer: &Buffer, mut at: usize, skipped: impl Fn(char) -> bool) -> usize {
    while buffer.char_before(at).is_some_and(&skipped) {
        at = buffer.previous(at);
    }
    at
}

fn skip_right(buffer: &Buffer, mut at: usize, skipped: impl Fn(char) -> bool) -> usize {
    while buffer.char_at(at).is_some_and(&skipped) {
        at = buffer.next(at);
    }
    at
}
