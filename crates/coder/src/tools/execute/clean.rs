//! Converts a program's output to plain text, as a terminal would show it.

/// The maximum length of an unfinished line, in bytes. Such a line is held back because the program
/// may still overwrite it.
const LINE: usize = 16 * 1024;

/// Removes control sequences such as colours, titles and cursor moves from a stream that may be cut
/// anywhere. A carriage return makes the next text replace the line, because programs use it to
/// show progress. A backspace removes a character.
#[derive(Debug, Default)]
pub(super) struct OutputCleaner {
    state: State,
    /// The last line, while it is unfinished.
    line: Vec<u8>,
    /// After a carriage return: the next character restarts the line, unless it is a line feed.
    returned: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After an escape.
    Escape,
    /// In a control sequence, up to its last byte.
    Sequence,
    /// In a string command, which ends at a bell or a string terminator.
    Command,
    /// After an escape in a string command.
    CommandEscape,
    /// After an escape and an intermediate byte: the sequence has one more byte.
    One,
}

impl OutputCleaner {
    /// Returns the lines that these bytes complete. The last line is held back while it is
    /// unfinished.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut whole = Vec::new();
        for byte in bytes {
            self.state = match (self.state, *byte) {
                (State::Text, 0x1B) => State::Escape,
                (State::Text, byte) => {
                    self.text(byte, &mut whole);
                    State::Text
                }
                (State::Escape, b'[') => State::Sequence,
                (State::Escape, b']' | b'P' | b'X' | b'^' | b'_') => State::Command,
                (State::Escape, b' '..=b'/') => State::One,
                (State::Sequence, b' '..=b'?') => State::Sequence,
                (State::Command, 0x1B) => State::CommandEscape,
                (State::CommandEscape, byte) if byte != b'\\' => State::Command,
                (State::Command, byte) if byte != 0x07 => State::Command,
                // This byte cannot be part of a sequence, so the sequence was cut off.
                (State::Sequence, b'\n') => {
                    self.text(b'\n', &mut whole);
                    State::Text
                }
                _ => State::Text,
            };
        }
        whole
    }

    /// The current last line.
    pub(super) fn open_line(&self) -> &[u8] {
        &self.line
    }

    fn text(&mut self, byte: u8, whole: &mut Vec<u8>) {
        match byte {
            b'\n' => {
                whole.append(&mut self.line);
                whole.push(b'\n');
                self.returned = false;
            }
            b'\r' => self.returned = true,
            0x08 => while self.line.pop().is_some_and(|byte| byte & 0xC0 == 0x80) {},
            b'\t' | b' '.. => {
                if std::mem::take(&mut self.returned) {
                    self.line.clear();
                }
                self.line.push(byte);
                if self.line.len() >= LINE {
                    whole.append(&mut self.line);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OutputCleaner;

    fn clean(text: &str, piece: usize) -> String {
        let mut clean = OutputCleaner::default();
        let mut whole: Vec<u8> =
            text.as_bytes().chunks(piece).flat_map(|bytes| clean.push(bytes)).collect();
        whole.extend_from_slice(clean.open_line());
        String::from_utf8(whole).unwrap()
    }

    #[test]
    fn output_is_cleaned_wherever_the_stream_is_cut() {
        for (text, shown) in [
            ("\u{1b}[1;31mred\u{1b}[0m\r\nplain\r\n", "red\nplain\n"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b", "alinkb"),
            ("10%\r50%\r100%\r\ndone", "100%\ndone"),
            ("abc\u{8}\u{8}xé\u{8}y", "axy"),
            ("\u{1b}(Ba\u{1b}=b\u{1b}7c\u{1b}M", "abc"),
            ("bell\u{7} null\0 tab\t€", "bell null tab\t€"),
            ("\u{1b}[12\nnext", "\nnext"),
            ("\u{1b}P1$r\u{1b}x\u{1b}\\after", "after"),
        ] {
            for piece in 1..6 {
                assert_eq!(clean(text, piece), shown, "{text:?}");
            }
        }
    }

    #[test]
    fn endless_line_is_held_back_only_up_to_a_limit() {
        let mut clean = OutputCleaner::default();
        let given = clean.push(&b"x".repeat(1_000_000)).len();
        assert!(given > 980_000 && clean.open_line().len() < 20_000);
        assert_eq!(
            clean.push(&b"\x1b]".repeat(500_000)).len() + clean.open_line().len(),
            1_000_000 - given
        );
    }
}
