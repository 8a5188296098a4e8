//! What may stand on the command line.

use crate::agents::arguments::{Agents, variable};
use crate::check::arguments::Check;
use crate::config::arguments::Config;
use crate::elicitation::FormAnswer;
use crate::exit::CODES;
use crate::login::arguments::{Login, Logout};
use crate::new::arguments::New;
use crate::permissions::arguments::Permissions;
use crate::run::budget::Budget;
use crate::sessions::arguments::Sessions;
use attache_protocol::v1::ToolKind;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// An agent and a client of the Agent Client Protocol (ACP), for terminals and scripts.
#[derive(Debug, Parser)]
#[command(name = "attache", version, after_help = EXAMPLES)]
pub(crate) struct Command {
    /// Nothing stands for a conversation with the built-in agent, in this folder.
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
}

const EXAMPLES: &str = "\
Examples:
  attache                                       talk with the built-in agent, in this folder
  attache demo                                  see what it does, on a copy of this folder
  attache run \"summarize this project\"          with the built-in agent, no key needed
  attache run --agent gemini \"fix it\"           with any ACP agent
  attache agents                                which are known, and which are here
  attache login kimi                            logs in to one
  attache sessions                              what was said so far
  attache config                                settings, and where they come from
  attache doctor                                what is installed and configured here";

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Talk with an agent, line by line: what `attache` alone does
    #[command(after_help = CHAT)]
    Chat(Chat),
    /// Show the main job in a few seconds, on a copy of the current folder
    Demo(Demo),
    /// Send prompts to an agent and show what it does
    #[command(after_help = run_help())]
    Run(Box<Run>),
    /// Serve the built-in agent on stdin and stdout, for editors and other clients
    #[command(after_help = AGENT_EXAMPLES)]
    Agent(Agent),
    /// List the agents that are known, and check that one works
    Agents(Agents),
    /// Log in to an agent
    Login(Login),
    /// Log out of an agent
    Logout(Logout),
    /// List, search, show and put in order the sessions that are kept
    Sessions(Box<Sessions>),
    /// Judge an agent or a recording by the rules of the protocol, and tell the rules
    Check(Check),
    /// Record, and judge if you like, what passes between any client and any agent
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Begin a project: an agent of your own
    New(New),
    /// List and remove what this client remembers about permissions, and show what was decided
    Permissions(Permissions),
    /// Show and change the settings of the built-in agent
    Config(Config),
    /// Say what was found here: agents, keys, terminal, sandbox, folders
    #[command(
        after_help = "Nothing is written, and no key is shown.\n\nExample:\n  attache doctor"
    )]
    Doctor(Doctor),
}

const AGENT_EXAMPLES: &str = "\
The agent speaks ACP, one JSON message a line. Its models are those of the providers whose keys are in the environment or were given to
`attache config key`, and of servers on this machine; `attache config` says which one new sessions use, and changes it. Without a key it is
`offline`: no network; send it \"help\".

Examples:
  attache run --agent 'attache agent' help      any client starts it like this
  attache agent -v 2>agent.log                  every message in a log, by method, id and size
  attache agent --store none                    keep no sessions
  attache agent --model openai/gpt-5-mini --mode plan";

const CHAT: &str = "\
/help tells what you can do there. Ctrl-C cancels a turn, Ctrl-D ends. What you type during a turn waits for your next line. Lines may come \
through a pipe; questions are asked at the terminal. What may run is decided by your remembered rules (`attache permissions`), each \
verdict told in a line, else by you; the key r at a question remembers a rule. What you type is remembered in `attache/chat_history` of the user's data \
folder, and sessions in the store, unless ATTACHE_STORE=none.

Examples:
  attache
  attache chat --agent claude --cwd ../other-project";

#[derive(Debug, Args, Default)]
pub(crate) struct Chat {
    /// Talk with this agent instead of the built-in one: a name that `attache agents` lists, or a
    /// command line
    #[arg(long, value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Cancel a turn once its session has cost more, as its agent counts it: 0.50USD, 2EUR; /budget
    /// changes it
    #[arg(long, value_name = "AMOUNT[UNIT]", value_parser = Budget::read)]
    pub(crate) budget: Option<Budget>,
    /// Work in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Show every permission rule
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Your files are not touched.\n\nExample:\n  cd my-project && attache demo")]
pub(crate) struct Demo {
    /// Show the folder DIR instead of the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// Log every message to stderr, by method, id and size; ATTACHE_LOG=1 does the same
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Keep sessions in this file; `none` keeps nothing [default: ATTACHE_STORE, else one in the
    /// user's data directory]
    #[arg(long, value_name = "PATH|none")]
    pub(crate) store: Option<PathBuf>,
    /// The model of new sessions [default: that of `attache config`]
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) model: Option<String>,
    /// The model that goes on when the provider of the chosen one fails for good [default: that of
    /// `attache config`]
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) fallback: Option<String>,
    /// The mode of new sessions: ask, edit, auto, plan [default: that of `attache config`]
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Ask for a provider and its key, keep the key and end: the login that editors run in a
    /// terminal
    #[arg(long)]
    pub(crate) add_key: bool,
}

const TRACE: &str = "\
A client starts it in place of the agent CMD: every byte passes unchanged and at once, in both directions, so do the ends of both, what CMD writes to \
stderr, and how it ends. A signal to end is passed on as SIGTERM. If this program is killed, CMD and all that it started end, too.

Secrets are masked in what is recorded: values of environment variables and headers, keys, passwords. What waits to be recorded is at most 8 MiB: if the \
disk, or with --judge whoever reads stderr, is slower for long, the traffic waits, and nothing is lost.

Examples:
  attache trace --file gemini.jsonl -- gemini --acp     as the agent's command in an editor
  attache run --agent 'attache trace --judge -- my-agent' help
  attache check trace gemini.jsonl";

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// Write every line of both directions to a new file; `-` writes them to stderr
    #[arg(long, value_name = "FILE", required_unless_present = "judge")]
    pub(crate) file: Option<PathBuf>,
    /// Say on stderr which line breaks which rule, as it passes
    #[arg(long)]
    pub(crate) judge: bool,
    /// The agent and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// What to ask; words are joined by spaces, and `-` stands for what stdin holds
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// A script: each prompt of this file in turn, with a line `---` between two; `-` reads it from
    /// stdin
    #[arg(long, short, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) file: Option<PathBuf>,
    /// Start this agent instead of the built-in one: a name that `attache agents` lists, or a
    /// command line
    #[arg(long, value_name = "NAME|'CMD ARGS'")]
    pub(crate) agent: Option<String>,
    /// Start the agent with this environment variable
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Go on with a session: its id, the beginning of one, or `last`
    #[arg(long, value_name = "ID|last", conflicts_with = "session")]
    pub(crate) resume: Option<String>,
    /// Go on with this folder's session of this title or tag; if there is none, begin it
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Work in this folder; the agent sees no other through this client [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Allow everything the agent asks for
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Allow this kind of tool call: read, edit, delete, move, search, execute, think, fetch,
    /// switch_mode, other
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) allow: Vec<ToolKind>,
    /// Answer the agent's forms so, without asking you
    #[arg(long, value_name = "ANSWER")]
    pub(crate) forms: Option<FormAnswer>,
    /// Set the agent's mode
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set a config option by its id or category, such as model=flash
    #[arg(long, value_name = "ID=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// MCP servers for the agent, from a JSON file as editors have it: {"mcpServers": {…}}
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp: Option<PathBuf>,
    /// Cancel a turn after so many seconds, the start counted with the first; 2 s later the agent
    /// is ended if it goes on
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Wait so long for the agent's first answer [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) start_timeout: Option<Duration>,
    /// Cancel the turn once the session has cost more, as its agent counts it: 0.50USD, 2EUR
    #[arg(long, value_name = "AMOUNT[UNIT]", value_parser = Budget::read)]
    pub(crate) budget: Option<Budget>,
    /// Write every message in both directions to a new file, secrets masked
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Nothing but the answer
    #[arg(long, short, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,
    /// All of every diff and output, and what the agent thinks
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

fn run_help() -> String {
    format!(
        "@PATH in a prompt, or @\"A PATH\", is that file: a picture, sound or text if the agent takes it, else a link. \
Relative paths stay inside the folder; what stdin holds is sent as it is.

What may run is decided by your remembered rules (`attache permissions`), then by --yes and --allow, then by you: a rule that rejects holds under \
--yes too. On a terminal the agent's questions are asked there, one key each, and the key r remembers a rule. Elsewhere what neither rules nor flags \
allow is rejected, and the exit code is 11. Each decision is printed with the command, file or address of the call. A command that the agent wants this program to run is such a question, of the kind execute; \
a file that it wants this program to write is one of the kind edit, unless you allowed exactly that change before. A change of a protected file, such as \
one in .git/hooks, and a read of a file that holds secrets need you or a rule with the path: no flag covers them. A command whose words name \
such a file to change, or a secret to read, needs you or a rule with the whole command line; a file that a program finds by itself is not seen. Forms and pages of the agent are shown \
on a terminal only, and no page is opened but by you; --forms answers forms without you. To a pipe only the answer is written, progress goes to stderr. Ctrl-C cancels the turn, a second one ends.

{CODES}

Examples:
  attache run \"summarize this project\"
  attache run --allow edit \"rename total to sum in src\"
  attache run \"what is wrong here?\" @screen.png @src/main.rs
  attache run --resume last \"and now the tests\"
  attache run --session review --file prompts.md
  git diff | attache run --agent claude \"review this change:\" -
  attache run --agent gemini --set model=flash --timeout 300 --budget 0.50USD \"what is this?\" >answer.md
  attache run --agent 'my-agent --acp' --mcp .mcp.json --trace run.jsonl \"what tools do you have?\"
  attache run --json \"run ls\" --yes | jq -r 'select(.event == \"text\").text'"
    )
}

fn kind(word: &str) -> Result<ToolKind, String> {
    let known = ToolKind::KNOWN.iter().find(|kind| kind.as_str() == word);
    known.cloned().ok_or_else(|| {
        let kinds: Vec<&str> = ToolKind::KNOWN.iter().map(ToolKind::as_str).collect();
        format!("there is no such kind; use one of {}", kinds.join(", "))
    })
}

fn setting(word: &str) -> Result<(String, String), String> {
    match word.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err("write it as ID=VALUE, such as model=flash".to_owned()),
    }
}

pub(crate) fn seconds(word: &str) -> Result<Duration, String> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| "write a number of seconds above 0, such as 300".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_holds_together() {
        Command::command().debug_assert();
    }

    /// The commands in `sh` blocks of the README and of `docs/`, without what a shell does.
    fn documented_commands() -> Vec<String> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let docs = std::fs::read_dir(root.join("docs")).unwrap();
        let docs = docs.map(|entry| entry.unwrap().path());
        let files = docs.chain([root.join("README.md")]);
        let texts: Vec<String> =
            files.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let blocks = texts.iter().flat_map(|text| text.split("```sh\n").skip(1));
        let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
        let commands = lines.filter_map(|line| {
            let line = line.split("  #").next()?.split(" | ").next()?.trim();
            let line = match line.split_once(' ') {
                Some((variable, command)) if variable.starts_with("ATTACHE_") => command,
                _ => line,
            };
            let is_ours = line == "attache" || line.starts_with("attache ");
            is_ours.then(|| line.to_owned())
        });
        commands.collect()
    }

    /// The words of a command; quotes keep spaces.
    fn words(command: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in command.chars() {
            match c {
                '\'' | '"' if quote == Some(c) => quote = None,
                '\'' | '"' if quote.is_none() => quote = Some(c),
                ' ' if quote.is_none() => words.push(String::new()),
                _ => words.iter_mut().next_back().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn every_documented_command_is_understood() {
        let commands = documented_commands();
        assert!(commands.len() > 40, "{commands:?}");
        for command in commands {
            let words = words(&command);
            if let Err(error) = Command::try_parse_from(words) {
                panic!("{command}: {error}");
            }
        }
    }

    #[test]
    fn every_kind_of_tool_call_stands_in_the_help() {
        let help =
            Command::command().find_subcommand_mut("run").unwrap().render_long_help().to_string();
        for kind in ToolKind::KNOWN {
            assert!(help.contains(kind.as_str()), "{kind:?}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let run = |arguments: &[&str]| {
            Command::try_parse_from(["attache", "run"].iter().chain(arguments))
        };
        assert!(
            run(&[
                "hello",
                "--allow",
                "edit",
                "--allow",
                "read",
                "--set",
                "a=b=c",
                "--timeout",
                "0.5"
            ])
            .is_ok()
        );
        for wrong in [
            ["--allow", "write"],
            ["--set", "model"],
            ["--set", "=x"],
            ["--timeout", "0"],
            ["--timeout", "soon"],
        ] {
            assert!(run(&wrong).is_err(), "{wrong:?}");
        }
        assert!(run(&["--quiet", "--json", "x"]).is_err());
    }
}
