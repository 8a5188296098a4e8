//! What may stand behind `attache agents`.

use clap::{Args, Subcommand};

const EXAMPLES: &str = "\
An agent is named by --agent NAME, or by the command line that starts it. Names of your own stand in attache/agents.toml of the
configuration folder, which `attache doctor` names. A registry is a file registry.json; the public one is at
https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json.

Examples:
  attache agents                                which are known, and which are here
  attache agents check                          starts all that are here and tells which of them work
  attache agents check gemini                   starts it and tells what it offers
  attache agents check 'my-agent --acp' --json  any command line
  attache agents add mine -- my-agent --acp     a name of your own
  attache agents add --registry registry.json goose
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
    /// List the agents that are known by name: where each is, or how it is installed; the same as
    /// no task
    #[command(
        after_help = "Nothing is started.\n\nExample:\n  attache agents list --json | jq -r 'select(.program).name'"
    )]
    List(List),
    /// Start an agent, open a session in an empty folder, tell what it offers, and end it; without
    /// a name every agent that is here
    #[command(
        after_help = "No prompt is sent; the session is put away where the agent offers that. Exit codes are those of `attache run --help`: 0 if it \
works, 3 if it cannot start, 4 if it opens no session, 5 if it needs a login; of several agents the first that is not 0.\n\nExample:\n  attache agents check gemini"
    )]
    Check(Check),
    /// Give a command line a name of your own, for --agent, or take one from a registry
    #[command(
        after_help = "Examples:\n  attache agents add mine -- my-agent --acp\n  attache agents add mine --env KEY=value 'my-agent --acp'\n  \
attache agents add --registry registry.json goose"
    )]
    Add(Add),
    /// Forget a name of your own
    #[command(after_help = "Example:\n  attache agents remove mine")]
    Remove(Remove),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// List the agents of this registry too: a file registry.json, or its address
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) registry: Option<String>,
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The name; it goes before one that is known. With --registry the agent's id there
    #[arg(value_name = "NAME|ID")]
    pub(crate) name: String,
    /// Take the agent from this registry: a file registry.json, or its address
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["command", "env"])]
    pub(crate) registry: Option<String>,
    /// Start it with this environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Replace an agent of your own that has this name
    #[arg(long)]
    pub(crate) force: bool,
    /// The command that starts the agent: one command line, or its words after --
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
    /// Which agent; without it all that are here, one after the other
    #[arg(value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Start it with this environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads a variable for the environment of an agent.
pub(crate) fn variable(word: &str) -> Result<(String, String), String> {
    let (name, value) = word.split_once('=').unwrap_or_default();
    let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    match starts && name.chars().all(|each| each.is_ascii_alphanumeric() || each == '_') {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err("write it as NAME=VALUE, such as API_KEY=abc".to_owned()),
    }
}
