//! Reports unknown slash commands. They are not sent to the agent, whose model could only guess
//! their meaning.

/// The largest edit distance of a suggestion.
const DIFFERS: usize = 2;

/// Returns the name if the word looks like a command: a slash and letters, digits, `-`, `_` or `:`.
/// A path such as `/etc/hosts`, a lone slash and a word with a second slash do not look like one.
pub(super) fn name(word: &str) -> Option<&str> {
    let name = word.strip_prefix('/')?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':');
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    (begins && name.chars().all(plain)).then_some(name)
}

/// Returns the message for an unknown command: a suggestion, and how to send the line unchanged.
pub(super) fn refusal<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> String {
    let lower = name.to_lowercase();
    let likeness = |known: &&'k str| {
        let known = known.to_lowercase();
        match known.starts_with(&lower) || lower.starts_with(&known) {
            true => 0,
            false => strsim::levenshtein(&lower, &known),
        }
    };
    // At most half of the letters may differ, because a short word with more changes is another
    // word.
    let most = DIFFERS.min(lower.chars().count() / 2);
    let nearest =
        known.map(|known| (likeness(&known), known)).filter(|(differs, _)| *differs <= most).min();
    let meant = match nearest {
        Some((_, known)) => format!("did you mean /{known}?"),
        None => "/help lists the commands.".to_owned(),
    };
    format!(
        "Unknown command /{name}: {meant} Nothing was sent. To send a line that begins with /{name}, type //{name}."
    )
}

#[cfg(test)]
mod tests {
    use super::{name, refusal};

    #[test]
    fn only_a_word_looks_like_a_command() {
        for word in ["/hlep", "/a-b_c", "/mcp:tool", "/Help", "/übung"] {
            assert_eq!(name(word), word.strip_prefix('/'));
        }
        for word in [
            "",
            "/",
            "//help",
            "/etc/hosts",
            "/tmp/x.rs:12",
            "/*",
            "/3",
            "/.env",
            "help",
            "a/b",
            "/?",
        ] {
            assert_eq!(name(word), None, "{word}");
        }
    }

    #[test]
    fn the_nearest_command_is_suggested() {
        let known = ["help", "switch", "quit", "compact"];
        for (word, meant) in [
            ("hlep", "did you mean /help?"),
            ("QUIT", "did you mean /quit?"),
            ("swich", "did you mean /switch?"),
            ("comp", "did you mean /compact?"),
            ("helpme", "did you mean /help?"),
            ("frobnicate", "/help lists the commands"),
            ("ab", "/help lists the commands"),
        ] {
            let message = refusal(word, known.into_iter());
            assert!(
                message.contains(meant) && message.contains(&format!("//{word}")),
                "{word}: {message}"
            );
        }
    }
}
