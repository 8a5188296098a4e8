//! The arguments of the command line.

pub(crate) mod value;

use crate::agents::arguments::Agents;
use crate::attach::arguments::Attach;
use crate::check::arguments::Check;
use crate::checkpoints::arguments::Checkpoints;
use crate::completions::arguments::{Completions, ManPages};
use crate::config::arguments::Config;
use crate::elicitation::FormAnswer;
use crate::exit::CODES;
use crate::login::arguments::{Login, Logout};
use crate::new::arguments::New;
use crate::permissions::arguments::Permissions;
use crate::run::budget::Budget;
use crate::screen::arguments::{Begin, Screen};
use crate::serve::arguments::Serve;
use crate::sessions::arguments::Sessions;
use crate::setup::arguments::Setup;
use crate::uninstall::arguments::Uninstall;
use attache_protocol::v1::{ProtocolVersion, ToolKind};
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use value::{kind, protocol, seconds, setting, variable};

/// An agent and a client of the Agent Client Protocol (ACP), for terminals and scripts.
#[derive(Debug, Parser)]
#[command(name = "attache", version, long_version = LONG_VERSION, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Command {
    /// The default is a conversation with the built-in agent, in this folder.
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) screen: Screen,
}

/// The version with the commit and the kind of build; `-V` prints only the version.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("ATTACHE_COMMIT"),
    "\nbuild: ",
    env!("ATTACHE_BUILD")
);

const EXAMPLES: &str = "\
Examples:
  attache                                talk to the built-in agent, full screen
  attache \"fix the tests\"                the same, with a first prompt
  attache --resume                       choose a session to continue
  attache demo                           see it work on a copy of this folder
  attache run \"summarize this project\"   send one prompt; no key needed
  attache run --agent gemini \"fix it\"    use any other ACP agent
  attache agents                         list the known and installed agents
  attache login kimi                     log in to an agent
  attache sessions                       list stored sessions
  attache config                         show the settings and their sources
  attache doctor                         show what is installed and configured";

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Talk to an agent, line by line
    #[command(after_help = CHAT)]
    Chat(Chat),
    /// Show an agent at work in a few seconds, on a copy of this folder
    Demo(Demo),
    /// Send prompts to an agent and show its work
    #[command(after_help = run_help())]
    Run(Box<Run>),
    /// Serve the built-in agent on stdin and stdout, for editors and other clients
    #[command(after_help = AGENT_EXAMPLES)]
    Agent(Agent),
    /// Share one hub of agents and sessions with editors and other programs
    Serve(Serve),
    /// Use the shared hub as an agent on stdin and stdout, for editors and other clients
    Attach(Attach),
    /// List, check, add and remove agents
    Agents(Agents),
    /// Log in to an agent
    Login(Login),
    /// Log out of an agent
    Logout(Logout),
    /// List, search, show and organize stored sessions
    Sessions(Box<Sessions>),
    /// List and compare checkpoints of files, and restore them
    Checkpoints(Box<Checkpoints>),
    /// Test an agent, a client or a recording against the rules of the protocol
    Check(Check),
    /// Record and judge the messages between any client and any agent
    #[command(after_help = TRACE)]
    Trace(Trace),
    /// Create a project with an agent or a client of your own
    New(New),
    /// List and remove permission rules, and show past decisions
    Permissions(Permissions),
    /// Show and change the settings of the built-in agent
    Config(Config),
    /// Print or write the settings that make an editor use Attaché
    Setup(Setup),
    /// Show what is installed here: agents, keys, terminal, sandbox, folders
    #[command(
        after_help = "This command writes nothing and never shows a key.\n\nExample:\n  attache doctor"
    )]
    Doctor(Doctor),
    /// Print the completions for a shell
    Completions(Completions),
    /// Write the manual pages
    #[command(hide = true)]
    ManPages(ManPages),
    /// List the files that Attaché stores, and remove them
    Uninstall(Uninstall),
}

const AGENT_EXAMPLES: &str = "\
The agent speaks ACP, one JSON message per line. It offers the models of every provider whose \
key is in the environment or was stored with `attache config key`, and those of servers on \
this machine. `attache config` shows and changes the model of new sessions. Without a key the \
model is `offline`, which needs no network; send it \"help\".

ATTACHE_LOG=1 logs like -v. Filters such as ATTACHE_LOG=attache_connection=debug log the \
events of the libraries. ATTACHE_LOG_FILE=PATH appends the log to a file.

Examples:
  attache run --agent 'attache agent' help       start it as any client does
  attache agent -v 2>agent.log                   log methods, ids and sizes
  attache agent --store none                     store no sessions
  attache agent --model openai/gpt-6-luna --mode plan";

const CHAT: &str = "\
/help lists the commands. Ctrl-C cancels a turn, and /stop one tool call of an agent that can \
do that; Ctrl-D ends the conversation. Text that you \
type during a turn becomes the start of your next line. Lines can come through a pipe; \
questions are asked at the terminal.

Your remembered rules (`attache permissions`) decide first what may run, and every decision is \
printed. Otherwise you are asked, and the key r remembers your answer as a rule.

Your input is stored in `attache/chat_history` of your data folder, and sessions in the store, \
unless ATTACHE_STORE=none.

`attache --plain` does the same and takes more options, such as --resume and --model.

Examples:
  attache chat
  attache chat --agent claude --cwd ../other-project
  attache --plain --resume last";

#[derive(Debug, Args, Default)]
pub(crate) struct Chat {
    /// Talk to this agent instead of the built-in one: a name that `attache agents` lists, a
    /// command line, or the address of a remote agent, such as wss://host/acp
    #[arg(long, value_name = "NAME|'CMD ARGS'|URL")]
    pub(crate) agent: Option<String>,
    /// Read the token for a remote agent from this file, instead of from ATTACHE_TOKEN
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Ask the agent for this version of ACP: 1, or 2, a draft [default: that of the agent's entry
    /// in agents.toml, or 1]
    #[arg(long, value_name = "VERSION", value_parser = protocol)]
    pub(crate) protocol: Option<ProtocolVersion>,
    /// Cancel a turn once the session costs more than this, as reported by its agent: 0.50USD,
    /// 2EUR; /budget changes it
    #[arg(long, value_name = "AMOUNT[UNIT]", value_parser = Budget::read)]
    pub(crate) budget: Option<Budget>,
    /// Work in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// What `attache` without a subcommand was given besides.
    #[arg(skip)]
    pub(crate) begin: Begin,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Show every permission rule
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Compare the built-in list of models with the lists of your providers; this sends each
    /// provider its own key, and no other data
    #[arg(long)]
    pub(crate) online: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Your files do not change.\n\nExample:\n  cd my-project && attache demo")]
pub(crate) struct Demo {
    /// Use a copy of this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Agent {
    /// Log every message to stderr: method, id and size; the same as ATTACHE_LOG=1
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Store sessions in this file; `none` stores nothing [default: ATTACHE_STORE, or a file in
    /// your data directory]
    #[arg(long, value_name = "PATH|none")]
    pub(crate) store: Option<PathBuf>,
    /// The model of new sessions [default: from `attache config`]
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) model: Option<String>,
    /// The model to use when the primary provider fails permanently [default: from `attache
    /// config`]
    #[arg(long, value_name = "PROVIDER/NAME")]
    pub(crate) fallback: Option<String>,
    /// The mode of new sessions: ask, edit, auto, plan [default: from `attache config`]
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Ask for a provider and its key, store the key and exit; editors run this login in a terminal
    #[arg(long)]
    pub(crate) add_key: bool,
}

const TRACE: &str = "\
A client starts `attache trace` in place of the agent CMD. All bytes pass unchanged and \
without delay in both directions, and so do the end of either side, the stderr of CMD and its \
exit code. A signal to end is passed on as SIGTERM. If this program is killed, CMD and all of \
its processes end too.

Secrets in the recording are masked: values of environment variables and headers, keys, \
passwords. At most 8 MiB wait to be recorded. If the disk, or with --judge the reader of \
stderr, is slower than that, the traffic waits, and nothing is lost.

Examples:
  attache trace --file gemini.jsonl -- gemini --acp   as the command of an editor
  attache trace --judge -- my-agent <calls.jsonl      judge its answers
  attache check trace gemini.jsonl";

#[derive(Debug, Args)]
pub(crate) struct Trace {
    /// Write every line in both directions to a new file; `-` means stderr
    #[arg(long, value_name = "FILE", required_unless_present = "judge")]
    pub(crate) file: Option<PathBuf>,
    /// Report each line that breaks a rule on stderr, as it passes
    #[arg(long)]
    pub(crate) judge: bool,
    /// The agent and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The prompt; words are joined by spaces, and `-` inserts stdin
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Send the prompts of this file in order, separated by `---` lines; `-` reads stdin
    #[arg(long, short, value_name = "FILE", conflicts_with = "prompt")]
    pub(crate) file: Option<PathBuf>,
    /// Start this agent instead of the built-in one: a name that `attache agents` lists, a
    /// command line, or the address of a remote agent, such as wss://host/acp
    #[arg(long, value_name = "NAME|'CMD ARGS'|URL")]
    pub(crate) agent: Option<String>,
    /// Read the token for a remote agent from this file, instead of from ATTACHE_TOKEN
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Ask the agent for this version of ACP: 1, or 2, a draft [default: that of the agent's entry
    /// in agents.toml, or 1]
    #[arg(long, value_name = "VERSION", value_parser = protocol)]
    pub(crate) protocol: Option<ProtocolVersion>,
    /// Set this environment variable for the agent
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) env: Vec<(String, String)>,
    /// Continue a session: its id, the beginning of its id, or `last`
    #[arg(long, value_name = "ID|last", conflicts_with = "session")]
    pub(crate) resume: Option<String>,
    /// Continue this folder's session with this title or tag; create it if none exists
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Work in this folder, the only one that the agent can access through this program
    /// [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Allow everything the agent asks for
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Allow this kind of tool call: read, edit, delete, move, search, execute, think, fetch,
    /// switch_mode, other
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub(crate) allow: Vec<ToolKind>,
    /// Answer the agent's forms this way instead of asking you
    #[arg(long, value_name = "ANSWER")]
    pub(crate) forms: Option<FormAnswer>,
    /// Set the agent's mode
    #[arg(long, value_name = "ID")]
    pub(crate) mode: Option<String>,
    /// Set a config option by its id or category, such as model=flash
    #[arg(long, value_name = "ID=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Give the agent the MCP servers of a JSON file, in the form that editors use: {"mcpServers":
    /// {…}}; the built-in agent waits for each server for at most 10 s
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp: Option<PathBuf>,
    /// Cancel a turn after this many seconds, including the start of the agent; end the agent if it
    /// continues for 2 s
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Wait this long for the agent's first reply [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) start_timeout: Option<Duration>,
    /// Cancel the turn once the session costs more than this, as reported by its agent: 0.50USD,
    /// 2EUR
    #[arg(long, value_name = "AMOUNT[UNIT]", value_parser = Budget::read)]
    pub(crate) budget: Option<Budget>,
    /// Record every message in either direction in a new file, with secrets masked
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the answer
    #[arg(long, short, conflicts_with_all = ["verbose", "json"])]
    pub(crate) quiet: bool,
    /// Print whole diffs and outputs, and the agent's reasoning
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

fn run_help() -> String {
    format!(
        "\
@PATH or @\"A PATH\" in a prompt attaches a file: a picture, sound or text if the agent \
accepts it, otherwise a link. Relative paths stay inside the folder. Text from stdin is sent \
unchanged.

Permissions: your remembered rules (`attache permissions`) decide first, then --yes and \
--allow, then you. A rule that rejects also overrides --yes. On a terminal you answer each \
question with one key, and the key r remembers the answer as a rule. Elsewhere, actions that \
no rule or flag allows are refused, and the exit code is 11. Each decision is printed with the \
command, file or address of the call.

If the agent asks this program to run a command, the question has the kind execute. If it asks \
to write a file, the kind is edit, unless you already allowed exactly that change. Changes of \
protected files, such as those in .git/hooks, and reads of secrets need your answer or a rule \
with the path; no flag covers them. A command whose words name such a file needs your answer \
or a rule with the whole command line. Files that a program finds by itself are not detected.

Forms and pages of the agent are shown only on a terminal, and only you open a page. --forms \
answers forms without you. Only the answer is written to a pipe; progress goes to stderr. \
Ctrl-C cancels the turn; a second Ctrl-C ends the program.

{CODES}

Examples:
  attache run \"summarize this project\"
  attache run --allow edit \"rename total to sum in src\"
  attache run \"what is wrong here?\" @screen.png @src/main.rs
  attache run --resume last \"and now the tests\"
  attache run --session review --file prompts.md
  git diff | attache run --agent claude \"review this change:\" -
  attache run --agent gemini --set model=flash --budget 0.50USD \"what is this?\"
  attache run --agent 'my-agent --acp' --mcp .mcp.json --trace run.jsonl \"hello\"
  attache run --json \"run ls\" --yes | jq -r 'select(.event == \"text\").text'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Command::command().debug_assert();
    }

    /// Returns the commands in the `sh` blocks of the README and of `docs/`, without shell syntax.
    fn documented_commands() -> Vec<String> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = |folder| std::fs::read_dir(root.join(folder)).into_iter().flatten();
        let docs = pages("docs").chain(pages("docs/protocol")).map(|entry| entry.unwrap().path());
        let files = docs.chain([root.join("README.md")]);
        let texts: Vec<String> =
            files.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let blocks = texts.iter().flat_map(|text| text.split("```sh\n").skip(1));
        let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
        let commands = lines.filter_map(|line| {
            let line = line.split("  #").next()?.split(" | ").next()?.split(" > ").next()?.trim();
            let line = match line.split_once(' ') {
                Some((variable, command)) if variable.starts_with("ATTACHE_") => command,
                _ => line,
            };
            let is_ours = line == "attache" || line.starts_with("attache ");
            is_ours.then(|| line.to_owned())
        });
        commands.collect()
    }

    /// Splits a command into words, which can be quoted to contain spaces.
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
    fn the_help_lists_every_kind_of_tool_call() {
        let help =
            Command::command().find_subcommand_mut("run").unwrap().render_long_help().to_string();
        for kind in ToolKind::KNOWN {
            assert!(help.contains(kind.as_str()), "{kind:?}");
        }
    }

    #[test]
    fn invalid_arguments_are_refused() {
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
