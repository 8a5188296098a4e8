//! Divides output into characters and control sequences.

/// The length to which a control sequence or a string is read.
const LONGEST: usize = 4096;

/// The number of parameters of a sequence that are kept.
const MOST_PARAMETERS: usize = 32;

/// A unit of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A printable character.
    Text(char),
    /// A control character.
    Control(char),
    /// A sequence of an escape character and one more character.
    Escape(char),
    /// A control sequence.
    Sequence {
        /// Whether a mark such as `?` makes its meaning private.
        private: bool,
        /// The parameters; a missing one is 0.
        parameters: Vec<u16>,
        /// The character that ends the sequence and gives its meaning.
        last: char,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    /// An escape sequence with an intermediate character.
    Charset,
    Sequence,
    /// A text for the terminal, such as a title, which is skipped.
    Text,
    /// An escape character in such a text.
    TextEscape,
}

/// A parser that keeps unfinished sequences and characters.
#[derive(Debug, Default)]
pub(super) struct Parser {
    state: State,
    /// The bytes of an unfinished character.
    character: Vec<u8>,
    private: bool,
    /// Whether the sequence has a character that makes it another sequence.
    is_other: bool,
    parameters: Vec<u16>,
    length: usize,
}

impl Parser {
    /// Takes one byte. Returns the unit that it completes. Bytes that are not UTF-8 become
    /// replacement characters. The start of a character that does not go on is dropped.
    pub(super) fn push(&mut self, byte: u8) -> Option<Token> {
        match self.state {
            State::Ground => self.ground(byte),
            State::Escape => self.escape(byte),
            State::Charset => {
                self.state = State::Ground;
                None
            }
            State::Sequence => self.sequence(byte),
            State::Text | State::TextEscape => {
                self.text(byte);
                None
            }
        }
    }

    fn ground(&mut self, byte: u8) -> Option<Token> {
        if byte < 0x80 {
            self.character.clear();
            return match byte {
                0x1b => {
                    self.state = State::Escape;
                    None
                }
                0..0x20 | 0x7f => Some(Token::Control(char::from(byte))),
                _ => Some(Token::Text(char::from(byte))),
            };
        }
        self.character.push(byte);
        match std::str::from_utf8(&self.character) {
            Ok(text) => {
                let character = text.chars().next();
                self.character.clear();
                self.decoded(character?)
            }
            Err(error) if error.error_len().is_none() => None,
            Err(_) => {
                self.character.clear();
                // The byte may begin the next character.
                if byte >= 0xc2 {
                    self.character.push(byte);
                }
                Some(Token::Text('\u{fffd}'))
            }
        }
    }

    fn decoded(&mut self, character: char) -> Option<Token> {
        match character {
            '\u{9b}' => {
                self.begin_sequence();
                None
            }
            '\u{80}'..='\u{9f}' => Some(Token::Control(character)),
            character => Some(Token::Text(character)),
        }
    }

    fn begin_sequence(&mut self) {
        self.state = State::Sequence;
        (self.private, self.is_other, self.length) = (false, false, 0);
        self.parameters = vec![0];
    }

    fn escape(&mut self, byte: u8) -> Option<Token> {
        self.state = State::Ground;
        match byte {
            b'[' => {
                self.begin_sequence();
                None
            }
            b']' | b'P' | b'X' | b'^' | b'_' => {
                (self.state, self.length) = (State::Text, 0);
                None
            }
            0x1b => {
                self.state = State::Escape;
                None
            }
            0x20..=0x2f => {
                self.state = State::Charset;
                None
            }
            0x30..=0x7e => Some(Token::Escape(char::from(byte))),
            _ => self.ground(byte),
        }
    }

    fn sequence(&mut self, byte: u8) -> Option<Token> {
        self.length += 1;
        if self.length > LONGEST {
            self.state = State::Ground;
            return None;
        }
        match byte {
            b'0'..=b'9' => {
                if let Some(last) = self.parameters.last_mut() {
                    *last = last.saturating_mul(10).saturating_add(u16::from(byte - b'0'));
                }
            }
            b';' | b':' if self.parameters.len() < MOST_PARAMETERS => self.parameters.push(0),
            b';' | b':' => {}
            b'<'..=b'?' => self.private = true,
            0x20..=0x2f => self.is_other = true,
            0x40..=0x7e => {
                self.state = State::Ground;
                let parameters = std::mem::take(&mut self.parameters);
                let last = char::from(byte);
                let token = Token::Sequence { private: self.private, parameters, last };
                return (!self.is_other).then_some(token);
            }
            // A control character inside of a sequence acts at once.
            0x1b => self.state = State::Escape,
            0..0x20 => return Some(Token::Control(char::from(byte))),
            _ => {
                self.state = State::Ground;
                return self.ground(byte);
            }
        }
        None
    }

    fn text(&mut self, byte: u8) {
        self.length += 1;
        let ends = byte == 0x07 || self.length > LONGEST;
        self.state = match (self.state, byte) {
            _ if ends => State::Ground,
            (State::TextEscape, b'\\') => State::Ground,
            (_, 0x1b) => State::TextEscape,
            // An unfinished text hides no line.
            (_, b'\n') => State::Ground,
            _ => State::Text,
        };
    }
}
