//! What may stand behind `attache agents`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
An agent is named by --agent NAME, or by the command line that starts it. Names of your own stand in attache/agents.json of the
configuration folder, which `attache doctor` names.

Examples:
  attache agents                                which are known, and which are here
  attache agents check gemini                   starts it and tells what it offers
  attache agents check 'my-agent --acp' --json  any command line
  attache agents add mine 'my-agent --acp'      a name of your own
  attache run --agent gemini \"what is this?\"";

/// The command; without a task it lists.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Agents {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the agents that are known by name: where each is, or how it is installed; the same as no task
    #[command(
        after_help = "Nothing is started.\n\nExample:\n  attache agents list --json | jq -r 'select(.program).name'"
    )]
    List(List),
    /// Start an agent, tell what it says of itself, and end it
    #[command(
        after_help = "No session is opened and no prompt sent. Exit codes are those of `attache run --help`: 0 if it answered, 3 if it cannot \
start.\n\nExample:\n  attache agents check gemini"
    )]
    Check(Check),
    /// Give a command line a name of your own, for --agent
    #[command(
        after_help = "Example:\n  attache agents add mine 'my-agent --acp'\n  attache run --agent mine \"what is this?\""
    )]
    Add(Add),
    /// Forget a name of your own
    #[command(after_help = "Example:\n  attache agents remove mine")]
    Remove(Remove),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The name; it goes before one that is known
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The command line that starts the agent
    #[arg(value_name = "'CMD ARGS'")]
    pub(crate) command: String,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Which agent
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: String,
    /// One JSON object on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
