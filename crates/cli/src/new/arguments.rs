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
    Agent(Project),
    /// Create a folder with a small client in Rust and a test in which it asks an agent
    #[command(after_help = NEW_CLIENT)]
    Client(Project),
}

/// Where the libraries come from, and examples of a kind of project.
macro_rules! examples {
    ($kind:literal) => {
        concat!(
            "Outside of a checkout, the libraries come from Cargo's registry, in the version of \
             this program.\n\nExamples:\n  attache new ",
            $kind,
            " hello && cd hello && cargo test\n  attache new ",
            $kind,
            " hello --libraries ../attache\n  attache new ",
            $kind,
            " hello --git https://example.org/attache.git"
        )
    };
}

const NEW_AGENT: &str = examples!("agent");
const NEW_CLIENT: &str = examples!("client");

#[derive(Debug, Args)]
pub(crate) struct Project {
    /// The name of the project and of its folder: lower-case letters, digits and hyphens; a letter
    /// first
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Use the libraries of this checkout of Attaché [default: the checkout that built this
    /// program, if it is still in it]
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
