//! The arguments of `attache permissions`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = ABOUT)]
pub(crate) struct Permissions {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
}

const ABOUT: &str = "\
Rules apply to every agent, including the built-in one. `attache run` and conversations apply them \
first, and print each decision in one line. A rule that denies overrides rules that ask, and a \
rule that asks overrides rules that allow. Rules that allow or deny override --yes and --allow. \
Rules rely on the agent's own description of its calls.

At an agent's question, the key `r` adds a rule: for this session (not stored in a file), for this \
project, or everywhere. You can also edit the file:
  version = 2

  [[allow]]
  agents = [\"attache\"]
  command = \"cargo test\"

  [[deny]]
  agents = \"all\"
  command = \"rm\"

  [[allow]]
  agents = [\"claude\", \"gemini\"]
  call = { kind = \"edit\", path = \"/home/me/tally/docs\" }

`command`, `line`, `reads`, `changes`, `host`, `mcp` and `tool` describe actions. The built-in agent \
applies them before it acts. For other agents they apply to the permissions that the agents \
request; commands of these agents need `unsandboxed = true` to be allowed. `call` describes a call \
in the agent's own words: by `kind`, `tool`, `path`, `command`, `title` and `text`. A rule that \
allows covers one plain command that begins with its words. A rule that asks or denies covers \
every command line that may run the command, such as `sudo rm` or `sh -c 'rm x'`. Symbolic links \
and `..` in paths are resolved first.

A project can restrict agents further in its own .attache/permissions.toml; rules that allow have \
no effect there.

Examples:
  attache permissions
  attache permissions remove 2
  attache permissions audit --count 100";

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the rules and explain each (the default)
    List,
    /// Remove a rule by its number in the list
    Remove(Remove),
    /// Show past decisions, the latest last
    #[command(after_help = "\
The decisions of `attache run` and of conversations are stored, up to about 2 MiB, unless \
ATTACHE_STORE=none. Possible secrets are replaced by `…`.

Example:
  attache permissions audit --json | jq -r 'select(.by == \"rule\").title'")]
    Audit(Audit),
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The number of the rule
    #[arg(value_name = "NUMBER")]
    pub(crate) number: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// The number of decisions to show
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) count: usize,
    /// Print the log: one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
