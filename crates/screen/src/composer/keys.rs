//! What keys do in the composer.

use super::chip::Piece;
use super::completion::Accepted;
use super::editor::Editor;
use super::grapheme::is_chip;
use super::vim::{Vim, VimEvent, VimMode};
use super::{Composer, ComposerEvent, Submitted};
use crate::keymap::{Action, Context, Key};
use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use ratatui::layout::Rect;

impl Composer {
    /// Handles a key.
    pub fn handle(&mut self, key: KeyEvent) -> ComposerEvent {
        if key.kind == KeyEventKind::Release {
            return ComposerEvent::Ignored;
        }
        let character = Key::of(key).character();
        if character.is_some_and(is_chip) {
            return ComposerEvent::Ignored;
        }
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
                Some(Action::DeleteBackward) => {
                    self.act(Action::Left);
                }
                Some(action) if Editor::edits(action) => {}
                _ => return None,
            },
            VimEvent::History { previous } => {
                self.walk_history(previous);
            }
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
    pub(super) fn notice(&mut self) {
        if let Some(vim) = &mut self.vim {
            vim.notice(&mut self.editor.buffer);
        }
    }

    /// Handles a key while a list is open. Returns `None` if the key is not for the list.
    fn handle_popup(&mut self, key: KeyEvent, character: Option<char>) -> Option<ComposerEvent> {
        match self.keymap.action(Context::Popup, key) {
            Some(Action::Accept) => {
                let enter = self.keymap.action(Context::Composer, key) == Some(Action::Submit);
                let is_history = self.completion.is_history();
                let event = self.accept(enter);
                // Only Enter has another meaning if there is nothing to choose.
                return event.or_else(|| (is_history || !enter).then_some(ComposerEvent::Changed));
            }
            Some(Action::Dismiss) => self.completion.dismiss(),
            Some(Action::Interrupt) if self.completion.is_history() => self.completion.dismiss(),
            Some(action) if self.completion.scroll(action) => {}
            _ if self.completion.is_history() => {
                let action = self.keymap.action(Context::Composer, key);
                if !self.completion.search_key(&self.history, character, action) {
                    // A movement goes on in the chosen prompt. Other keys leave the text as it was.
                    if action.is_some_and(Editor::moves) {
                        self.accept(false);
                    }
                    self.completion.close();
                    return None;
                }
            }
            _ => return None,
        }
        Some(ComposerEvent::Changed)
    }

    /// Handles a click on a row of the area in which the list beside the composer was drawn:
    /// chooses the entry there, as Tab does.
    pub fn click_list(&mut self, area: Rect, row: u16) -> ComposerEvent {
        match self.popup().is_some_and(|list| list.click(area, row)) {
            true => self.accept(false).unwrap_or(ComposerEvent::Changed),
            false => ComposerEvent::Ignored,
        }
    }

    /// Chooses the selected entry. Returns `None` if no entry is selected, or if Enter sends the
    /// text that is there already.
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

    pub(super) fn changed(&mut self) {
        self.history.leave();
        self.update_completion();
        self.notice();
    }

    pub(super) fn update_completion(&mut self) {
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
        let before = buffer.previous(buffer.cursor())..buffer.cursor();
        if !now && buffer.slice(before.clone()) == "\\" {
            buffer.end_step();
            buffer.replace(before, "\n");
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
