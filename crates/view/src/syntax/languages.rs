//! What a highlighter knows of each language.

mod table;

use crate::span::Role;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A language.
#[derive(Debug, Clone, Default)]
pub(super) struct Language {
    /// The names, separated by spaces. The first one is the name of the language; file extensions
    /// and names of files are among the others.
    pub(super) names: &'static str,
    pub(super) grammar: Grammar,
    pub(super) line_comments: &'static [&'static str],
    /// The beginning and end of comments of several lines.
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    /// Whether a comment can contain another one.
    pub(super) nested_comments: bool,
    /// Whether the mark of a comment has no meaning inside of a word.
    pub(super) words_hold_comments: bool,
    /// The strings; longer quotes first.
    pub(super) strings: &'static [Quotes],
    /// Whether there are strings such as `r#"text"#`.
    pub(super) raw_strings: bool,
    /// Whether `'a` is a word.
    pub(super) lifetimes: bool,
    /// Whether variables begin with `$`.
    pub(super) dollar: bool,
    /// Whether `@name` is a call.
    pub(super) decorators: bool,
    /// Whether `#name` at the beginning of a line is a keyword.
    pub(super) directives: bool,
    /// Whether `name!` is a call.
    pub(super) macros: bool,
    /// Whether `name(` is a call.
    pub(super) calls: bool,
    /// Whether the names of types begin with a capital letter.
    pub(super) capital_types: bool,
    /// Whether a line begins with the name of a command.
    pub(super) commands: bool,
    /// Whether small and capital letters are the same.
    pub(super) any_case: bool,
    /// Of a language of data: whether it is JSON.
    pub(super) json: bool,
    /// Of a language of data: whether `[name]` begins a section and `=` follows a key.
    pub(super) sections: bool,
    /// The roles of the known words.
    words: HashMap<&'static str, Role>,
}

/// How a language is divided into words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Grammar {
    /// A programming language.
    #[default]
    Words,
    /// HTML and XML.
    Markup,
    /// Style sheets.
    Css,
    /// Keys and values.
    Data,
    /// A diff.
    Diff,
    /// Markdown.
    Markdown,
}

/// How a string begins and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quotes {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a backslash takes the meaning from the next character.
    pub(super) escapes: bool,
    /// Whether the string can have several lines.
    pub(super) lines: bool,
}

/// The longest name of a language, in bytes.
const LONGEST_NAME: usize = 32;

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(table::languages);

static BY_NAME: LazyLock<HashMap<&'static str, &'static Language>> = LazyLock::new(|| {
    let named = LANGUAGES
        .iter()
        .flat_map(|language| language.names.split_whitespace().map(move |name| (name, language)));
    named.collect()
});

impl Language {
    /// Returns the role of a known word.
    pub(super) fn role_of(&self, word: &str) -> Option<Role> {
        match self.any_case && word.len() <= LONGEST_NAME {
            true => self.words.get(word.to_ascii_lowercase().as_str()).copied(),
            false => self.words.get(word).copied(),
        }
    }

    fn name(&self) -> &'static str {
        self.names.split_whitespace().next().unwrap_or_default()
    }
}

/// Finds a language by what a code fence says, such as `rust`, `rs,ignore` or `src/main.rs`.
pub(super) fn find(said: &str) -> Option<&'static Language> {
    let said = said.trim_start_matches(['{', '.', ' ']);
    let end = said.find([' ', ',', '{', '}', ';', '=']).unwrap_or(said.len());
    let said = said.get(..end).unwrap_or(said);
    by_name(said)
        .or_else(|| by_name(said.split_once(':')?.0))
        .or_else(|| by_name(language_of_path(said.rsplit(':').next()?)))
}

fn by_name(name: &str) -> Option<&'static Language> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    BY_NAME.get(name.to_ascii_lowercase().as_str()).copied()
}

/// Returns the name of the language of a file, by its name: `rust` for `src/main.rs`. Returns an
/// empty text if the name does not tell the language.
pub fn language_of_path(path: &str) -> &'static str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let named = match file.rsplit_once('.') {
        Some((_, extension)) => by_name(extension),
        None => None,
    };
    // Files such as `Dockerfile`, `Dockerfile.test` and `.bashrc`.
    let stem = || file.split('.').find(|part| !part.is_empty()).and_then(by_name);
    let whole_names =
        ["dockerfile", "containerfile", "makefile", "gemfile", "rakefile", "justfile"];
    let lower = file.to_ascii_lowercase();
    let whole = file.starts_with('.') || whole_names.iter().any(|name| lower.starts_with(name));
    let language = named.or_else(|| if whole { stem() } else { None });
    language.map_or("", Language::name)
}
