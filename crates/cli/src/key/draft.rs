//! Text from the bytes that a terminal sends for keys.

/// The maximum size of a draft, in bytes: more than a person types during a turn.
const LIMIT: usize = 64 * 1024;

/// The input so far: letters, lines and deletions. Keys without text, such as arrows, are ignored.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    text: String,
    /// The first bytes of an incomplete character.
    begun: Vec<u8>,
    within: Within,
}

/// The state within an escape sequence.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    /// After an escape character.
    Escape,
    /// After `ESC [`: parameters up to a final character.
    Control,
    /// After `ESC O`: one more character.
    Shifted,
    /// After `ESC ]`, `ESC P` and similar: text up to a bell or `ESC \`.
    Text,
    /// After an escape character in such a text.
    TextEscape,
}

impl Draft {
    /// Adds bytes from the terminal.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.byte(*byte));
    }

    /// Returns whether the draft is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns whether a sequence is incomplete. If so, either its end follows at once, or the key
    /// was Escape alone.
    pub(crate) fn is_within(&self) -> bool {
        self.within != Within::Nothing
    }

    /// Ends an incomplete sequence; the next byte starts a new one.
    pub(crate) fn end_sequence(&mut self) {
        self.within = Within::Nothing;
    }

    /// Takes the text, without the empty lines at its start and end.
    pub(crate) fn take(&mut self) -> String {
        let draft = std::mem::take(self);
        draft.text.trim_matches('\n').to_owned()
    }

    /// Takes the first complete line if it is this command, and returns the arguments.
    pub(crate) fn take_command(&mut self, command: &str) -> Option<String> {
        let start = self.text.len() - self.text.trim_start_matches('\n').len();
        let (line, _) = self.text.get(start..)?.split_once('\n')?;
        let (name, arguments) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        if name != command {
            return None;
        }
        let (arguments, end) = (arguments.trim().to_owned(), start + line.len() + 1);
        self.text.drain(..end);
        Some(arguments)
    }

    fn byte(&mut self, byte: u8) {
        use Within::{Control, Escape, Nothing, Shifted, Text, TextEscape};
        self.within = match (self.within, byte) {
            (Nothing, 0x1b) => Escape,
            (Nothing, byte) => {
                self.key(byte);
                Nothing
            }
            (Escape, b'[') => Control,
            (Escape, b'O') => Shifted,
            (Escape, b']' | b'P' | b'X' | b'^' | b'_') => Text,
            (Escape, 0x1b) => Escape,
            (Control, 0x20..=0x3f) => Control,
            (Text, 0x07) => Nothing,
            (Text | TextEscape, 0x1b) => TextEscape,
            (TextEscape, b'\\') => Nothing,
            (Text | TextEscape, _) => Text,
            (Escape | Control | Shifted, _) => Nothing,
        };
    }

    fn key(&mut self, byte: u8) {
        match byte {
            b'\r' | b'\n' => self.letter('\n'),
            // Backspace, Ctrl-W and Ctrl-U, as in a terminal.
            0x08 | 0x7f => drop(self.text.pop()),
            0x17 => {
                let line = self.text.trim_end_matches([' ', '\t']);
                self.text.truncate(line.rfind([' ', '\t', '\n']).map_or(0, |at| at + 1));
            }
            0x15 => self.text.truncate(self.text.rfind('\n').map_or(0, |at| at + 1)),
            b'\t' => self.letter(' '),
            0..0x20 => {}
            0x20..0x7f => self.letter(char::from(byte)),
            byte => {
                self.begun.push(byte);
                match std::str::from_utf8(&self.begun) {
                    Ok(letter) => {
                        letter.chars().next().into_iter().for_each(|letter| self.letter(letter))
                    }
                    Err(error) if error.error_len().is_none() => return,
                    Err(_) => {}
                }
            }
        }
        self.begun.clear();
    }

    fn letter(&mut self, letter: char) {
        let shown = letter == '\n' || !letter.is_control();
        if shown && self.text.len() < LIMIT {
            self.text.push(letter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;

    fn typed(keys: &str) -> String {
        let mut draft = Draft::default();
        // A terminal can send any number of bytes at once.
        keys.as_bytes().chunks(3).for_each(|some| draft.push(some));
        draft.take()
    }

    #[test]
    fn text_stays_and_other_keys_are_ignored() {
        for (keys, text) in [
            ("run the tests", "run the tests"),
            ("ñ 漢字 👍", "ñ 漢字 👍"),
            ("one\rtwo\r\r", "one\ntwo"),
            ("\u{1b}[D\u{1b}[1;5Ca\u{1b}OPb\u{1b}[3~c", "abc"),
            ("\u{1b}[200~pasted\rtext\u{1b}[201~", "pasted\ntext"),
            ("\u{1b}]11;rgb:0/0/0\u{7}x\u{1b}P1$r0m\u{1b}\\y", "xy"),
            ("hellp\u{7f}o", "hello"),
            ("漢\u{7f}x", "x"),
            ("one two  \u{17}three", "one three"),
            ("one\rtwo\u{15}three", "one\nthree"),
            ("\u{7f}\u{15}\u{17}\u{4}\u{c}", ""),
            ("a\u{9b}b", "ab"),
        ] {
            assert_eq!(typed(keys), text, "{keys:?}");
        }
    }

    #[test]
    fn escape_alone_removes_no_letter() {
        let mut draft = Draft::default();
        draft.push(b"a\x1b");
        assert!(draft.is_within());
        draft.end_sequence();
        draft.push(b"bc\xff\xe6d");
        assert_eq!(draft.take(), "abcd");
        assert_eq!(draft.take(), "");
    }

    #[test]
    fn the_draft_has_a_limit() {
        let mut draft = Draft::default();
        (0..100).for_each(|_| draft.push(&[b'x'; 1024]));
        assert_eq!(draft.take().len(), super::LIMIT);
    }
}
