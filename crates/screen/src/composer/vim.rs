//! The vim mode: normal, insert and visual mode.

mod command;
mod motion;
mod object;
mod operation;
mod running;

use self::command::{Command, Kind, Motion, Parsed, parse};
use self::motion::Memory;
use self::operation::Register;
use super::buffer::Buffer;
use super::grapheme::is_chip;
use crate::keymap::Key;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use std::ops::Range;

/// The maximum number of keys of a command.
const KEYS: usize = 32;

/// Ctrl-R in the keys of a command.
const REDO: char = '\u{12}';

/// The mode of the composer with vim keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VimMode {
    /// Keys are text.
    #[default]
    Insert,
    /// Keys are commands.
    Normal,
    /// Keys are commands for the selected characters.
    Visual,
    /// Keys are commands for the selected lines.
    VisualLine,
}

impl VimMode {
    /// Returns the name for a status line, such as `NORMAL`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Normal => "NORMAL",
            Self::Visual => "VISUAL",
            Self::VisualLine => "VISUAL LINE",
        }
    }
}

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VimEvent {
    /// Nothing.
    Passed,
    /// It was a key of the vim mode.
    Done,
    /// The person wants the previous prompt, or the next one.
    History { previous: bool },
}

/// The state of the vim mode.
#[derive(Debug, Default)]
pub(super) struct Vim {
    mode: VimMode,
    /// The keys of an incomplete command.
    pending: String,
    memory: Memory,
    register: Register,
    /// The other end of the selection.
    anchor: usize,
    /// The last change, for `.`.
    last: Option<Change>,
    /// The current insertion.
    insertion: Option<Insertion>,
}

#[derive(Debug, Clone)]
struct Change {
    command: Command,
    typed: String,
}

#[derive(Debug, Clone)]
struct Insertion {
    command: Command,
    /// Where the text begins that is typed.
    from: usize,
    /// The number of the text after the last key.
    revision: u64,
}

impl Vim {
    pub(super) fn mode(&self) -> VimMode {
        self.mode
    }

    /// Returns the keys of an incomplete command.
    pub(super) fn pending(&self) -> &str {
        &self.pending
    }

    /// Returns the texts that can come back.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let typed = self.last.iter().map(|change| change.typed.as_str());
        typed.chain([self.register.text.as_str()])
    }

    /// Drops the register and the last change, whose chips belong to another text, and starts in
    /// insert mode.
    pub(super) fn start_again(&mut self) {
        let keep = |text: &str| !text.contains(is_chip);
        self.last.take_if(|change| !keep(&change.typed));
        if !keep(&self.register.text) {
            self.register = Register::default();
        }
        self.insert_mode();
    }

    /// Switches to insert mode, such as after a prompt was sent.
    pub(super) fn insert_mode(&mut self) {
        self.mode = VimMode::Insert;
        self.pending.clear();
        self.insertion = None;
    }

    /// Returns the selected part of the text, in visual mode.
    pub(super) fn selection(&self, buffer: &Buffer) -> Option<Range<usize>> {
        let (anchor, cursor) = (self.anchor.min(buffer.len()), buffer.cursor());
        let (start, end) = (anchor.min(cursor), anchor.max(cursor));
        match self.mode {
            VimMode::Visual => Some(start..buffer.next(end)),
            VimMode::VisualLine => Some(buffer.line_start(start)..buffer.line_end(end)),
            _ => None,
        }
    }

    /// Handles a key. In insert mode, only Esc is a key of the vim mode.
    pub(super) fn handle(&mut self, key: Key, buffer: &mut Buffer) -> VimEvent {
        let escape = key.code() == KeyCode::Esc && key.modifiers().is_empty();
        match (self.mode, key.character()) {
            (VimMode::Insert, _) if escape => self.leave_insert(buffer),
            (VimMode::Insert, _) => return VimEvent::Passed,
            (VimMode::Normal, _) if escape && self.pending.is_empty() => return VimEvent::Passed,
            (_, _) if escape => {
                if self.pending.is_empty() {
                    self.mode = VimMode::Normal;
                }
                self.pending.clear();
            }
            (_, Some(letter)) => return self.key(letter, buffer),
            (VimMode::Normal, _) if is_redo(key) => return self.key(REDO, buffer),
            (_, None) => {
                self.pending.clear();
                return VimEvent::Passed;
            }
        }
        self.keep_on_text(buffer);
        VimEvent::Done
    }

    fn key(&mut self, letter: char, buffer: &mut Buffer) -> VimEvent {
        self.pending.push(letter);
        let visual = self.mode != VimMode::Normal;
        match parse(&self.pending, visual) {
            Parsed::Incomplete if self.pending.len() < KEYS => {}
            Parsed::Incomplete | Parsed::Invalid => self.pending.clear(),
            Parsed::Command(command) => {
                self.pending.clear();
                buffer.end_step();
                let moved = self.run(&command, "", buffer);
                // Above the first line and below the last one are other prompts.
                if let Kind::Move(Motion { key: key @ ('j' | 'k'), .. }) = command.kind
                    && !(moved || visual)
                {
                    return VimEvent::History { previous: key == 'k' };
                }
            }
        }
        self.keep_on_text(buffer);
        VimEvent::Done
    }

    /// Notices what a key did to the text outside of the vim mode: in insert mode, which text is
    /// typed; in normal mode, that the cursor must be on a character.
    pub(super) fn notice(&mut self, buffer: &mut Buffer) {
        if let Some(insertion) = &mut self.insertion {
            // A movement begins a new text.
            let moved = insertion.revision == buffer.revision();
            insertion.from =
                if moved { buffer.cursor() } else { insertion.from.min(buffer.cursor()) };
            insertion.revision = buffer.revision();
        }
        self.keep_on_text(buffer);
    }

    /// Keeps the cursor on a character of the line, outside of insert mode.
    fn keep_on_text(&mut self, buffer: &mut Buffer) {
        let (start, end) = (buffer.line_start(buffer.cursor()), buffer.line_end(buffer.cursor()));
        if self.mode != VimMode::Insert && buffer.cursor() == end && end > start {
            buffer.move_to(buffer.previous(end));
        }
    }
}

fn is_redo(key: Key) -> bool {
    key.code() == KeyCode::Char('r') && key.modifiers() == KeyModifiers::CONTROL
}

#[cfg(test)]
mod tests;
