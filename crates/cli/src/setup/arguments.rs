//! The arguments of `attache setup`, and the editors.

use clap::{Args, ValueEnum};
use std::env;
use std::path::PathBuf;

const HELP: &str = "\
The entry starts `attache agent`, the built-in agent. With --agent or --shared it starts `attache \
attach`: sessions are then in the shared hub, outlive the editor, and can be watched and continued \
from the screen, the page and other editors.

Without --write, nothing is written. With --write, the file is copied first, only this entry \
changes, and comments stay.

Editors that are started from a desktop do not have the variables of your shell: store keys with \
`attache config key PROVIDER`.

Examples:
  attache setup zed                          print the entry for Zed
  attache setup zed --write                  write it, after a question
  attache setup jetbrains --agent claude     any agent, through the shared hub
  attache setup codecompanion --shared       the built-in agent, through the shared hub";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Setup {
    /// The editor
    #[arg(value_name = "EDITOR")]
    pub(crate) editor: Editor,
    /// Use this agent, through the shared hub: a name that `attache agents` lists, or a command
    /// line
    #[arg(long, value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Use the shared hub with the built-in agent
    #[arg(long, conflicts_with = "agent")]
    pub(crate) shared: bool,
    /// Write the entry into the settings of the editor, after a question: zed, jetbrains
    #[arg(long)]
    pub(crate) write: bool,
    /// Write without the question
    #[arg(long, short, requires = "write")]
    pub(crate) yes: bool,
    /// Write this file instead of the editor's own
    #[arg(long, value_name = "FILE", requires = "write")]
    pub(crate) file: Option<PathBuf>,
}

/// An editor that can use ACP agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Editor {
    /// Zed
    Zed,
    /// The IDEs of JetBrains, with AI Assistant
    Jetbrains,
    /// Neovim with codecompanion.nvim
    Codecompanion,
    /// Neovim with avante.nvim
    Avante,
    /// Emacs with agent-shell
    AgentShell,
    /// Obsidian with the plugin Agent Client
    Obsidian,
    /// marimo notebooks
    Marimo,
}

impl Editor {
    /// Returns the JSON file with the editor's agents, if it has one that this program can write.
    pub(super) fn settings_file(self) -> Option<PathBuf> {
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        match self {
            Self::Zed => {
                let configuration = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
                let configuration = configuration.filter(|folder| folder.is_absolute());
                let folder = configuration.or_else(|| Some(home?.join(".config")))?;
                Some(folder.join("zed/settings.json"))
            }
            Self::Jetbrains => Some(home?.join(".jetbrains/acp.json")),
            _ => None,
        }
    }
}
