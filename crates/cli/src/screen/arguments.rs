//! The arguments of `attache` without a subcommand.

use crate::args;
use crate::args::value::{protocol, setting, variable};
use crate::exit::Failure;
use crate::run::budget::Budget;
use attache_protocol::v1::ProtocolVersion;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// How alike a word and a subcommand are at least, if the word is probably a typing mistake.
const ALIKE: f64 = 0.8;

#[derive(Debug, Args, Default)]
pub(crate) struct Screen {
    /// The first prompt; words are joined by spaces
    #[arg(value_name = "PROMPT")]
    words: Vec<String>,
    /// Continue a session: its id, `last`, or words to search for; without a value, choose one
    #[arg(long, value_name = "ID|WORDS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// Talk to this agent instead of the built-in one: a name that `attache agents` lists, or a
    /// command line
    #[arg(long, value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Set the agent's model
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,
    /// Set the agent's mode
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set a config option by its id or category, such as thought_level=high
    #[arg(long, value_name = "ID=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Give the agent the MCP servers of a JSON file, in the form that editors use: {"mcpServers":
    /// {…}}
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp: Option<PathBuf>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Work in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Cancel a turn once the session costs more than this, as reported by its agent: 0.50USD,
    /// 2EUR; /budget changes it
    #[arg(long, value_name = "AMOUNT[UNIT]", value_parser = Budget::read)]
    pub(crate) budget: Option<Budget>,
    /// Record every message in either direction in a new file, with secrets masked
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Ask the agent for this version of ACP: 1, or 2, a draft [default: that of the agent's entry
    /// in agents.toml, or 1]
    #[arg(long, value_name = "VERSION", value_parser = protocol)]
    pub(crate) protocol: Option<ProtocolVersion>,
    /// Use plain lines instead of the full screen; the same as ATTACHE_PLAIN=1 or `attache chat`
    #[arg(long)]
    pub(crate) plain: bool,
}

impl Screen {
    /// The first prompt.
    pub(crate) fn prompt(&self) -> Option<String> {
        let prompt = self.words.join(" ");
        (!prompt.trim().is_empty()).then_some(prompt)
    }

    /// The options to set, the model included.
    pub(crate) fn options(&self) -> Vec<(String, String)> {
        let model = self.model.clone().map(|model| ("model".to_owned(), model));
        model.into_iter().chain(self.set.iter().cloned()).collect()
    }

    /// Refuses a single word that is probably a misspelled subcommand. `--` before the word makes
    /// it a prompt.
    ///
    /// # Errors
    /// Returns an error that names the subcommand.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let [word] = self.words.as_slice() else { return Ok(()) };
        let is_forced = std::env::args_os().any(|argument| argument == "--");
        match similar_subcommand(word).filter(|_| !is_forced) {
            Some(name) => Err(Failure::usage(format!(
                "there is no command {word:?}: did you mean `attache {name}`? `attache -- {word}` sends it as a prompt"
            ))),
            None => Ok(()),
        }
    }
}

fn similar_subcommand(word: &str) -> Option<String> {
    let command = args::Command::command();
    let names = command.get_subcommands().map(|command| command.get_name().to_owned());
    let alike = names.map(|name: String| (strsim::jaro_winkler(&name, word), name));
    let best = alike.filter(|(alike, _)| *alike >= ALIKE);
    best.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// How a conversation in lines begins, besides the arguments of `attache chat`.
#[derive(Debug, Default)]
pub(crate) struct Begin {
    pub(crate) prompt: Option<String>,
    pub(crate) resume: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) set: Vec<(String, String)>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) mcp: Option<PathBuf>,
    pub(crate) trace: Option<PathBuf>,
}

impl From<Screen> for args::Chat {
    fn from(screen: Screen) -> Self {
        let prompt = screen.prompt();
        let set = screen.options();
        let Screen { agent, protocol, budget, cwd, resume, mode, env, mcp, trace, .. } = screen;
        let begin = Begin { prompt, resume, mode, set, env, mcp, trace };
        Self { agent, protocol, budget, cwd, begin }
    }
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
