//! The arguments of `attache check client`, and of the relay that a client under test starts.

use super::judging::Judging;
use crate::args::value::protocol;
use crate::args::value::seconds;
use crate::show::width::wrap;
use attache_check::CLIENT_TASKS;
use attache_protocol::v1::ProtocolVersion;
use clap::Args;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::time::Duration;

/// The text below the options.
pub(super) fn help() -> String {
    let longest = CLIENT_TASKS.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let indent = longest + 4;
    let task = |(name, description): &(&str, &str)| {
        let lines = wrap(description, 80 - indent);
        format!("  {name:longest$}  {}", lines.join(&format!("\n{}", " ".repeat(indent))))
    };
    let tasks: Vec<String> = CLIENT_TASKS.iter().map(task).collect();
    format!(
        "\
The client is started once for each probe, with an empty folder for sessions and a relay to \
this program as its agent. The exit code is 4 if the client breaks a mandatory rule.

Placeholders in CMD: {{agent}} is the command line of the agent as one word, {{agent...}} the same \
as separate words; {{cwd}} is the folder of the session, {{prompt}} the text to send. A task \
also has the placeholders in its description below. The client must ask no questions on stdin.

Each task is a command of the client. CMD is the task `prompt`; --to sets the command of another \
task. A rule is not tested if its task has no command, and the report says so. `cancel` is CMD \
followed by SIGINT unless you name another. `attache run` and `acpx exec` are known and need \
no --to. Each client gets a separate home folder with settings and data.

{}

With --wait nothing is started. You configure the printed command as the agent of your client, \
and follow each step; Enter skips a step. Turns run in one session where possible. Behaviour \
that only a screen shows is not judged. --only selects some of the rules.

With --protocol 2, the judge's agent speaks only version 2, and the rules V2 and the rules that \
are the same in both versions are judged. CMD must make the client ask for version 2. Otherwise \
nothing is judged, and the exit code is 2.

Examples:
  attache check client -- attache run --agent {{agent}} {{prompt}}
  attache check client --protocol 2 -- attache run --protocol 2 --agent {{agent}} {{prompt}}
  attache check client -- sh -c 'exec my-client --acp {{agent}} --cwd {{cwd}} \"{{prompt}}\"'
  attache check client --wait --only PERM,TERM
  attache check client --to 'load=my-client --load {{session}} -- {{agent...}}' -- my-client --say \
{{prompt}} -- {{agent...}}",
        tasks.join("\n")
    )
}

#[derive(Debug, Args)]
pub(crate) struct Client {
    /// The command for a task other than `prompt`; --help lists the tasks
    #[arg(long, value_name = "TASK=CMD", value_parser = task)]
    pub(crate) to: Vec<(String, String)>,
    /// The version of the protocol to judge: 1 or 2; version 2 is a draft
    #[arg(long, value_name = "VERSION", default_value = "1", value_parser = protocol)]
    pub(crate) protocol: ProtocolVersion,
    /// For a client that a person operates: print the configuration and each step, and wait
    #[arg(long, conflicts_with_all = ["to", "command"])]
    pub(crate) wait: bool,
    /// With --wait, the longest wait for a step
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
        _ => Err("expected TASK=CMD, such as 'load=my-client --load {session} {agent}'".to_owned()),
    }
}

/// The program that a client under test starts as its agent, and that an agent under test starts as
/// an MCP server. The judge creates its command line.
#[derive(Debug, Args)]
pub(crate) struct Relay {
    /// The judge's address
    pub(crate) address: SocketAddr,
    /// The token that authenticates the relay
    pub(crate) token: String,
    /// Write this many bytes to stderr first
    #[arg(long, default_value_t = 0)]
    pub(crate) stderr: usize,
    /// Exit with this code
    #[arg(long, default_value_t = 0)]
    pub(crate) exit: u8,
    /// Act as the judge's MCP server with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) mcp: Option<String>,
    /// Arguments that a client adds for a login
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) added: Vec<OsString>,
}
