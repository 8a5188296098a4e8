//! What may stand behind `attache sessions`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "\
The built-in agent keeps its sessions in one file of the user's data directory: what was said and done in them. \
`attache doctor` names the file. ATTACHE_STORE=PATH keeps them elsewhere, ATTACHE_STORE=none not at all.

ID is a session's id, the beginning of one, or `last`.

Exit codes are those of `attache run --help`: 2 if no such session is kept, 9 if it is open elsewhere, 10 if the store cannot be used.

Examples:
  attache sessions                              the newest ones
  attache sessions --cwd . --tag bug            of this folder, with a tag
  attache sessions search \"race condition\"      in titles and in what was said
  attache sessions show last                    the whole conversation
  attache sessions show last --markdown >talk.md
  attache sessions tag last +bug -later
  attache sessions --json | jq -r .sessionId    for scripts";

/// The command, with the arguments of `list` where no other task is named.
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
    /// List sessions, the newest first; the same as no task
    #[command(after_help = "Example:\n  attache sessions list --cwd . --all")]
    List(List),
    /// List the sessions with a text in the title or in what was said, and where it stands
    #[command(after_help = "Example:\n  attache sessions search \"race condition\" --cwd .")]
    Search(Search),
    /// Show a conversation
    #[command(
        after_help = "Examples:\n  attache sessions show last\n  attache sessions show 3f2a --markdown >talk.md"
    )]
    Show(Show),
    /// Write a session's log to a file, one JSON object a line
    #[command(
        after_help = "Examples:\n  attache sessions export last\n  attache sessions export last - | gzip >last.jsonl.gz"
    )]
    Export(Export),
    /// Give a session a title, which the agent then leaves alone
    #[command(after_help = "Example:\n  attache sessions rename last The race in the cache")]
    Rename(Rename),
    /// Add tags to a session and take tags from it; without any, show them
    #[command(after_help = "Example:\n  attache sessions tag last +bug -later")]
    Tag(Tag),
    /// Put sessions away: they are listed only with --archived or --all
    #[command(after_help = "Example:\n  attache sessions archive 3f2a 9c41")]
    Archive(Several),
    /// Take sessions out again
    #[command(after_help = "Example:\n  attache sessions unarchive 3f2a")]
    Unarchive(Several),
    /// Delete sessions for good; asks first
    #[command(after_help = "Example:\n  attache sessions delete 3f2a --yes")]
    Delete(Delete),
}

/// Which store.
#[derive(Debug, Args)]
pub(crate) struct InStore {
    /// The file that sessions are kept in [default: ATTACHE_STORE, else one in the user's data
    /// directory]
    #[arg(long, value_name = "PATH")]
    pub(crate) store: Option<PathBuf>,
    /// Only sessions of the agent with this name
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
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Only with this text in the title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// At most so many; 0 for all [default: 30 on a terminal, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// One JSON object a line on stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    /// What to look for; words are joined by spaces, and the case of ASCII letters does not matter
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) list: List,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Which session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// As Markdown, also on a terminal; elsewhere it always is
    #[arg(long)]
    pub(crate) markdown: bool,
    /// Its log: one JSON object a line
    #[arg(long, conflicts_with_all = ["markdown", "thoughts", "verbose"])]
    pub(crate) json: bool,
    /// What the agent thought, too
    #[arg(long)]
    pub(crate) thoughts: bool,
    /// All of every diff and output, which only a terminal shortens
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Which session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Where to; `-` is stdout [default: the id and .jsonl, in this folder]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// Which session
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
    /// Which session
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// +TAG adds a tag, -TAG takes it away
    #[arg(value_name = "+TAG|-TAG", allow_hyphen_values = true)]
    pub(crate) tags: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Several {
    /// Which sessions
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    #[command(flatten)]
    pub(crate) place: InStore,
}

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// Which sessions
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) place: InStore,
}
