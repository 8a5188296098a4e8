//! The arguments of `attache agents`.

use crate::args::value::{protocol, variable};
use attache_protocol::v1::ProtocolVersion;
use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
Pass --agent NAME to other commands, or the command line that starts the agent. Your own names \
are stored in attache/agents.toml of the configuration folder, which `attache doctor` shows. A \
registry is a file registry.json; the public one is at
https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json.

Examples:
  attache agents                             list the known and installed agents
  attache agents check                       test every installed agent
  attache agents check gemini                show one agent and its features
  attache agents check 'my-agent --acp' --json
  attache agents add mine -- my-agent --acp  name a command line
  attache agents add --registry registry.json goose
  attache run --agent gemini \"what is this?\"";

/// The command; it lists agents by default.
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
    /// List the known agents: the program of each, or the command that installs it (the default)
    #[command(
        after_help = "This command starts no agent.\n\nExample:\n  attache agents list --json | jq -r 'select(.program).name'"
    )]
    List(List),
    /// Start an agent, open a session in an empty folder, and show what the agent offers
    #[command(
        after_help = "No prompt is sent. The session is deleted or archived if the agent offers it. \
The agent is then started a second time and asked for version 2 of the protocol, a draft. A question \
mark in the table means that it gave no valid answer: check this agent alone to see why.\n\n\
Exit codes: 0 if the agent works, 3 if it cannot start, 4 if it opens no session, 5 if it \
needs a login. With several agents, the first code that is not 0.\n\n\
Example:\n  attache agents check gemini"
    )]
    Check(Check),
    /// Name a command line for --agent, or add an agent from a registry
    #[command(
        after_help = "Examples:\n  attache agents add mine -- my-agent --acp\n  attache agents add mine --env KEY=value 'my-agent --acp'\n  \
attache agents add --registry registry.json goose"
    )]
    Add(Add),
    /// Remove one of your own agents
    #[command(after_help = "Example:\n  attache agents remove mine")]
    Remove(Remove),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Also list the agents of this registry: the path or URL of a registry.json
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) registry: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The name; it overrides a known agent. With --registry, the agent's id there
    #[arg(value_name = "NAME|ID")]
    pub(crate) name: String,
    /// Add the agent from this registry: the path or URL of a registry.json
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["command", "env"])]
    pub(crate) registry: Option<String>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Ask the agent for this version of ACP: 1, or 2, a draft [default: 1]
    #[arg(long, value_name = "VERSION", value_parser = protocol)]
    pub(crate) protocol: Option<ProtocolVersion>,
    /// Replace your own agent with this name
    #[arg(long)]
    pub(crate) force: bool,
    /// The command that starts the agent: one command line, or words after --
    #[arg(value_name = "CMD ARGS", required_unless_present = "registry", trailing_var_arg = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The agent [default: every installed agent, one after the other]
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
