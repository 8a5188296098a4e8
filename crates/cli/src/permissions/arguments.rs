//! What may stand behind `attache permissions`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = ABOUT)]
pub(crate) struct Permissions {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
}

const ABOUT: &str = "\
The rules are for every agent, the built-in one too. `attache run` and the conversation of `attache` decide by them first, and print each decision \
in one line. A rule that denies goes before every rule that asks, and this before every rule that allows. Rules that allow or deny go before --yes \
and --allow. They trust what an agent says about its calls.

The key `r` at a question remembers a rule: in this session, which no file keeps, in this project, or everywhere. You can also edit the file:
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

`command`, `line`, `reads`, `changes`, `host`, `mcp` and `tool` are about actions. The built-in agent obeys them before it acts. Other agents are held to them when they \
ask; their commands are allowed only by rules with `unsandboxed = true`. `call` is about a call as an agent describes it when it asks: by `kind`, `tool`, \
`path`, `command`, `title` and `text`. A rule that allows covers one plain command that begins with its words. A rule that asks or denies covers every \
command line that may run it, such as `sudo rm` or `sh -c 'rm x'`. Paths are compared with symbolic links and `..` followed.

A project may restrict agents further in its own .attache/permissions.toml; what that file allows does not count.

Examples:
  attache permissions
  attache permissions remove 2
  attache permissions audit --count 100";

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List the rules, with what each means; the same as no task
    List,
    /// Remove a rule, by its number in the list
    Remove(Remove),
    /// Show who decided what, and when, the last decision at the end
    #[command(
        after_help = "Decisions of `attache run` and of the conversation are kept, at most about 2 MiB of them, unless ATTACHE_STORE=none. What looks like \
a secret is replaced by `…`.\n\nExample:\n  attache permissions audit --json | jq -r 'select(.by == \"rule\").title'"
    )]
    Audit(Audit),
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    /// The number
    #[arg(value_name = "NUMBER")]
    pub(crate) number: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// How many decisions are shown
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) count: usize,
    /// One JSON object a line on stdout, as the log has them
    #[arg(long)]
    pub(crate) json: bool,
}
