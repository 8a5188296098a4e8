//! What may stand behind `attache check fuzz`.

use crate::args::seconds;
use attache_protocol::method::Side;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What stands below the options.
pub(super) const HELP: &str = "\
A case is a valid conversation made of all methods, updates and fields that the protocol has, with up to four bad things done to it: delayed, left out, \
said twice, in another order, cut off, split inside a character, padded, nested deep, of the wrong type, with an odd id, text that is no message, \
the end of the input. Everything follows from --seed. The peer is started for each case. What is spoiled is said to a client while its turn runs, and as answers to its calls.

An error is a good answer to a bad message. Failures are: the peer dies, it hangs (answers no call within --timeout, or goes on when its input has ended), \
it writes what is no message, its calls and notifications break what must hold, it takes more than 1 GiB or floods. The first failure ends the run: it is made \
small, shown, and written to --output; the command exits with 4. Nothing that would change a login, a provider or a kept session is called.

Examples:
  attache check fuzz agent -- my-agent --acp
  attache check fuzz agent --seed 7 --runs 5000 --time 600 -- my-agent --acp
  attache check fuzz agent --replay fuzz.jsonl -- my-agent --acp
  attache check fuzz client -- my-client --agent {agent} --say {prompt}
  attache check trace fuzz.jsonl";

/// Which side a command is.
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
    /// What CMD is
    #[arg(value_name = "SIDE")]
    pub(crate) side: Fuzzed,
    /// The number that all cases follow from
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many cases, at most
    #[arg(long, value_name = "CASES", default_value_t = 200)]
    pub(crate) runs: u64,
    /// Begin no case after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// How long an answer may take; the first one three times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Play this recording again, and nothing else
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "runs", "time"])]
    pub(crate) replay: Option<PathBuf>,
    /// Where a failure is written
    #[arg(long, value_name = "FILE", default_value = "fuzz.jsonl")]
    pub(crate) output: PathBuf,
    /// Of an agent: a variable that gets the address of the judge's model, as for
    /// `attache check agent`
    #[arg(long, value_name = "NAME[=SUFFIX]")]
    pub(crate) model_env: Vec<String>,
    /// Of an agent: a variable of its environment
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}
