//! What may stand behind `attache config`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
A value is that of a flag, else of the environment, else of your file, else the default. The files of a project are not asked.
Keys of providers stand in the environment, or in a file that only you can read: see `attache config key --help`. They are never shown.

Examples:
  attache config                                what holds, and where it comes from
  attache config set model anthropic/claude-sonnet-4-5
  attache config set fallback openai/gpt-5-mini goes on when the first provider fails
  attache config set mode plan
  attache config set base_url.openai http://localhost:8080/v1
  attache config unset mode";

/// The command, which shows all settings where no task is named.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    /// One JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Say what one setting is
    #[command(after_help = "Example:\n  attache config get model")]
    Get {
        /// Such as `model`; `attache config` names all
        key: String,
    },
    /// Put a setting into your file
    #[command(after_help = "Example:\n  attache config set model openai/gpt-5-mini")]
    Set {
        /// Such as `model`; `attache config` names all
        key: String,
        /// What it is to be
        value: String,
    },
    /// Take a setting out of your file
    #[command(after_help = "Example:\n  attache config unset model")]
    Unset {
        /// Such as `model`; `attache config` names all
        key: String,
    },
    /// Keep the key of a provider in a file that only you can read
    #[command(after_help = KEY)]
    Key {
        /// Such as `anthropic`; `attache config` names all
        provider: String,
        /// Forget the key
        #[arg(long)]
        remove: bool,
    },
}

const KEY: &str = "\
The key is asked for on the terminal and not shown, or read from stdin. A key in the environment counts before it.

Examples:
  attache config key anthropic
  pass show anthropic | attache config key anthropic
  attache config key anthropic --remove";
