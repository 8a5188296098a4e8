//! An editable line, for filters, titles and fields.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// An editable line.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineInput {
    text: String,
    /// The position of the cursor in bytes, at the boundary of a character.
    cursor: usize,
}

impl LineInput {
    /// Makes a line with this text and the cursor at its end.
    pub(crate) fn with(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub(crate) fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.cursor = 0;
    }

    /// Inserts text at the cursor, on one line.
    pub(crate) fn insert(&mut self, text: &str) {
        let line = text.replace(char::is_control, " ");
        self.text.insert_str(self.cursor, &line);
        self.cursor += line.len();
    }

    /// Handles a key; `false` if the key does not edit.
    pub(crate) fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char('u') if control => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            KeyCode::Char('k') if control => self.text.truncate(self.cursor),
            KeyCode::Char('w') if control => self.delete_word(),
            KeyCode::Char(c) if !control && !alt => {
                self.text.insert(self.cursor, c);
                self.cursor += c.len_utf8();
            }
            KeyCode::Backspace if alt || control => self.delete_word(),
            KeyCode::Backspace => {
                let end = self.cursor;
                self.left();
                self.text.drain(self.cursor..end);
            }
            KeyCode::Delete => {
                let length = self.after().chars().next().map_or(0, char::len_utf8);
                self.text.drain(self.cursor..self.cursor + length);
            }
            KeyCode::Left => self.left(),
            KeyCode::Right => {
                self.cursor += self.after().chars().next().map_or(0, char::len_utf8);
            }
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    fn after(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    fn left(&mut self) {
        self.cursor -= self.before().chars().next_back().map_or(0, char::len_utf8);
    }

    fn delete_word(&mut self) {
        let kept = self.before().trim_end();
        let start = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        self.text.drain(start..self.cursor);
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_by_characters_and_words() {
        let mut line = LineInput::with("größe zwei");
        let mut press = |code, modifiers| {
            line.key(KeyEvent::new(code, modifiers));
            line.text().to_owned()
        };
        assert_eq!(press(KeyCode::Char('w'), KeyModifiers::CONTROL), "größe ");
        assert_eq!(press(KeyCode::Backspace, KeyModifiers::NONE), "größe");
        press(KeyCode::Left, KeyModifiers::NONE);
        press(KeyCode::Left, KeyModifiers::NONE);
        assert_eq!(press(KeyCode::Delete, KeyModifiers::NONE), "gröe");
        assert_eq!(press(KeyCode::Char('ß'), KeyModifiers::SHIFT), "größe");
        assert_eq!(press(KeyCode::Char('u'), KeyModifiers::CONTROL), "e");
        line.insert("a\nb");
        assert_eq!(line.text(), "a be");
    }
}
