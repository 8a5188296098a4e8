//! What may stand behind `attache check`.

mod client;
mod fuzz;

pub(crate) use fuzz::{Fuzz, Fuzzed};

use crate::args::seconds;
use clap::{Args, Subcommand};
pub(super) use client::{Client, Relay};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

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
    /// Say which line of a recorded conversation breaks which rule
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Drive an agent and say which rules it keeps
    #[command(after_help = AGENT)]
    Agent(Box<Agent>),
    /// Say spoiled conversations to a peer until it breaks, and show the smallest that breaks it
    #[command(after_help = fuzz::HELP)]
    Fuzz(Fuzz),
    /// Put judgements side by side, and say where they differ
    #[command(after_help = COMPARE)]
    Compare(Compare),
    /// Drive a client, as its agent, and say which rules it keeps
    #[command(after_help = client::help())]
    Client(Client),
    /// What a client under test starts as its agent, and an agent as an MCP server
    #[command(hide = true)]
    Relay(Relay),
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

const TRACE: &str = "\
A recording is what `attache trace` or `attache run --trace` wrote, what Zed copies from its ACP logs, what `acp-devtools export` writes, or a \
`.jsons` file of the official conductor; which one is seen from what is in it. Only what can be seen in the lines is judged, both sides, by version 1. It exits with 4 if something breaks what must hold.

Examples:
  attache run --agent gemini --trace run.jsonl \"what is this?\" && attache check trace run.jsonl
  attache check trace --json run.jsonl | jq -r .rule | sort | uniq -c";

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The recording; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// One JSON object a finding on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

const AGENT: &str = "\
The agent is started as often as a probe needs it new, in an empty folder of its own for sessions. It exits with 4 if the agent breaks what \
must hold.

What happens in a turn is judged with a model that does as it is told: a server of the judge's on 127.0.0.1, which speaks the wires of \
OpenAI (Chat Completions, Responses), Anthropic and Gemini. attache, gemini, qwen, claude-agent-acp, codex-acp, opencode, copilot, goose, kimi, \
vibe-acp, grok, droid and fast-agent-acp are led to it by their environment. Every agent gets a home folder of its own, with settings and data, so that judging neither reads nor changes yours and \
costs nothing; --env HOME=PATH names another one. For any other agent name the variables that hold its provider's address (--model-env) and whatever else it needs, such as a \
key that no one checks (--env). An agent without a model is judged by the rules of turns if it obeys the acts in the judge's prompts, which crates/check/ACTS.md describes. The model finds \
the agent's tools by their names; --tool names one that it does not know.

Verdicts: pass; fail, with what was expected and seen and the lines; skipped, what the rule is about is not offered; not tested, and why.

With `--baseline FILE` it exits with 4 if a rule fails that the file does not list, or one passes that it lists. It is Markdown: a line \
`- RPC-22: why` for each known failure, `- RPC-22, flaky: why` for one that may also pass.

Examples:
  attache check agent -- gemini --acp
  attache check agent --model-env OPENAI_BASE_URL=/v1 --env OPENAI_API_KEY=any -- node my-agent.mjs
  attache check agent --only CONF,MODE -- my-agent
  attache check agent --tool read=my_read --tool run=my_shell -- my-agent
  attache check agent --report verdicts.html --report junit.xml -- my-agent
  attache check agent --write-baseline known.md -- my-agent; attache check agent --baseline known.md -- my-agent
  attache check agent --json -- my-agent | jq -r 'select(.verdict == \"fail\").rule'";

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// A variable that gets the address of the judge's model, http://127.0.0.1:PORT, and SUFFIX
    /// after it
    #[arg(long, value_name = "NAME[=SUFFIX]")]
    pub(crate) model_env: Vec<String>,
    /// The agent's tool for one of the judge's: read, write, edit, run, plan, ask, search, delete,
    /// move, fetch, delegate, switch_mode
    #[arg(long, value_name = "TOOL=NAME")]
    pub(crate) tool: Vec<String>,
    /// A variable of the agent's environment
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// What to prompt with where a turn is needed
    #[arg(long, value_name = "TEXT", default_value = "hi")]
    pub(crate) prompt: String,
    /// The id of a way to log in that asks nobody: the agent is logged out and in by it too
    #[arg(long, value_name = "METHOD")]
    pub(crate) login: Option<String>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// The program of the agent and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}

/// What is the same for agents and clients.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Only these rules, or the rules of these groups; several with commas, or one after the other
    #[arg(long, value_name = "ID|PREFIX", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// How long an answer may take; the first one three times as long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Run the probes in another order, which this number stands for
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Judge so many times, each with the next seed: verdicts that differ are named flaky, and the
    /// worst stands
    #[arg(long, value_name = "TIMES", default_value_t = 1)]
    pub(crate) repeat: usize,
    /// One JSON object a verdict on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a report, by the ending: .json (compare reads it), .xml (JUnit), .md (what it
    /// supports), .html (a page with the traffic)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Vec<PathBuf>,
    /// Known failures, as `--write-baseline` wrote them: only what differs from them counts
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what fails to this file as known failures; reasons that are in it stay
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
}

const COMPARE: &str = "\
Judgements are what `--report FILE.json` of `attache check agent` and `attache check client` wrote.

Examples:
  attache check agent --report gemini.json -- gemini --acp
  attache check agent --report qwen.json -- qwen --acp
  attache check compare gemini.json qwen.json
  attache check compare --markdown --all *.json
  attache check compare --support my-agent.json my-client.json >support.md";

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The judgements, two or more
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,
    /// Also the rules about which all say the same
    #[arg(long)]
    pub(crate) all: bool,
    /// A table in Markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// What the peers support, side by side, as Markdown
    #[arg(long, conflicts_with_all = ["all", "markdown", "json"])]
    pub(crate) support: bool,
    /// One JSON object with all
    #[arg(long)]
    pub(crate) json: bool,
}
