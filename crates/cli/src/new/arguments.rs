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
    #[command(after_help = "Example:\n  attache new agent hello && cd hello && cargo test")]
    Agent(Agent),
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// Its name: small letters, digits and hyphens, a letter first; the folder is named so too
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Where the libraries of Attaché are: a checkout [default: the one this program was built in, else its repository]
    #[arg(long, value_name = "DIR")]
    pub(crate) libraries: Option<PathBuf>,
}
