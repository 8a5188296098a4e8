//! The arguments of `attache config`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
A flag overrides the environment, which overrides your settings file, which overrides the \
default. The files of a project cannot change these settings. Keys of providers are in the \
environment, or in a file that only you can read: see `attache config key --help`. They are \
never shown.

Examples:
  attache config                                  show all settings
  attache config set model anthropic/claude-sonnet-5-5
  attache config set fallback openai/gpt-6-luna   if the primary provider fails
  attache config set mode plan
  attache config set base_url.openai http://localhost:8080/v1
  attache config unset mode";

/// The command; it shows all settings by default.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Print the value of a setting
    #[command(after_help = "Example:\n  attache config get model")]
    Get {
        /// The setting, such as `model`; `attache config` lists all
        key: String,
    },
    /// Store a setting in your settings file
    #[command(after_help = "Example:\n  attache config set model openai/gpt-6-luna")]
    Set {
        /// The setting, such as `model`; `attache config` lists all
        key: String,
        /// The new value
        value: String,
    },
    /// Remove a setting from your settings file
    #[command(after_help = "Example:\n  attache config unset model")]
    Unset {
        /// The setting, such as `model`; `attache config` lists all
        key: String,
    },
    /// Store the key of a provider in a file that only you can read
    #[command(after_help = KEY)]
    Key {
        /// The provider, such as `anthropic`; `attache config` lists all
        provider: String,
        /// Remove the stored key
        #[arg(long)]
        remove: bool,
    },
    /// Print the keys of the screen as a commented file
    #[command(after_help = KEYMAP)]
    Keymap,
    /// Print a theme of the screen as a commented file
    #[command(after_help = THEME)]
    Theme {
        /// The theme
        #[arg(value_parser = ["dark", "light"], default_value = "dark")]
        name: String,
    },
}

const KEYMAP: &str = "\
Example:
  attache config keymap > ~/.config/attache/keymap.toml   then edit the file";

const THEME: &str = "\
Example:
  attache config theme light > ~/.config/attache/theme.toml   then edit the file";

const KEY: &str = "\
The key is read from the terminal without showing it, or from stdin. A key in the environment \
takes precedence.

Examples:
  attache config key anthropic
  pass show anthropic | attache config key anthropic
  attache config key anthropic --remove";
