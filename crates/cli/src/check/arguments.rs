//! What may stand behind `attache check`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the rules of the protocol, and the tests of ours that show them
    #[command(after_help = EXAMPLES)]
    Rules(Rules),
}

const EXAMPLES: &str = "\
A rule counts as shown only by a test that fails when the behaviour is broken on purpose; each way to break it has a name. \
Strengths: must and should as the specification says, practice where it is silent and the official libraries do so, advice where \
it is silent and we advise it.

Examples:
  attache check rules                           all of them
  attache check rules CONF                      those about config options
  attache check rules CONF-07                   all about one
  attache check rules --json | jq -r 'select(.tests == []).id'";

#[derive(Debug, Args)]
pub(crate) struct Rules {
    /// Only this rule, or the rules of this group
    #[arg(value_name = "ID|PREFIX")]
    pub(crate) rule: Option<String>,
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
}
