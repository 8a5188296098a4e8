//! The words of a command line that could be paths.

use crate::command::tokens;
use crate::shell::{Word, parts};

/// Returns every word of a line that could name a file: arguments, targets of redirections, values
/// after `=` and `:`, and the words inside quoted words. Patterns such as `*.rs` are not expanded.
/// The values of variables are unknown, so they are left out.
pub fn line_words(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |text: &str| {
        let behind = text.split(['=', ':']).skip(1);
        let behind = behind.chain(text.strip_prefix("-").and_then(|rest| rest.get(1..)));
        let inside = tokens(text);
        for piece in std::iter::once(text).chain(behind).chain(inside.iter().map(String::as_str)) {
            let piece = piece.trim_start_matches('@');
            if !piece.is_empty() && !found.iter().any(|known| known == piece) {
                found.push(piece.to_owned());
            }
        }
    };
    match parts(line) {
        Ok(parts) => {
            for part in &parts {
                let values = part.assignments.iter().map(|(_, value)| value);
                let targets = part.redirects.iter().map(|redirect| &redirect.target);
                let words = part.words.iter().chain(&part.data).chain(values).chain(targets);
                words.map(|word: &Word| word.text.as_str()).for_each(&mut add);
            }
        }
        Err(_) => line.split_whitespace().for_each(add),
    }
    found
}

/// Whether a word of a command line can name this path, literally or as a pattern. The word and the
/// path are both absolute.
pub fn word_may_name(word: &str, path: &str) -> bool {
    let glob = globset::GlobBuilder::new(word).literal_separator(true).build();
    word == path || glob.map_or(true, |glob| glob.compile_matcher().is_match(path))
}

#[cfg(test)]
mod tests {
    use super::{line_words, word_may_name};

    #[test]
    fn every_word_that_may_be_a_path_is_found() {
        for (line, wanted) in [
            ("cat a/b", "a/b"),
            ("cat 'a b'", "a b"),
            ("wc < in.txt", "in.txt"),
            ("ls > out.txt", "out.txt"),
            ("dd if=a of=b", "b"),
            ("sh -c 'cat a/b'", "a/b"),
            ("curl -d @a/b x", "a/b"),
            ("tar -Ca x", "a"),
            ("F=a/b make", "a/b"),
            ("echo $(cat a/b)", "a/b"),
            ("[[ -f a/b ]] && ls", "a/b"),
            ("for f in a/b; do ls; done", "a/b"),
            ("cat a/*", "a/*"),
        ] {
            assert!(
                line_words(line).iter().any(|word| word == wanted),
                "{line}: {:?}",
                line_words(line)
            );
        }
    }

    #[test]
    fn a_pattern_may_name_what_it_matches() {
        assert!(
            word_may_name("/a/*", "/a/b")
                && word_may_name("/a/b", "/a/b")
                && word_may_name("/a/[", "/a/b")
        );
        assert!(!word_may_name("/a/*.rs", "/a/b") && !word_may_name("/a/*", "/a/b/c"));
    }
}
