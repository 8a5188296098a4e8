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

mod files;
mod guardian;
mod launch;
mod process;
mod sandbox;
mod user;

pub use files::file_error::{FileError, Reason, RootsError};
pub use files::folder_lock::lock_folder_of;
pub use files::plain_file::{
    open_plain_file, read_open_text, read_plain_file, read_plain_text, read_text_or_pipe,
};
pub use files::read::READ_LIMIT;
pub use files::roots::{Resolved, Roots};
pub use launch::Launch;
pub use launch::command_line::ParseError;
pub use launch::start_error::StartError;
pub use process::bounded::Bounded;
pub use process::child::{Child, ChildWatch, StopPatience};
pub use process::command::Command;
pub use process::exit::Exit;
pub use process::tail::Tail;
pub use sandbox::{Bounds, NoSandbox, Sandbox, is_placeholder, reclaim_placeholders};
pub use user::user;
