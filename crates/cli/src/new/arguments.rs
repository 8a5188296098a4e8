//! The arguments of `attache new`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct New {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Create a folder with a small agent in Rust and a test that talks to it
    #[command(after_help = NEW_AGENT)]
    Agent(Agent),
}

const NEW_AGENT: &str = "\
The libraries of Attaché are not in a registry: they come from a checkout or from a Git \
repository.

Examples:
  attache new agent hello && cd hello && cargo test
  attache new agent hello --libraries ../attache
  attache new agent hello --git https://example.org/attache.git";

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// The name of the agent and of its folder: lower-case letters, digits and hyphens; a letter
    /// first
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Use the libraries of this checkout of Attaché [default: the one that built this program]
    #[arg(long, value_name = "DIR")]
    pub(crate) libraries: Option<PathBuf>,
    /// Use the libraries of this Git repository
    #[arg(long, value_name = "URL", conflicts_with = "libraries", value_parser = address)]
    pub(crate) git: Option<String>,
}

/// Parses a URL for Cargo, which accepts `https://…`, `ssh://…` and `file://…`.
fn address(word: &str) -> Result<String, String> {
    let rest = word.split_once("://").map(|(_, rest)| rest).filter(|rest| !rest.is_empty());
    match rest.is_some() && !word.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Ok(word.to_owned()),
        false => {
            Err("expected a URL such as https://example.org/attache.git or file:///srv/attache"
                .to_owned())
        }
    }
}
