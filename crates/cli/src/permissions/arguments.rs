//! What may stand behind `attache permissions`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = ABOUT)]
pub(crate) struct Permissions {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
}

const ABOUT: &str = "\
These rules are this client's, for any agent: `attache run` and the conversation of `attache` decide by them first, and say so in one line each \
time. A rule that rejects goes before every rule that allows, and rules go before --yes and --allow. They trust what an agent says about its calls. \
What the built-in agent allows itself is another file: `attache config` names it.

The key `r` at a question remembers a rule: in this session, which no file keeps, in this project, or everywhere. The file has one rule a line \
and may be written by hand, such as:
  allow agent=\"attache\" project=\"/home/me/tally\" command=\"cargo test\"
  reject path=\"/home/me/.ssh\"
  reject command=\"rm\"
  allow kind=\"read\"
  allow tool=\"mcp__github__*\"

A command is read as a shell reads it. An allowing rule covers one plain command that begins with these words, in the session's folder; a rejecting \
rule covers every command line that may run it, as `/bin/rm`, `sudo rm` or `sh -c 'rm x'` do, and lines whose programs cannot be read. Paths are \
compared with symbolic links and `..` followed. Where an agent names a command only in words, a rule has its exact title and text.

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
