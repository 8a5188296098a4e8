//! The arguments of `attache attach`.

use crate::args::value::seconds;
use crate::serve::arguments::SelectedHub;
use clap::Args;
use std::time::Duration;

const HELP: &str = "\
Set the agent of an editor to the command `attache attach`. Its sessions are then in the shared \
hub: they outlive the editor, and other programs can watch and continue them. If no hub runs, this \
command starts one, which ends ten minutes after its last client and its last turn.

All bytes pass unchanged between the client and the hub, which speaks ACP. Nothing else is written \
to stdout.

Exit codes: 3 if the hub cannot be started or refuses this program, 4 if the hub ends while the \
client is connected; see also `attache run --help`.

Examples:
  attache attach                   the agent is chosen in the editor
  attache attach --agent claude    new sessions use this agent
  attache run --agent 'attache attach' help";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct Attach {
    /// Use this agent for new sessions: a name that `attache agents` lists, or a command line
    /// [default: the built-in one]
    #[arg(long, value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) hub: SelectedHub,
    /// How long a hub that this command starts stays without a client and without a turn.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide = true)]
    pub(crate) end_when_idle: Option<Duration>,
}
