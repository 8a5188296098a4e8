//! The arguments of `attache sessions`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
The built-in agent stores its sessions in one file of your data directory, which `attache \
doctor` shows. ATTACHE_STORE=PATH selects another file, ATTACHE_STORE=none stores nothing.

ID is a session's id, the beginning of its id, or `last`.

Exit codes: 2 if the session does not exist, 9 if it is open in another program, 10 if the \
store cannot be used; see also `attache run --help`.

Examples:
  attache sessions                              the newest sessions
  attache sessions --cwd . --tag bug            of this folder, with a tag
  attache sessions search \"race condition\"      in titles and conversations
  attache sessions show last                    the whole conversation
  attache sessions show last --markdown >talk.md
  attache sessions tag last +bug -later
  attache sessions --json | jq -r .sessionId    for scripts";

/// The command, with the arguments of its default, `list`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    pub(crate) task: Option<Task>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// List sessions, the newest first (the default)
    #[command(after_help = "Example:\n  attache sessions list --cwd . --all")]
    List(List),
    /// Search titles and conversations, and show the lines that match
    #[command(after_help = "Example:\n  attache sessions search \"race condition\" --cwd .")]
    Search(Search),
    /// Show a conversation
    #[command(
        after_help = "Examples:\n  attache sessions show last\n  attache sessions show 3f2a --markdown >talk.md"
    )]
    Show(Show),
    /// Write a session's log to a file, one JSON object per line
    #[command(
        after_help = "Examples:\n  attache sessions export last\n  attache sessions export last - | gzip >last.jsonl.gz"
    )]
    Export(Export),
    /// Set a session's title, which the agent then no longer changes
    #[command(after_help = "Example:\n  attache sessions rename last The race in the cache")]
    Rename(Rename),
    /// Add and remove tags of a session, or show them
    #[command(after_help = "Example:\n  attache sessions tag last +bug -later")]
    Tag(Tag),
    /// Archive sessions: lists then show them only with --archived or --all
    #[command(after_help = "Example:\n  attache sessions archive 3f2a 9c41")]
    Archive(Several),
    /// Unarchive sessions
    #[command(after_help = "Example:\n  attache sessions unarchive 3f2a")]
    Unarchive(Several),
    /// Delete sessions permanently, after you confirm
    #[command(after_help = "Example:\n  attache sessions delete 3f2a --yes")]
    Delete(Delete),
}

/// The store.
#[derive(Debug, Args)]
pub(crate) struct InStore {
    /// The file of the store [default: ATTACHE_STORE, or a file in your data directory]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Only sessions of this agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only sessions of this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Only archived sessions
    #[arg(long)]
    pub(crate) archived: bool,
    /// Archived and empty sessions too
    #[arg(long, conflicts_with = "archived")]
    pub(crate) all: bool,
    /// Only sessions with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only sessions with this text in the title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// The maximum number of sessions; 0 for all [default: 30 on a terminal, otherwise all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// The text to find; words are joined by spaces, and ASCII case is ignored
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Print Markdown on a terminal too; elsewhere it is the default
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Print the log: one JSON object per line
    #[arg(long, conflicts_with_all = ["markdown", "thoughts", "verbose"])]
    pub(crate) json: bool,
    /// Include the agent's reasoning
    #[arg(long)]
    pub(crate) thoughts: bool,
    /// Print whole diffs and outputs; only terminals shorten them
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The file; `-` means stdout [default: ID.jsonl in this folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// The session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The title; words are joined by spaces
    #[arg(value_name = "TITLE", required = true)]
    pub(crate) title: Vec<String>,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Tag {
    #[command(flatten)]
    pub(crate) place: InStore,
    /// The session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// +TAG adds a tag, -TAG removes it
    #[arg(value_name = "+TAG|-TAG", allow_hyphen_values = true)]
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Several {
    /// The sessions
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// The sessions
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}
