//! What a program needs from the machine it runs on: process trees that never outlive their owner,
//! commands with bounded output, and files that stay inside the folders of a session.
//!
//! This crate knows nothing of ACP, JSON or any other crate of the workspace.
//!
//! - [`Launch`] says what to start; [`Launch::start`] gives a [`Child`] with three pipes (an
//!   agent), [`Launch::run`] a [`Command`] with stdout and stderr in one stream (a tool's command).
//! - Every process tree has a *guardian*, a small process of ours that ends the whole tree when its
//!   owner drops it or dies, even by `kill -9` (module `guardian`, private).
//! - [`Sandbox`] is what this machine has to hold a command: writes outside of given folders, the
//!   network, secrets.
//! - [`Bounded`] keeps the head and the tail of a long output, [`Tail`] its last bytes.
//! - [`Roots`] resolves, reads, writes, moves and removes files inside a session's folders and
//!   nowhere else.
//!
//! Systems: Linux is what is tested. On other Unix systems (macOS) a guardian reaches the process
//! group of the program but not a descendant that left the group by `setsid`. Other systems are not
//! supported yet: the crate does not compile there.
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

#[cfg(not(unix))]
compile_error!("attache-host supports Unix systems only so far: on other systems build without it");

mod command_line;
mod launch;
mod program_names;
mod start_error;

mod child;
mod command;
mod exit;
mod output;
mod stderr;

mod tree;

mod guardian;

mod birth;
#[cfg(target_os = "linux")]
mod children;
#[cfg(target_os = "linux")]
mod confinement;
mod descriptors;
mod image;

mod sandbox;
mod user;

mod bounded;
mod tail;

mod beneath;
mod entry;
mod file_error;
mod folder_lock;
mod plain_file;
mod read;
mod roots;
mod write;

pub use bounded::Bounded;
pub use child::{Child, ChildWatch, StopPatience};
pub use command::Command;
pub use command_line::ParseError;
pub use exit::Exit;
pub use file_error::{FileError, Reason, RootsError};
pub use folder_lock::lock_folder_of;
pub use launch::Launch;
pub use plain_file::{
    open_plain_file, read_open_text, read_plain_file, read_plain_text, read_text_or_pipe,
};
pub use read::READ_LIMIT;
pub use roots::{Resolved, Roots};
pub use sandbox::{Bounds, NoSandbox, Sandbox, is_placeholder, reclaim_placeholders};
pub use start_error::StartError;
pub use tail::Tail;
pub use user::user;
