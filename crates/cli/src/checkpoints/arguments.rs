//! The arguments of `attache checkpoints`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Attaché takes a checkpoint of a session's folders when a session starts, before each prompt and \
after each turn, whichever agent and tool changes the files. docs/rewind.md says what a checkpoint \
keeps and what it does not. ATTACHE_CHECKPOINTS=none takes none.

ID is the id of a checkpoint, the beginning of its id, or `last`. A restore shows what it would \
change first, keeps what others changed meanwhile, and is itself a checkpoint, so `attache \
checkpoints undo` reverts it.

Exit codes: 2 if the checkpoint does not exist, 9 if another program uses the folder or the store, \
10 if the store cannot be used, 11 if a file was left because nothing allowed to change it, 130 \
if you answer no; see also `attache run --help`.

Examples:
  attache checkpoints                            of this folder, the newest first
  attache checkpoints show last                  the files that changed in it
  attache checkpoints diff 1k3m                  what changed since, line by line
  attache checkpoints restore 1k3m               bring all files back, after a question
  attache checkpoints restore 1k3m --yes src/a.rs
  attache checkpoints undo                       revert the last restore
  attache checkpoints --json | jq -r .id         for scripts";

/// The command, with the arguments of its default, `list`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Checkpoints {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List checkpoints, the newest first (the default)
    #[command(after_help = "Example:\n  attache checkpoints list --session last --json")]
    List(List),
    /// Show a checkpoint, the files that changed in it, and those that it does not have
    #[command(after_help = "Example:\n  attache checkpoints show last")]
    Show(One),
    /// Show what changed in the files since a checkpoint
    #[command(
        after_help = "Examples:\n  attache checkpoints diff last\n  attache checkpoints diff 1k3m src/main.rs\n  attache checkpoints diff 1k3m --to 1k3n"
    )]
    Diff(Diff),
    /// Bring files back to a checkpoint, after you confirm
    #[command(
        after_help = "Examples:\n  attache checkpoints restore 1k3m\n  attache checkpoints restore 1k3m src/main.rs --yes\n  attache checkpoints restore 1k3m --dry-run"
    )]
    Restore(Restore),
    /// Revert the last restore
    #[command(after_help = "Example:\n  attache checkpoints undo --yes")]
    Undo(Undo),
    /// Delete the checkpoints of a session, or those that are over the limit on disk
    #[command(
        after_help = "Examples:\n  attache checkpoints prune\n  attache checkpoints prune --session 3f2a --yes\n  attache checkpoints prune --all --yes"
    )]
    Prune(Prune),
}

/// Selects checkpoints.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Only checkpoints of this folder [default: the current one, unless --session is given]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Only checkpoints of this session: its id, the beginning of its id, or `last`
    #[arg(long, value_name = "ID|last")]
    pub(crate) session: Option<String>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, Args)]
pub(crate) struct One {
    /// The checkpoint
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The checkpoint
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Only these files, relative to the folder of the session
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Compare with this checkpoint instead of the files as they are now
    #[arg(long, value_name = "ID")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The checkpoint
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Only these files, relative to the folder of the session
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also overwrite what others changed meanwhile where it cannot be merged
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not ask; protected files are left
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Do not ask; protected files are left
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Delete all checkpoints of all sessions
    #[arg(long, conflicts_with_all = ["session", "cwd"])]
    pub(crate) all: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}
