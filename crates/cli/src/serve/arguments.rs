//! The arguments of `attache serve`.

use crate::args::value::seconds;
use attache_serve::socket::HubName;
use clap::{Args, Subcommand};
use std::time::Duration;

const EXAMPLES: &str = "\
A hub owns agents and sessions, and any number of programs of yours use them at the same time. \
`attache attach` connects an editor, and starts the hub if none runs. A hub started here runs \
until you stop it with Ctrl-C or `attache serve stop`: its agents then end in order, and \
everything is stored. A second Ctrl-C ends it at once.

The socket is in the folder `attache` of XDG_RUNTIME_DIR, or else in your folder for state, which \
`attache doctor` shows. Only your own programs can use it, and no program that an agent of the \
hub started.

Agents get the environment of your login shell. If the hub was killed, the next start opens its \
sessions again; prompts that waited then wait for you.

Exit codes: 2 if a folder or name cannot be used, or no hub runs, 9 if the hub runs already; see \
also `attache run --help`.

Examples:
  attache serve                        until Ctrl-C
  attache serve status
  attache serve stop
  attache serve restart                after an update, when no turn runs
  attache serve --name work --json     another hub, described for scripts";

/// The command, with the arguments of a start.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) hub: SelectedHub,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// End after this many seconds without a client and without a turn.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide = true)]
    pub(crate) end_when_idle: Option<Duration>,
    /// Write messages to the log file of the hub, which already is stderr.
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

/// Selects a hub.
#[derive(Debug, Args)]
pub(crate) struct SelectedHub {
    /// The name of the hub [default: default]
    #[arg(long, value_name = "NAME", global = true)]
    name: Option<HubName>,
}

impl SelectedHub {
    /// The name.
    pub(crate) fn name(&self) -> HubName {
        self.name.clone().unwrap_or_default()
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Show whether the hub runs, and its clients, sessions and agents
    #[command(after_help = "Example:\n  attache serve status --json | jq .sessions")]
    Status,
    /// End the hub: cancel turns, end its agents and store everything
    #[command(after_help = "Examples:\n  attache serve stop\n  attache serve stop --wait")]
    Stop(Stop),
    /// End the hub when no turn runs, start it again, and open its sessions again
    #[command(after_help = "Examples:\n  attache serve restart\n  attache serve restart --now")]
    Restart(Restart),
}

#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// Wait until no turn runs
    #[arg(long)]
    pub(crate) wait: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Restart {
    /// Cancel the turns that run
    #[arg(long)]
    pub(crate) now: bool,
}
