//! What the names of models say about them.

/// Returns the version in a name: `claude-opus-4-8` is (4, 8), `gpt-6.1-sol` (6, 1), `kimi-k3`
/// (3, 0). A date is no version.
pub(crate) fn version(name: &str) -> (u32, u32) {
    let name = name.replace('.', "-");
    let mut numbers = name
        .split('-')
        .map(|part| part.trim_start_matches(['k', 'v', 'o']))
        .map(|part| part.parse::<u32>().ok().filter(|_| part.len() <= 2))
        .skip_while(Option::is_none);
    let major = numbers.next().flatten().unwrap_or(0);
    (major, numbers.next().flatten().unwrap_or(0))
}

/// Returns whether one of these words is in the name, between its dashes.
pub(crate) fn has(name: &str, words: &[&str]) -> bool {
    name.split(['-', '/', '.']).any(|part| words.contains(&part))
}

#[test]
fn versions_are_read_from_names() {
    for (name, expected) in [
        ("claude-opus-4-8", (4, 8)),
        ("claude-sonnet-5", (5, 0)),
        ("claude-haiku-4-5-20251001", (4, 5)),
        ("gpt-6.1-sol", (6, 1)),
        ("gpt-5-mini", (5, 0)),
        ("gemini-3.8-flash", (3, 8)),
        ("gemini-4-argon", (4, 0)),
        ("kimi-k2.7-code", (2, 7)),
        ("kimi-k3", (3, 0)),
        ("deepseek-v4-pro", (4, 0)),
        ("gemini-flash-latest", (0, 0)),
    ] {
        assert_eq!(version(name), expected, "{name}");
    }
}
