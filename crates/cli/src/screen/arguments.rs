//! The arguments of `attache` without a subcommand.

use crate::args::value::{protocol, setting, variable};
use crate::run::budget::Budget;
use attache_protocol::v1::ProtocolVersion;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args, Default)]
pub(crate) struct Screen {
    /// The first prompt; words are joined by spaces
    #[arg(value_name = "PROMPT")]
    words: Vec<String>,
    /// Continue a session: its id, `last`, or words to search for; without a value, choose one
    #[arg(long, value_name = "ID|WORDS", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// Talk to this agent instead of the built-in one: a name that `attache agents` lists, a
    /// command line, or the address of a remote agent, such as wss://host/acp
    #[arg(long, value_name = "NAME|'CMD ARGS'|URL")]
    pub(crate) agent: Option<String>,
    /// Read the token for a remote agent from this file, instead of from ATTACHE_TOKEN
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
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
    /// Do not use the shared hub (`attache serve`) although it runs: only this screen shows its
    /// sessions. The same as `attache config set screen.hub own`
    #[arg(long)]
    pub(crate) own_hub: bool,
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

    /// The only word of the first prompt.
    pub(crate) fn only_word(&self) -> Option<&str> {
        match self.words.as_slice() {
            [word] => Some(word),
            _ => None,
        }
    }
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
