//! A prompt of one word that is probably a misspelled subcommand.

use crate::args::Command;
use crate::exit::Failure;
use clap::CommandFactory;

/// How alike a word and a subcommand are at least, if the word is probably a typing mistake.
const ALIKE: f64 = 0.8;

/// Refuses a single word that is probably a misspelled subcommand. `--` before the word makes
/// it a prompt.
///
/// # Errors
/// Returns an error that names the subcommand.
pub(super) fn check(words: &[String]) -> Result<(), Failure> {
    let [word] = words else { return Ok(()) };
    let is_forced = std::env::args_os().any(|argument| argument == "--");
    match similar_subcommand(word).filter(|_| !is_forced) {
        Some(name) => Err(Failure::usage(format!(
            "there is no command {word:?}: did you mean `attache {name}`? `attache -- {word}` sends it as a prompt"
        ))),
        None => Ok(()),
    }
}

fn similar_subcommand(word: &str) -> Option<String> {
    let command = Command::command();
    let names = command.get_subcommands().map(|command| command.get_name().to_owned());
    let alike = names.map(|name: String| (strsim::jaro_winkler(&name, word), name));
    let best = alike.filter(|(alike, _)| *alike >= ALIKE);
    best.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::similar_subcommand;

    #[test]
    fn a_misspelled_subcommand_is_found_and_ordinary_words_are_not() {
        assert_eq!(similar_subcommand("docter").as_deref(), Some("doctor"));
        assert_eq!(similar_subcommand("sesions").as_deref(), Some("sessions"));
        for word in ["hello", "test", "fix", "why", "summarize"] {
            assert_eq!(similar_subcommand(word), None, "{word}");
        }
    }
}
