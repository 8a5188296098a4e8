//! What may stand behind `attache check client`, and behind the relay that a client under test
//! starts.

use super::Judging;
use crate::args::seconds;
use attache_check::CLIENT_TASKS;
use clap::Args;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::time::Duration;

/// What stands below the options.
pub(super) fn help() -> String {
    let width = CLIENT_TASKS.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let tasks: Vec<String> =
        CLIENT_TASKS.iter().map(|(name, told)| format!("  {name:width$}  {told}")).collect();
    format!(
        "\
The client is started once for each probe, in an empty folder of its own for sessions, with a relay to this program as its agent. It exits with 4 if the client breaks \
what must hold.

Placeholders in a CMD: {{agent}} is the command line that starts the agent, as one word, and {{agent...}} the same as words of their own; {{cwd}} is the folder of the \
session, {{prompt}} the text to send. A task has the placeholders that stand in it below. Nothing is asked on stdin.

Tasks: what a client has to be told to do from outside. CMD is `prompt`. A rule whose task has no command is not tested, and the report says so. `cancel` is CMD and SIGINT \
unless it is named. `attache run` and `acpx exec` are known: what they can do needs no --to. Every client gets a home folder of its own, with settings and data.

{}

With --wait nothing is started: you configure the command that is told as the agent of your client, and do what each step says; Enter passes over a step. Turns follow each \
other in one session as long as they can. What only a screen shows is not judged then. --only chooses a part.

Examples:
  attache check client -- attache run --agent {{agent}} {{prompt}}
  attache check client -- sh -c 'exec my-client --acp {{agent}} --cwd {{cwd}} \"{{prompt}}\"'
  attache check client --wait --only PERM,TERM
  attache check client --to 'load=my-client --load {{session}} -- {{agent...}}' -- my-client --say {{prompt}} -- {{agent...}}",
        tasks.join("\n")
    )
}

#[derive(Debug, Args)]
pub(crate) struct Client {
    /// How the client is told to do something else than to prompt; --help lists the tasks
    #[arg(long, value_name = "TASK=CMD", value_parser = task)]
    pub(crate) to: Vec<(String, String)>,
    /// For a client that a person drives: say what to configure there and what to type, and wait
    /// for it
    #[arg(long, conflicts_with_all = ["to", "command"])]
    pub(crate) wait: bool,
    /// With --wait: how long a person may take for a step
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub(crate) patience: Duration,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// The program of the client and its arguments, with {agent} and {prompt}
    #[arg(value_name = "CMD", required_unless_present = "wait", last = true)]
    pub(crate) command: Vec<OsString>,
}

fn task(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((name, line)) if !name.is_empty() && !line.is_empty() => {
            Ok((name.to_owned(), line.to_owned()))
        }
        _ => {
            Err("write it as TASK=CMD, such as 'load=my-client --load {session} {agent}'"
                .to_owned())
        }
    }
}

/// What a peer under test starts: a client as its agent, an agent as an MCP server. This program
/// makes the command itself.
#[derive(Debug, Args)]
pub(crate) struct Relay {
    /// Where the judge listens
    pub(crate) address: SocketAddr,
    /// What lets it in
    pub(crate) token: String,
    /// Write so many bytes to stderr first
    #[arg(long, default_value_t = 0)]
    pub(crate) stderr: usize,
    /// End with this exit code
    #[arg(long, default_value_t = 0)]
    pub(crate) exit: u8,
    /// Stand for the judge's MCP server of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) mcp: Option<String>,
    /// What a client adds for a login
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) added: Vec<OsString>,
}
