//! Splits command lines into words, quotes and leading variables, without a shell.

use std::fmt;

/// Why a command line cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// A quote is never closed.
    OpenQuote {
        /// `'` or `"`.
        quote: char,
        /// The byte offset of the quote.
        at: usize,
    },
    /// The line ends in a backslash that escapes nothing.
    LastBackslash,
    /// There is no program.
    NoProgram,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::OpenQuote { quote, at } => {
                write!(
                    f,
                    "the command line opens a quote {quote} at byte {at} and never closes it: close it, or write \\{quote}"
                )
            }
            ParseError::LastBackslash => f.write_str(
                "the command line ends in a backslash that quotes nothing: remove it, or write two",
            ),
            ParseError::NoProgram => f.write_str(
                "the command line names no program: expected, for example, \"my-agent --acp\"",
            ),
        }
    }
}

impl std::error::Error for ParseError {}

#[derive(Default)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// The length of the text before its first quoted character.
    plain: Option<usize>,
}

impl Word {
    /// Returns name and value if this word is `NAME=value` with an unquoted `NAME=`.
    pub(crate) fn assignment(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=')?;
        let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let all = name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_');
        (starts && all && self.plain.is_none_or(|plain| plain > name.len()))
            .then_some((name, value))
    }
}

/// Splits a command line into words.
pub(crate) fn words(line: &str) -> Result<Vec<Word>, ParseError> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        if character.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        if !matches!(character, '\'' | '"' | '\\') {
            word.text.push(character);
            continue;
        }
        word.plain.get_or_insert(word.text.len());
        if character == '\\' {
            word.text.push(characters.next().ok_or(ParseError::LastBackslash)?.1);
            continue;
        }
        loop {
            match characters.next().ok_or(ParseError::OpenQuote { quote: character, at })?.1 {
                end if end == character => break,
                '\\' if character == '"' => {
                    let (_, next) =
                        characters.next().ok_or(ParseError::OpenQuote { quote: '"', at })?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        word.text.push('\\');
                    }
                    word.text.push(next);
                }
                other => word.text.push(other),
            }
        }
    }
    words.extend(word);
    Ok(words)
}

/// Quotes a word for [`words`].
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,~^".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, words};

    #[test]
    fn quoted_words_read_back_unchanged() {
        for word in ["", "a", "a b", "it's", "\"\\", "A=1", "$(x)", "ñ\n\t", "'"] {
            let read = words(&quoted(word)).unwrap_or_default();
            assert_eq!(read.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), [word]);
            assert!(read.iter().all(|word| word.assignment().is_none()), "{word}");
        }
    }
}
