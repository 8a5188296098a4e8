//! Regular expressions of forms, evaluated in bounded time (ELIC-24).

use regex::RegexBuilder;

/// The maximum size of a compiled pattern, in bytes. It limits the time per character.
const SIZE: usize = 256 * 1024;

/// The maximum length in bytes of a text that is matched.
const TEXT: usize = 64 * 1024;

/// A pattern of JSON Schema (ECMA-262) that can be evaluated in time linear in the length of the
/// text: it has no backreferences or look-around, and is not too large.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(regex::Regex);

impl Pattern {
    /// Compiles a pattern; `None` if it cannot be evaluated here.
    pub(crate) fn new(pattern: &str) -> Option<Self> {
        let built = RegexBuilder::new(&translated(pattern)).size_limit(SIZE).nest_limit(64).build();
        built.ok().map(Self)
    }

    /// Whether the pattern matches anywhere in the text, as JSON Schema defines it. A text of more
    /// than 64 KiB does not match.
    pub(crate) fn matches(&self, text: &str) -> bool {
        text.len() <= TEXT && self.0.is_match(text)
    }
}

/// Translates a pattern to the syntax of the crate `regex`: `\d` and `\w` are ASCII in ECMA-262,
/// and `[`, `&` and `~` are plain characters in a class.
fn translated(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('d') => translated.push_str("[0-9]"),
                Some('D') => translated.push_str("[^0-9]"),
                Some('w') => translated.push_str("[A-Za-z0-9_]"),
                Some('W') => translated.push_str("[^A-Za-z0-9_]"),
                next => {
                    translated.push('\\');
                    translated.extend(next);
                }
            },
            '[' if in_class => translated.push_str("\\["),
            '&' | '~' if in_class => {
                translated.push('\\');
                translated.push(character);
            }
            '[' => {
                in_class = true;
                translated.push('[');
            }
            ']' => {
                in_class = false;
                translated.push(']');
            }
            other => translated.push(other),
        }
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(text)
    }

    #[test]
    fn a_pattern_has_its_meaning_in_json_schema() {
        assert!(matches("b", "abc"), "it may match anywhere");
        assert!(matches(r"^\d{4}-\d\d$", "2026-11") && !matches(r"^\d$", "٣"));
        assert!(matches(r"^[\w.]+$", "a.b_9") && !matches(r"^\w$", "é"));
        assert!(matches(r"^[\W]$", "é") && matches("^[[&~]+$", "[&~"));
        assert!(matches(r"^a\/b\u0041$", "a/bA"));
    }

    /// ELIC-24.
    #[test]
    fn a_pattern_with_exponential_backtracking_takes_linear_time() {
        assert!(!matches("^(a+)+$", &format!("{}!", "a".repeat(60_000))));
        assert!(!matches("^(a|aa)*b$", &"a".repeat(60_000)));
        assert!(Pattern::new("((a{1,1000}){1,1000}){1,1000}").is_none(), "too large");
        assert!(!matches("a", &"a".repeat(100_000)), "too long to match");
    }

    #[test]
    fn patterns_that_cannot_be_evaluated_are_reported() {
        for pattern in [r"(a)\1", "(?=a)", "(?<!a)b", "(", r"\cA"] {
            assert!(Pattern::new(pattern).is_none(), "{pattern}");
        }
    }
}
