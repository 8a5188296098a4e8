//! Processes, sandboxes and files of the local machine.
//!
//! This crate knows nothing of ACP, JSON or any other crate of the workspace.
//!
//! # Main types
//!
//! | type | purpose |
//! |---|---|
//! | [`Launch`] | a program to start, with arguments, folder and environment |
//! | [`Child`] | a running program with three pipes, such as an agent, from [`Launch::start`] |
//! | [`Command`] | a command run for its output, such as a tool's, from [`Launch::run`] |
//! | [`Exit`], [`StartError`] | how a program ended, and why it could not be started |
//! | [`Bounded`], [`Tail`] | the start and the end of a long output, and its last bytes |
//! | [`Sandbox`], [`Bounds`] | restricts a command to the files and the network that it may access |
//! | [`Roots`], [`Resolved`] | files inside a session's folders |
//! | [`RootFolder`] | entries beneath one folder, without following any link |
//!
//! On Unix, every process tree has a *guardian*, a small process that ends the whole tree when its
//! owner drops it or dies, even by `kill -9`.
//!
//! # Systems
//!
//! Linux is tested. On other Unix systems (macOS) a guardian reaches the process group of the
//! program, but not a descendant that left the group by `setsid`.
//!
//! On Windows, a job object has the part of the guardian: the system ends its processes when its
//! owner ends. There are no signals, no sandbox, no pseudo terminals, no private files, and no
//! `user`. This part was never run on Windows, only under Wine.
//!
//! # Example
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use attache_host::{Launch, StopPatience};
//!
//! let mut agent = Launch::parse("RUST_LOG=debug 'my agent' --acp")?.start()?;
//! let (stdin, stdout) = (agent.take_stdin(), agent.take_stdout());
//! # drop((stdin, stdout));
//! let exit = agent.stop(StopPatience::default()).await;
//! assert!(exit.success(), "{exit}; last lines: {}", agent.stderr_tail());
//! # Ok(())
//! # }
//! ```

mod files;
#[cfg(unix)]
mod guardian;
mod launch;
mod orphans;
mod process;
mod sandbox;
#[cfg(unix)]
mod user;

pub use files::entry_info::{EntryInfo, EntryKind};
pub use files::file_error::{FileError, Reason, RootsError};
pub use files::folder_lock::lock_folder_of;
pub use files::plain_file::{
    open_plain_file, read_open_text, read_plain_file, read_plain_text, read_text_or_pipe,
};
pub use files::private::{private_file, private_folder};
pub use files::read::READ_LIMIT;
pub use files::root_folder::{Replace, RootFolder};
pub use files::roots::{Resolved, Roots};
pub use launch::Launch;
pub use launch::command_line::ParseError;
pub use launch::start_error::StartError;
pub use orphans::adopt_orphans;
pub use process::bounded::Bounded;
pub use process::child::{Child, ChildWatch, StopPatience};
pub use process::command::Command;
pub use process::exit::Exit;
pub use process::tail::Tail;
pub use process::{InputPipe, OutputPipe};
pub use sandbox::{Bounds, NoSandbox, Sandbox, is_placeholder, reclaim_placeholders};
#[cfg(unix)]
pub use user::user;
