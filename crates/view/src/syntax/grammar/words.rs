//! Programming languages: words, numbers, strings and comments.

use crate::span::Role;
use crate::syntax::highlighter::State;
use crate::syntax::languages::{Language, Quotes};
use crate::syntax::pieces::Pieces;

/// The reader of one line.
struct Reader<'a, 'p> {
    language: &'static Language,
    /// The whole line, and where the rest begins.
    line: &'a str,
    at: usize,
    pieces: &'p mut Pieces,
    /// The last character that is not white space.
    last: Option<char>,
    /// Whether the next word can be the name of a command.
    command: bool,
    /// The word that ends the text which begins in the next line.
    heredoc: Option<String>,
}

/// Reads one line.
pub(crate) fn line(
    language: &'static Language,
    state: State,
    text: &str,
    pieces: &mut Pieces,
) -> State {
    let mut reader =
        Reader { language, line: text, at: 0, pieces, last: None, command: true, heredoc: None };
    let mut state = state;
    loop {
        state = match state {
            State::Comment { open, close, depth } => match reader.comment(open, close, depth) {
                None => State::Code,
                Some(state) => return state,
            },
            State::Text { close, escapes } => match reader.text(close, escapes) {
                true => State::Code,
                false => return State::Text { close, escapes },
            },
            State::RawText { hashes } => match reader.raw_text(hashes) {
                true => State::Code,
                false => return State::RawText { hashes },
            },
            State::Heredoc { word } => {
                reader.take(reader.rest().len(), Role::String);
                return match text.trim() == word {
                    true => State::Code,
                    false => State::Heredoc { word },
                };
            }
            _ if reader.rest().is_empty() => {
                return match reader.heredoc.take() {
                    Some(word) => State::Heredoc { word },
                    None => State::Code,
                };
            }
            _ => reader.code(),
        };
    }
}

impl<'a> Reader<'a, '_> {
    fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Adds the next bytes of the line with this role.
    fn take(&mut self, length: usize, role: Role) -> &'a str {
        let text = self.rest().get(..length).unwrap_or_else(|| self.rest());
        self.at += text.len();
        self.pieces.push(text, role);
        if let Some(last) = text.trim_end().chars().next_back() {
            self.last = Some(last);
        }
        text
    }

    /// Reads the rest of a comment. Returns the state if the comment goes on in the next line.
    fn comment(
        &mut self,
        open: &'static str,
        close: &'static str,
        mut depth: u32,
    ) -> Option<State> {
        let rest = self.rest();
        let mut from = 0;
        loop {
            let ahead = rest.get(from..).unwrap_or_default();
            let end = ahead.find(close);
            let begin = match self.language.nested_comments {
                true => ahead.find(open).filter(|begin| end.is_none_or(|end| *begin < end)),
                false => None,
            };
            match (begin, end) {
                (Some(begin), _) => {
                    depth += 1;
                    from += begin + open.len();
                }
                (None, Some(end)) => {
                    depth = depth.saturating_sub(1);
                    from += end + close.len();
                    if depth == 0 {
                        self.take(from, Role::Comment);
                        return None;
                    }
                }
                (None, None) => {
                    self.take(rest.len(), Role::Comment);
                    return Some(State::Comment { open, close, depth });
                }
            }
        }
    }

    /// Reads the rest of a string. Returns whether it ends in this line.
    fn text(&mut self, close: &str, escapes: bool) -> bool {
        let rest = self.rest();
        let mut escaped = false;
        for (at, character) in rest.char_indices() {
            if escaped {
                escaped = false;
            } else if escapes && character == '\\' {
                escaped = true;
            } else if rest.get(at..).is_some_and(|ahead| ahead.starts_with(close)) {
                self.take(at + close.len(), Role::String);
                return true;
            }
        }
        self.take(rest.len(), Role::String);
        false
    }

    /// Reads the rest of a raw string. Returns whether it ends in this line.
    fn raw_text(&mut self, hashes: usize) -> bool {
        let rest = self.rest();
        for (at, _) in rest.match_indices('"') {
            let after = rest.get(at + 1..).unwrap_or_default();
            if after.bytes().take_while(|byte| *byte == b'#').count() >= hashes {
                self.take(at + 1 + hashes, Role::String);
                return true;
            }
        }
        self.take(rest.len(), Role::String);
        false
    }

    /// Reads the next word, number, string or comment.
    fn code(&mut self) -> State {
        let (rest, language) = (self.rest(), self.language);
        let Some(first) = rest.chars().next() else { return State::Code };
        if first == ' ' {
            self.take(rest.len() - rest.trim_start_matches(' ').len(), Role::Code);
            return State::Code;
        }
        if self.begins_line_comment(rest) {
            self.take(rest.len(), Role::Comment);
            return State::Code;
        }
        for (open, close) in language.block_comments {
            if rest.starts_with(open) {
                self.take(open.len(), Role::Comment);
                return State::Comment { open, close, depth: 1 };
            }
        }
        if let Some(state) = self.quoted(rest) {
            return state;
        }
        if first.is_ascii_digit() {
            self.command &= self.is_value();
            self.take(number(rest), Role::Constant);
            return State::Code;
        }
        match first {
            '$' if language.dollar => self.variable(rest),
            '@' if language.decorators && rest[1..].starts_with(is_word) => {
                self.take(1 + word(&rest[1..]), Role::Function);
            }
            '#' if language.directives && self.last.is_none() => {
                let spaces = rest[1..].len() - rest[1..].trim_start().len();
                self.take(1 + spaces + word(&rest[1 + spaces..]), Role::Keyword);
            }
            first if is_word(first) => self.word(rest),
            _ => self.symbol(rest, first),
        }
        State::Code
    }

    fn begins_line_comment(&self, rest: &str) -> bool {
        let begins = self.language.line_comments.iter().any(|mark| rest.starts_with(mark));
        let before = self.line.get(..self.at).unwrap_or_default();
        let free = !self.language.words_hold_comments
            || before.is_empty()
            || before.ends_with([' ', ';', '(']);
        begins && free
    }

    /// Reads the beginning of a string. Returns the state after it, if a string begins here.
    fn quoted(&mut self, rest: &str) -> Option<State> {
        if self.language.raw_strings && rest.starts_with(['r', 'b']) {
            let prefix = rest.len() - rest.trim_start_matches(['b', 'r', 'c']).len();
            let after = rest.get(prefix..).unwrap_or_default();
            let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
            let raw = rest.get(..prefix).is_some_and(|prefix| prefix.ends_with('r'));
            if raw && prefix <= 2 && after.get(hashes..).is_some_and(|t| t.starts_with('"')) {
                self.take(prefix + hashes + 1, Role::String);
                return Some(State::RawText { hashes });
            }
        }
        let Quotes { open, close, escapes, lines } =
            *self.language.strings.iter().find(|quotes| rest.starts_with(quotes.open))?;
        if self.language.lifetimes && open == "'" && !is_character(rest) {
            self.take(1 + word(&rest[1..]), Role::Type);
            return Some(State::Code);
        }
        self.command &= self.is_value();
        self.take(open.len(), Role::String);
        if lines {
            return Some(State::Text { close, escapes });
        }
        self.text(close, escapes);
        Some(State::Code)
    }

    /// Reads a variable that begins with `$`.
    fn variable(&mut self, rest: &str) {
        let after = &rest[1..];
        let length = match after.strip_prefix('{') {
            Some(inside) => inside.find('}').map_or(after.len(), |end| end + 2),
            None if after.starts_with(is_word) => word(after),
            None => usize::from(after.starts_with(['?', '!', '@', '*', '#', '$', '-'])),
        };
        let role = if length == 0 { Role::Code } else { Role::Constant };
        self.take(1 + length, role);
        self.command = length == 0;
    }

    /// Reads a word and finds its role.
    fn word(&mut self, rest: &str) {
        let mut length = word(rest);
        if self.language.commands {
            length = rest
                .find(|c: char| !(is_word(c) || matches!(c, '-' | '.' | '/' | ':' | '+' | '@')))
                .unwrap_or(rest.len());
        }
        let text = rest.get(..length).unwrap_or(rest);
        let after = rest.get(length..).unwrap_or_default();
        let member = self.last == Some('.') && !self.line[..self.at].ends_with("..");
        let known = if member { None } else { self.language.role_of(text) };
        let upper = text.starts_with(char::is_uppercase);
        let role = match known {
            Some(role) => role,
            None if self.language.commands => {
                let variable = after.starts_with('=') || self.is_value();
                if self.command && !variable { Role::Function } else { Role::Code }
            }
            None if self.language.macros && after.starts_with('!') && !after.starts_with("!=") => {
                length += 1;
                Role::Function
            }
            None if self.language.capital_types && upper && is_constant(text) => Role::Constant,
            None if self.language.capital_types && upper => Role::Type,
            None if self.language.calls && after.trim_start_matches(' ').starts_with('(') => {
                Role::Function
            }
            None => Role::Code,
        };
        self.command = self.language.commands
            && (after.starts_with('=')
                || (self.command && self.is_value())
                || (known == Some(Role::Keyword) && text != "in"));
        self.take(length, role);
    }

    /// Whether the next word is the value of a variable, such as in `NAME=word`.
    fn is_value(&self) -> bool {
        self.line.get(..self.at).is_some_and(|before| before.ends_with('='))
    }

    /// Reads a character that begins nothing else.
    fn symbol(&mut self, rest: &str, first: char) {
        if self.language.commands {
            if let Some(word) = heredoc(rest) {
                self.heredoc = Some(word);
            }
            let begins = matches!(first, '|' | '&' | ';' | '(' | '`' | '{' | '!');
            self.command = begins || (self.command && first == '=');
        }
        let length = first.len_utf8();
        // A word of options such as `--all-targets` stays one piece.
        let dashes = rest.len() - rest.trim_start_matches('-').len();
        let option = self.language.commands && dashes > 0;
        match option {
            true => self.take(dashes + word(rest.get(dashes..).unwrap_or_default()), Role::Code),
            false => self.take(length, Role::Code),
        };
    }
}

/// Whether a character belongs to a word.
pub(super) fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// Returns the length of the word at the beginning of a text.
pub(super) fn word(text: &str) -> usize {
    text.find(|character| !is_word(character)).unwrap_or(text.len())
}

/// Returns the length of the number at the beginning of a text.
pub(super) fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut length = 0;
    while let Some(byte) = bytes.get(length) {
        let next = bytes.get(length + 1);
        let sign = !hexadecimal && matches!(byte, b'e' | b'E');
        match byte {
            _ if sign && matches!(next, Some(b'+' | b'-')) => length += 2,
            b'.' if next.is_some_and(u8::is_ascii_digit) => length += 1,
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => length += 1,
            _ => break,
        }
    }
    length
}

/// Whether a text that begins with `'` begins with a character, not with a lifetime.
fn is_character(text: &str) -> bool {
    let mut rest = text.chars().skip(1);
    match rest.next() {
        Some('\\') | None => true,
        Some(character) => !is_word(character) || rest.next() == Some('\''),
    }
}

/// Whether a word has the form of a constant, such as `MAX_SIZE`.
fn is_constant(word: &str) -> bool {
    word.len() > 1 && !word.contains(char::is_lowercase)
}

/// Returns the last line of the text that a line of a shell announces, such as `EOF` for `<<'EOF'`.
fn heredoc(text: &str) -> Option<String> {
    let after = text.strip_prefix("<<")?;
    let after = after.strip_prefix('-').unwrap_or(after).trim_start_matches(['\'', '"', '\\', ' ']);
    let length = word(after);
    after.get(..length).filter(|word| word.starts_with(char::is_alphabetic)).map(str::to_owned)
}
