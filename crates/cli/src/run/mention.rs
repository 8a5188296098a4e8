//! Files that a prompt names with `@path`.

use std::borrow::Cow;

/// A part of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'t> {
    /// Plain text.
    Text(&'t str),
    /// A mention of a file.
    Mention(Mention<'t>),
}

/// A file named with `@path`, `@"a path"` or `@'a path'`. Between double quotes, `\"`, `\\`, `\n`
/// and `\u{…}` are escapes; other backslashes are part of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention<'t> {
    /// The mention as written, from the `@` on.
    pub(super) written: &'t str,
    /// The path as written, without quotes. [`Mention::file`] returns the path itself.
    pub(super) path: &'t str,
    /// Whether the path was quoted. If so, punctuation after the closing quote is not part of the
    /// path.
    pub(super) quoted: bool,
}

/// Splits a text into parts. A path begins with `@` at the start of a word and ends with the word
/// or its quote.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut begun, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('@')) {
        let start = at + found;
        at = start + 1;
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if before.is_some_and(|character| {
            !character.is_whitespace() && !matches!(character, '(' | '[' | '{' | '"' | '\'' | '`')
        }) {
            continue;
        }
        let Some(mention) = text.get(start..).and_then(mention) else { continue };
        parts.extend(text.get(begun..start).filter(|before| !before.is_empty()).map(Part::Text));
        at = start + mention.written.len();
        begun = at;
        parts.push(Part::Mention(mention));
    }
    parts.extend(text.get(begun..).filter(|rest| !rest.is_empty()).map(Part::Text));
    parts
}

/// Returns the mention at the start of a text that begins with `@`.
fn mention(text: &str) -> Option<Mention<'_>> {
    let rest = text.get(1..)?;
    if let Some(quote) = rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let path = rest.get(1..)?;
        let path = path
            .get(..closing(path, quote)?)
            .filter(|path| !path.is_empty() && !path.contains('\n'))?;
        return Some(Mention { written: text.get(..path.len() + 3)?, path, quoted: true });
    }
    let path = rest.get(..rest.find(char::is_whitespace).unwrap_or(rest.len()))?;
    // `@` and `@@` are not names of files.
    let path = Some(path).filter(|path| !path.is_empty() && !path.starts_with('@'))?;
    Some(Mention { written: text.get(..path.len() + 1)?, path, quoted: false })
}

/// Returns where the quote ends. A backslash escapes a double quote.
fn closing(path: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let ends = |(_, letter): &(usize, char)| {
        let ends = *letter == quote && !is_escaped;
        is_escaped = *letter == '\\' && quote == '"' && !is_escaped;
        ends
    };
    path.char_indices().find(ends).map(|(at, _)| at)
}

/// Reads the escapes of a path between double quotes.
fn unescaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let (letter, length) = escape_at(escape).unwrap_or(('\\', 1));
        text.push(letter);
        rest = escape.get(length..).unwrap_or_default();
    }
    text + rest
}

/// Returns the character of the escape with which a text begins, and the length of the escape.
fn escape_at(text: &str) -> Option<(char, usize)> {
    match text.chars().nth(1)? {
        'n' => Some(('\n', 2)),
        letter @ ('"' | '\\') => Some((letter, 2)),
        'u' => {
            let digits = text.get(3..text.find('}')?)?;
            let is_braced = text.get(2..3) == Some("{");
            let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            is_braced.then_some((letter, digits.len() + 4))
        }
        _ => None,
    }
}

impl<'t> Mention<'t> {
    /// Returns the path of the file.
    pub(super) fn file(self) -> Cow<'t, str> {
        match self.written.starts_with("@\"") && self.path.contains('\\') {
            true => Cow::Owned(unescaped(self.path)),
            false => Cow::Borrowed(self.path),
        }
    }

    /// Returns the possible paths, the longest first: punctuation after a path can belong to the
    /// sentence.
    pub(super) fn candidates(self) -> impl Iterator<Item = Mention<'t>> {
        let shorter = move |mention: &Mention<'t>| {
            let last = mention.path.chars().next_back()?;
            let path = mention
                .path
                .strip_suffix(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`'])?;
            let written = mention.written.get(..mention.written.len() - last.len_utf8())?;
            (!path.is_empty() && !mention.quoted).then_some(Mention {
                written,
                path,
                quoted: false,
            })
        };
        std::iter::successors(Some(self), shorter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(bool, &str)> {
        let parts = parts(text);
        parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => (false, text),
                Part::Mention(mention) => (true, mention.path),
            })
            .collect()
    }

    #[test]
    fn a_path_starts_with_an_at_sign_at_the_start_of_a_word() {
        assert_eq!(
            read("see @a.rs and @b/c d"),
            [(false, "see "), (true, "a.rs"), (false, " and "), (true, "b/c"), (false, " d")]
        );
        assert_eq!(read("(@a.rs)"), [(false, "("), (true, "a.rs)")]);
        assert_eq!(
            read("@\"a b.png\"? @'it s'"),
            [(true, "a b.png"), (false, "? "), (true, "it s")]
        );
        for text in ["me@host.org", "@", "@@ -1,2 @@", "@\"open", "@\"\"", "a @ b", ""] {
            assert!(read(text).iter().all(|(mention, _)| !mention), "{text}");
        }
        assert_eq!(read("@é.rs,"), [(true, "é.rs,")]);
    }

    #[test]
    fn a_mention_of_the_composer_is_read_as_its_path() {
        for path in [
            "a.rs",
            "a b.rs",
            "漢字 👩‍👩‍👧.md",
            "a\u{3000}b",
            "a\nb",
            "a \"b\" 'c'",
            "'",
            "\"",
            "@a/b",
            "a b\\",
            "a b\\n",
            "\\\"\n'",
            "a\u{1b}[2J\u{100000}",
            "a.",
            "\t",
        ] {
            let written = attache_screen::composer::mention(path).unwrap();
            assert!(!written.contains(char::is_control), "{written:?}");
            for text in [written.clone(), format!("see {written} and")] {
                let parts = parts(&text);
                let mention = parts.iter().find_map(|part| match part {
                    Part::Mention(mention) => mention.candidates().next(),
                    Part::Text(_) => None,
                });
                assert_eq!(mention.map(Mention::file).as_deref(), Some(path), "{text}");
            }
        }
        // Other backslashes are part of the path, as before.
        let Some(Part::Mention(mention)) = parts("@\"a\\b c\"").first().copied() else { panic!() };
        assert_eq!(mention.file(), "a\\b c");
    }

    #[test]
    fn no_text_is_lost() {
        for text in ["a @b c@d @\"e f\" @@ @'g", "@a@b", "ü@ö ü @ö"] {
            let parts = parts(text);
            let written = parts.iter().map(|part| match part {
                Part::Text(text) => *text,
                Part::Mention(mention) => mention.written,
            });
            assert_eq!(written.collect::<String>(), text);
        }
    }

    #[test]
    fn punctuation_after_a_path_can_belong_to_the_sentence() {
        let Some(Part::Mention(mention)) = parts("@a.rs).").first().copied() else { panic!() };
        let paths: Vec<_> =
            mention.candidates().map(|mention| (mention.path, mention.written)).collect();
        assert_eq!(paths, [("a.rs).", "@a.rs)."), ("a.rs)", "@a.rs)"), ("a.rs", "@a.rs")]);
    }
}
