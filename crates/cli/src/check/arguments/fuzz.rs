//! The arguments of `attache check fuzz`.

use crate::args::value::seconds;
use attache_protocol::method::Side;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The text below the options.
pub(super) const HELP: &str = "\
A case is a valid conversation with all methods, updates and fields of the protocol, and up to \
four faults in it: a message is delayed, omitted, repeated, reordered, cut off, split inside a \
character, padded, deeply nested, of the wrong type, with an odd id, replaced by other text, \
or followed by the end of the input. --seed determines all cases. The peer is started for each \
case. A client gets the malformed messages during its turn and as replies to its calls.

An error response to a malformed message is correct. These are failures: the peer dies; it hangs \
(it answers no call within --timeout, or continues after the end of its input); it writes text \
that is not a message; its own messages break a mandatory rule; it uses more than 1 GiB or \
floods. The first failure ends the run. It is minimized, shown and written to --output, and \
the exit code is 4. The fuzzer never calls methods that would change a login, a provider or a \
stored session.

Examples:
  attache check fuzz agent -- my-agent --acp
  attache check fuzz agent --seed 7 --runs 5000 --time 600 -- my-agent --acp
  attache check fuzz agent --replay fuzz.jsonl -- my-agent --acp
  attache check fuzz client -- my-client --agent {agent} --say {prompt}
  attache check trace fuzz.jsonl";

/// The side of the command under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fuzzed {
    /// CMD is an agent
    Agent,
    /// CMD is a client, with {agent} and {prompt} as for `attache check client`
    Client,
}

impl Fuzzed {
    pub(crate) fn side(self) -> Side {
        match self {
            Self::Agent => Side::Agent,
            Self::Client => Side::Client,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// The side of CMD
    #[arg(value_name = "SIDE")]
    pub(crate) side: Fuzzed,
    /// The seed that determines all cases
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// The maximum number of cases
    #[arg(long, value_name = "CASES", default_value_t = 200)]
    pub(crate) runs: u64,
    /// Start no case after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// The longest wait for a reply; the first reply may take three times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Only replay this recording
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "runs", "time"])]
    pub(crate) replay: Option<PathBuf>,
    /// Write a failure to this file, and replace it [default: fuzz.jsonl, or fuzz-2.jsonl and so
    /// on if it exists]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Set this variable of an agent to the address of the judge's model, as in `attache check
    /// agent`
    #[arg(long, value_name = "NAME[=SUFFIX]")]
    pub(crate) model_env: Vec<String>,
    /// Set this environment variable for an agent
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}
