//! The arguments of `attache completions` and `attache man-pages`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

const HELP: &str = "\
The packages of Attaché install the completions of bash, zsh and fish.

Examples:
  attache completions bash >~/.local/share/bash-completion/completions/attache
  attache completions fish >~/.config/fish/completions/attache.fish
  attache completions zsh >~/.zfunc/_attache       with fpath+=~/.zfunc in ~/.zshrc";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManPages {
    /// Write one page per command into this folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
