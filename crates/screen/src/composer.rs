//! The editor of prompts: text in several lines with history, completion, chips and a vim mode.

mod buffer;
mod chip;
mod completion;
mod drawing;
mod editor;
mod grapheme;
mod history;
mod kill_ring;
mod layout;
mod vim;

pub use chip::{Piece, mention};
pub use completion::SlashCommand;
pub use drawing::ComposerStyles;
pub use vim::VimMode;

use self::buffer::Buffer;
use self::chip::Chips;
use self::completion::{Accepted, Completion};
use self::editor::Editor;
use self::history::History;
use self::vim::{Vim, VimEvent};
use crate::keymap::{Action, Context, Key, Keymap};
use crate::popup::{FileFinder, ListPopup};
use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use std::path::PathBuf;
use std::sync::Arc;

/// What a key did in the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComposerEvent {
    /// Nothing: the key may have a meaning for the screen (see [`Keymap::action`]).
    Ignored,
    /// The text, the cursor or a list changed, or the key is the first of several.
    Changed,
    /// The person sends the prompt. The composer is empty now, and its history has the prompt.
    Submit(Submitted),
    /// Like `Submit`, but at once, even if a turn runs.
    SendNow(Submitted),
}

/// A prompt that the person sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The parts of the prompt, without the `!` of a shell command.
    pub pieces: Vec<Piece>,
    /// Whether the text is a command for the shell.
    pub shell: bool,
}

impl Submitted {
    /// Returns the whole text, with mentions of the attached images.
    pub fn text(&self) -> String {
        self.pieces.iter().map(Piece::text).collect()
    }
}

/// A text that is set aside, with its cursor and what can be undone.
#[derive(Debug, Default)]
pub struct Draft {
    buffer: Buffer,
    chips: Chips,
}

/// The editor of prompts.
#[derive(Debug, Default)]
pub struct Composer {
    keymap: Arc<Keymap>,
    editor: Editor,
    history: History,
    completion: Completion,
    /// The vim mode, if it is on.
    vim: Option<Vim>,
    placeholder: String,
    /// The first visible row.
    first_row: usize,
}

impl Composer {
    /// Returns an empty composer with these keys.
    pub fn new(keymap: Arc<Keymap>) -> Self {
        Self { keymap, ..Self::default() }
    }

    /// Changes the keys.
    pub fn set_keymap(&mut self, keymap: Arc<Keymap>) {
        self.keymap = keymap;
    }

    /// Turns the vim mode on, in insert mode, or off.
    pub fn set_vim(&mut self, on: bool) {
        self.vim = on.then(Vim::default);
        self.editor.long_steps = on;
    }

    /// Returns the vim mode; `None` if it is off. Esc cancels a turn only if this is `None` or
    /// normal mode, which [`handle`](Self::handle) takes care of.
    pub fn vim_mode(&self) -> Option<VimMode> {
        self.vim.as_ref().map(Vim::mode)
    }

    /// Returns the keys of an incomplete command of the vim mode, such as `2d`.
    pub fn vim_pending(&self) -> &str {
        self.vim.as_ref().map_or("", Vim::pending)
    }

    /// Sets the text that an empty composer shows.
    pub fn set_placeholder(&mut self, text: impl Into<String>) {
        self.placeholder = text.into();
    }

    /// Sets the commands that `/` offers.
    pub fn set_commands(&mut self, commands: Vec<SlashCommand>) {
        self.completion.set_commands(commands);
    }

    /// Sets where `@` finds files; `None` offers no files.
    pub fn set_files(&mut self, files: Option<FileFinder>) {
        self.completion.set_files(files);
    }

    /// Adds an earlier prompt to the history, the oldest first.
    pub fn add_history(&mut self, text: &str) {
        self.history.add(vec![Piece::Text(text.to_owned())]);
    }

    /// Returns the whole text: pasted texts in full, images as mentions, `!` of a shell command
    /// included. Suitable as a draft that [`set_text`](Self::set_text) takes back.
    pub fn text(&self) -> String {
        self.pieces().iter().map(Piece::text).collect()
    }

    /// Returns the parts of the text.
    pub fn pieces(&self) -> Vec<Piece> {
        self.editor.chips.pieces(self.editor.buffer.text())
    }

    /// Replaces the text, which can be undone, and puts the cursor at its end. A text over 256 KiB
    /// becomes a chip.
    pub fn set_text(&mut self, text: &str) {
        self.set_pieces(&[Piece::Text(text.to_owned())]);
    }

    /// Replaces the text by these parts, such as those of a prompt that could not be sent.
    pub fn set_pieces(&mut self, pieces: &[Piece]) {
        self.forget_chips();
        self.editor.set(pieces);
        self.history.leave();
        self.completion.close();
        self.notice();
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.editor.buffer.is_empty()
    }

    /// Returns a number that changes with the text, for example to save it only when it changed.
    pub fn revision(&self) -> u64 {
        self.editor.buffer.revision()
    }

    /// Returns whether the text is a command for the shell, which begins with `!`.
    pub fn is_shell(&self) -> bool {
        self.editor.buffer.text().starts_with('!')
    }

    /// Clears the text, which stays in the history and can be undone. Returns false if there was no
    /// text.
    pub fn clear(&mut self) -> bool {
        let had_text = !self.is_empty();
        if had_text {
            let pieces = self.pieces();
            self.set_pieces(&[]);
            self.history.add(pieces);
        }
        had_text
    }

    /// Puts a draft in the place of the text, which is returned: each session has its own.
    pub fn swap(&mut self, draft: Draft) -> Draft {
        self.history.leave();
        self.completion.close();
        self.first_row = 0;
        self.vim.iter_mut().for_each(Vim::start_again);
        let (buffer, chips) = self.editor.swap(draft.buffer, draft.chips);
        Draft { buffer, chips }
    }

    /// Inserts a pasted text. A text of more than 10 lines or 1,000 characters, and the path of an
    /// image, become chips.
    pub fn paste(&mut self, text: &str) {
        self.forget_chips();
        self.editor.paste(text);
        self.changed();
    }

    /// Attaches the image in this file as a chip.
    pub fn attach_image(&mut self, path: PathBuf) {
        self.forget_chips();
        self.editor.settle();
        self.editor.buffer.end_step();
        self.editor.insert_chip(Piece::Image(path));
        self.changed();
    }

    /// Forgets the chips that no text contains any more.
    fn forget_chips(&mut self) {
        let Editor { buffer, chips, kills, .. } = &mut self.editor;
        if !chips.is_empty() {
            let vim = self.vim.iter().flat_map(Vim::texts);
            chips.keep(buffer.texts().chain(kills.texts()).chain(vim));
        }
    }

    /// Takes what the threads of the file finder found. Returns whether the list changed.
    pub fn poll(&mut self) -> bool {
        self.completion.poll()
    }

    /// Returns the list beside the composer, if one is open.
    pub fn popup(&mut self) -> Option<&mut ListPopup> {
        self.completion.list()
    }

    /// Handles a key.
    pub fn handle(&mut self, key: KeyEvent) -> ComposerEvent {
        if key.kind == KeyEventKind::Release {
            return ComposerEvent::Ignored;
        }
        let character = Key::of(key).character();
        if self.completion.is_open()
            && let Some(event) = self.handle_popup(key, character)
        {
            return event;
        }
        let action = self.keymap.action(Context::Composer, key);
        // A plain character is a key only while there is no text.
        let is_text = character.is_some() && (action.is_none() || !self.is_empty());
        if (is_text || character.is_none())
            && let Some(event) = self.handle_vim(key, action)
        {
            return event;
        }
        match (character, action) {
            (Some(letter), _) if is_text => {
                self.editor.type_character(letter);
                self.changed();
                ComposerEvent::Changed
            }
            (_, Some(action)) => self.act(action),
            (_, None) => ComposerEvent::Ignored,
        }
    }

    /// Handles a key of the vim mode. Returns `None` if it is another key.
    fn handle_vim(&mut self, key: KeyEvent, action: Option<Action>) -> Option<ComposerEvent> {
        let before = self.revision();
        let vim = self.vim.as_mut()?;
        let event = vim.handle(Key::of(key), &mut self.editor.buffer);
        let is_insert = vim.mode() == VimMode::Insert;
        match event {
            VimEvent::Passed if is_insert || self.is_empty() => return None,
            // Outside of insert mode, the keys of the editor move but change nothing.
            VimEvent::Passed => match action {
                Some(Action::DeleteBackward) => ignore(self.act(Action::Left)),
                Some(action) if Editor::edits(action) => {}
                _ => return None,
            },
            VimEvent::History { previous } => ignore(self.walk_history(previous)),
            VimEvent::Done => {
                self.editor.settle();
                self.completion.close();
                if self.revision() != before {
                    self.history.leave();
                }
            }
        }
        self.notice();
        Some(ComposerEvent::Changed)
    }

    /// Tells the vim mode that the text or the cursor changed.
    fn notice(&mut self) {
        if let Some(vim) = &mut self.vim {
            vim.notice(&mut self.editor.buffer);
        }
    }

    /// Handles a key while a list is open. Returns `None` if the key is not for the list.
    fn handle_popup(&mut self, key: KeyEvent, character: Option<char>) -> Option<ComposerEvent> {
        match self.keymap.action(Context::Popup, key) {
            Some(Action::Accept) => {
                let enter = self.keymap.action(Context::Composer, key) == Some(Action::Submit);
                return self.accept(enter);
            }
            Some(Action::Dismiss) => self.completion.dismiss(),
            Some(action) if self.completion.scroll(action) => {}
            _ if self.completion.is_history() => {
                let action = self.keymap.action(Context::Composer, key);
                if !self.completion.search_key(&self.history, character, action) {
                    // Another key chooses the prompt and does its work.
                    self.accept(false);
                    return None;
                }
            }
            _ => return None,
        }
        Some(ComposerEvent::Changed)
    }

    fn accept(&mut self, enter: bool) -> Option<ComposerEvent> {
        match self.completion.accept(&self.editor.buffer) {
            Accepted::Nothing => None,
            Accepted::History(index) => {
                let prompt = self.history.newest_first().nth(index).map(<[Piece]>::to_vec);
                prompt.into_iter().for_each(|prompt| self.editor.set(&prompt));
                Some(ComposerEvent::Changed)
            }
            // The text is complete already, so Enter sends it.
            Accepted::Text { unchanged: true, .. } if enter => None,
            Accepted::Text { range, text, submit, .. } => {
                self.editor.settle();
                self.editor.buffer.end_step();
                self.editor.buffer.replace(range, &text);
                self.editor.buffer.end_step();
                self.history.leave();
                self.notice();
                match submit && enter {
                    true => Some(self.act(Action::Submit)),
                    false => Some(ComposerEvent::Changed),
                }
            }
        }
    }

    /// Does an action of the composer, as its key would.
    pub fn act(&mut self, action: Action) -> ComposerEvent {
        let event = self.do_action(action);
        self.notice();
        event
    }

    fn do_action(&mut self, action: Action) -> ComposerEvent {
        let done = match action {
            Action::Submit | Action::SendNow => return self.submit(action == Action::SendNow),
            Action::HistorySearch => {
                self.completion.open_history(&self.history);
                return ComposerEvent::Changed;
            }
            Action::HistoryPrevious => self.walk_history(true),
            Action::HistoryNext => self.walk_history(false),
            Action::Up => self.editor.act(action) || self.walk_history(true),
            Action::Down => self.editor.act(action) || self.walk_history(false),
            action => {
                let before = self.revision();
                let done = self.editor.act(action);
                if self.revision() != before {
                    self.changed();
                } else {
                    self.update_completion();
                }
                return if done { ComposerEvent::Changed } else { ComposerEvent::Ignored };
            }
        };
        match done {
            true => ComposerEvent::Changed,
            false => ComposerEvent::Ignored,
        }
    }

    fn changed(&mut self) {
        self.history.leave();
        self.update_completion();
        self.notice();
    }

    fn update_completion(&mut self) {
        match self.vim_mode() {
            None | Some(VimMode::Insert) => self.completion.update(&self.editor.buffer),
            Some(_) => self.completion.close(),
        }
    }

    fn walk_history(&mut self, back: bool) -> bool {
        let (editor, history) = (&mut self.editor, &mut self.history);
        let pieces = || editor.chips.pieces(editor.buffer.text());
        let prompt = match back {
            true => history.previous(pieces).map(<[Piece]>::to_vec),
            false => history.next(),
        };
        let found = prompt.is_some();
        prompt.into_iter().for_each(|prompt| editor.set(&prompt));
        self.completion.close();
        found
    }

    /// Sends the prompt, or breaks the line if the character before the cursor is a backslash.
    fn submit(&mut self, now: bool) -> ComposerEvent {
        let buffer = &mut self.editor.buffer;
        let cursor = buffer.cursor();
        if !now && buffer.char_before(cursor) == Some('\\') {
            buffer.end_step();
            buffer.replace(cursor - 1..cursor, "\n");
            self.editor.settle();
            self.changed();
            return ComposerEvent::Changed;
        }
        let mut pieces = self.pieces();
        if pieces.iter().all(|piece| piece.text().trim().is_empty()) {
            return ComposerEvent::Ignored;
        }
        self.clear();
        self.vim.iter_mut().for_each(Vim::insert_mode);
        let mut shell = false;
        if let Some(Piece::Text(first)) = pieces.first_mut()
            && let Some(command) = first.strip_prefix('!')
        {
            (*first, shell) = (command.to_owned(), true);
        }
        let submitted = Submitted { pieces, shell };
        match now {
            true => ComposerEvent::SendNow(submitted),
            false => ComposerEvent::Submit(submitted),
        }
    }
}

/// Ignores what an action did.
fn ignore<T>(_done: T) {}

#[cfg(test)]
mod tests;
