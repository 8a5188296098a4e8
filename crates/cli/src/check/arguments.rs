//! The arguments of `attache check`.

mod client;
mod fuzz;
mod judging;

pub(crate) use fuzz::{Fuzz, Fuzzed};
pub(crate) use judging::Judging;

use crate::args::value::protocol;
use attache_protocol::v1::ProtocolVersion;
use clap::{Args, Subcommand};
pub(super) use client::{Client, Relay};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the rules of the protocol and the tests that cover them
    #[command(after_help = EXAMPLES)]
    Rules(Rules),
    /// Report the lines of a recording that break a rule
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Test which rules an agent keeps
    #[command(after_help = AGENT)]
    Agent(Box<Agent>),
    /// Send malformed conversations to an agent or client until it breaks, and minimize them
    #[command(after_help = fuzz::HELP)]
    Fuzz(Fuzz),
    /// Compare judgements and show the differences
    #[command(after_help = COMPARE)]
    Compare(Compare),
    /// Test which rules a client keeps
    #[command(after_help = client::help())]
    Client(Client),
    /// The program that a client under test starts as its agent, or an agent under test as an MCP
    /// server
    #[command(hide = true)]
    Relay(Relay),
}

const EXAMPLES: &str = "\
A rule counts as tested only if a test fails when the behaviour is broken on purpose; \
each such fault has a name. Strengths: \"must\" and \"should\" come from the specification. \
\"practice\" means that the specification is silent and the official libraries agree. \
\"advice\" means that the specification is silent and we advise it.

Examples:
  attache check rules                           all rules
  attache check rules CONF                      the rules about config options
  attache check rules CONF-07                   one rule in detail
  attache check rules --json | jq -r 'select(.tests == []).id'";

#[derive(Debug, Args)]
pub(crate) struct Rules {
    /// Only this rule, or the rules of this group
    #[arg(value_name = "ID|PREFIX")]
    pub(crate) rule: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

const TRACE: &str = "\
A recording is a file that `attache trace` or `attache run --trace` wrote, a copy of Zed's ACP \
logs, the output of `acp-devtools export`, or a `.jsons` file of the official conductor. The \
format is detected. Both sides are judged by the version of the protocol that they chose, as \
far as the lines show: version 2 by JSON-RPC, the shapes of messages and the rules V2. The exit \
code is 4 if a mandatory rule is broken.

Examples:
  attache run --agent gemini --trace run.jsonl \"what is this?\"
  attache check trace run.jsonl
  attache check trace --json run.jsonl | jq -r .rule | sort | uniq -c";

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// The recording; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print one JSON object per finding
    #[arg(long)]
    pub(crate) json: bool,
}

const AGENT: &str = "\
The agent is restarted for each probe that needs it, with an empty folder for sessions. The \
exit code is 4 if the agent breaks a mandatory rule.

Rules about turns are judged with a model that obeys the judge: a server on 127.0.0.1 with the \
APIs of OpenAI (Chat Completions, Responses), Anthropic and Gemini. The environment makes \
these agents use it: attache, gemini, qwen, claude-agent-acp, codex-acp, opencode, copilot, \
goose, kimi, vibe-acp, grok, droid, fast-agent-acp. Each gets a separate home folder with \
settings and data, so that judging costs nothing and neither reads nor changes yours; --env \
HOME=PATH selects another. For any other agent, name the variables for its provider's address \
(--model-env) and others that it needs, such as a placeholder key (--env). An agent without a \
model is judged by the rules about turns if it obeys the acts in the judge's prompts, which \
crates/check/ACTS.md describes. The model finds the agent's tools by their names; --tool names \
a tool that it does not know.

With --protocol 2, the judge's client speaks version 2, and the rules V2 and the rules about \
JSON-RPC are judged. If the agent does not speak version 2, nothing is judged, and the exit code \
is 2.

Verdicts: \"pass\"; \"fail\", with the expected and actual behaviour and the lines; \
\"skipped\", if the agent does not offer the subject of the rule; \"not tested\", with the \
reason.

With --baseline FILE the exit code is 4 if a rule fails that the file does not list, or if a \
listed rule passes. The file is Markdown: a line `- RPC-22: reason` for each known failure, \
and `- RPC-22, flaky: reason` for one that sometimes passes.

Examples:
  attache check agent -- gemini --acp
  attache check agent --model-env OPENAI_BASE_URL=/v1 --env OPENAI_API_KEY=any -- my-agent
  attache check agent --only CONF,MODE -- my-agent
  attache check agent --protocol 2 -- my-agent
  attache check agent --tool read=my_read --tool run=my_shell -- my-agent
  attache check agent --report verdicts.html --report junit.xml -- my-agent
  attache check agent --write-baseline known.md -- my-agent
  attache check agent --baseline known.md -- my-agent
  attache check agent --json -- my-agent | jq -r 'select(.verdict == \"fail\").rule'";

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// Set this variable of the agent to the address of the judge's model, http://127.0.0.1:PORT
    /// plus SUFFIX
    #[arg(long, value_name = "NAME[=SUFFIX]")]
    pub(crate) model_env: Vec<String>,
    /// Use the agent's tool NAME as the judge's TOOL: read, write, edit, run, plan, ask, search,
    /// delete, move, fetch, delegate, switch_mode
    #[arg(long, value_name = "TOOL=NAME")]
    pub(crate) tool: Vec<String>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    /// The prompt for probes that accept any prompt
    #[arg(long, value_name = "TEXT", default_value = "hi")]
    pub(crate) prompt: String,
    /// The version of the protocol to judge: 1 or 2; version 2 is a draft
    #[arg(long, value_name = "VERSION", default_value = "1", value_parser = protocol)]
    pub(crate) protocol: ProtocolVersion,
    /// The id of a login method that needs no person; the judge also logs out and in with it
    #[arg(long, value_name = "METHOD")]
    pub(crate) login: Option<String>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// The program of the agent and its arguments
    #[arg(value_name = "CMD", required = true, last = true)]
    pub(crate) command: Vec<OsString>,
}

const COMPARE: &str = "\
A judgement is a file that `attache check agent --report FILE.json` or `attache check client \
--report FILE.json` wrote.

Examples:
  attache check agent --report gemini.json -- gemini --acp
  attache check agent --report qwen.json -- qwen --acp
  attache check compare gemini.json qwen.json
  attache check compare --markdown --all *.json
  attache check compare --support my-agent.json my-client.json >support.md";

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Two or more judgements
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub(crate) files: Vec<PathBuf>,
    /// Include the rules without a difference
    #[arg(long)]
    pub(crate) all: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Compare the supported features, as Markdown
    #[arg(long, conflicts_with_all = ["all", "markdown", "json"])]
    pub(crate) support: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
