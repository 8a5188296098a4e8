//! What may stand behind `attache new`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct New {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Write a small agent in Rust, with a test that talks with it, into a new folder
    #[command(after_help = NEW_AGENT)]
    Agent(Agent),
}

const NEW_AGENT: &str = "\
No registry has the libraries of Attaché: they come from a checkout or from a Git repository.

Examples:
  attache new agent hello && cd hello && cargo test
  attache new agent hello --libraries ../attache
  attache new agent hello --git https://example.org/attache.git";

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// Its name: small letters, digits and hyphens, a letter first; the folder is named so too
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Where the libraries of Attaché are: a checkout [default: the one this program was built in]
    #[arg(long, value_name = "DIR")]
    pub(crate) libraries: Option<PathBuf>,
    /// Take the libraries from this Git repository
    #[arg(long, value_name = "URL", conflicts_with = "libraries", value_parser = address)]
    pub(crate) git: Option<String>,
}

/// Reads an address for Cargo, which takes `https://…`, `ssh://…` and `file://…`.
fn address(word: &str) -> Result<String, String> {
    let rest = word.split_once("://").map(|(_, rest)| rest).filter(|rest| !rest.is_empty());
    match rest.is_some() && !word.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => Ok(word.to_owned()),
        false => {
            Err("write an address such as https://example.org/attache.git or file:///srv/attache"
                .to_owned())
        }
    }
}
