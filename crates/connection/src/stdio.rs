//! The stdin and stdout of this process as byte streams.
//!
//! What they are depends on the parent process: most parents use pipes, Node uses sockets, scripts
//! use files and `/dev/null`, and a user may start the program in a terminal. Each kind is read and
//! written without a thread where the system allows that. The flags of a descriptor that other
//! processes share are never changed.

mod reader;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod writer;

use std::io;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use unix as system;
#[cfg(unix)]
pub use unix::{input_from, output_to};
#[cfg(windows)]
use windows as system;

/// Returns a stream that reads the stdin of this process.
pub fn input() -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    system::input()
}

/// Returns a stream that writes to the stdout of this process. Nothing else may print to stdout
/// from now on.
pub fn output() -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    system::output()
}
