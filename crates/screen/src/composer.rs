//! The editor of prompts: text in several lines with history, completion, chips and a vim mode.

mod buffer;
mod chip;
mod completion;
mod drawing;
mod editor;
mod editor_text;
mod grapheme;
mod history;
mod history_file;
pub(crate) mod image;
mod keys;
mod kill_ring;
mod layout;
mod stored_form;
mod vim;

pub use chip::{Piece, mention};
pub use completion::SlashCommand;
pub use drawing::ComposerStyles;
pub use editor_text::EditorText;
pub use history_file::HistoryFile;
pub use image::{IMAGE_LIMIT, ImageFile};
pub use stored_form::{from_stored, to_stored};
pub use vim::VimMode;

use self::buffer::Buffer;
use self::chip::Chips;
use self::completion::Completion;
use self::editor::Editor;
use self::history::History;
use self::vim::Vim;
use crate::keymap::Keymap;
use crate::popup::{FileFinder, ListPopup};
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

impl Draft {
    /// Returns the parts of the text.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        self.chips.pieces(self.buffer.text())
    }
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

    /// Returns the vim mode; `None` if it is off. In insert and visual mode,
    /// [`handle`](Self::handle) uses Esc itself and does not ignore it.
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
    pub fn add_history(&mut self, prompt: Vec<Piece>) {
        self.history.add(prompt);
    }

    /// Returns the whole text: pasted texts in full, images as mentions, `!` of a shell command
    /// included. [`to_stored`] keeps what is pasted and what is an image.
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

    /// Replaces the text by a draft and returns the text, so that each session can have its own.
    pub fn swap(&mut self, draft: Draft) -> Draft {
        self.history.leave();
        self.completion.close();
        self.first_row = 0;
        self.vim.iter_mut().for_each(Vim::start_again);
        let (buffer, chips) = self.editor.swap(draft.buffer, draft.chips);
        Draft { buffer, chips }
    }

    /// Inserts a pasted text. A text of more than 10 lines or 1,000 characters, and paths of
    /// images, become chips.
    ///
    /// # Errors
    /// Returns a message for the person if the text is the path of an image that cannot be
    /// attached. The path is inserted as text.
    pub fn paste(&mut self, text: &str) -> Result<(), String> {
        self.forget_chips();
        let pasted = self.editor.paste(text);
        self.changed();
        pasted
    }

    /// Attaches an image as a chip.
    pub fn attach_image(&mut self, image: ImageFile) {
        self.forget_chips();
        self.editor.settle();
        self.editor.buffer.end_step();
        self.editor.insert_chip(Piece::Image(image));
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

    /// Returns whether a list is open beside the composer.
    pub fn has_popup(&self) -> bool {
        self.completion.is_open()
    }

    /// Returns the list beside the composer, if one is open.
    pub fn popup(&mut self) -> Option<&mut ListPopup> {
        self.completion.list()
    }
}

#[cfg(test)]
mod tests;
