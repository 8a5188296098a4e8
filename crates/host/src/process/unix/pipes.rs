//! The pipes of a program on Unix, and pseudo terminals.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use tokio::net::unix::pipe;

/// The writing end of a program's stdin: a pipe of tokio, whose type depends on the system.
pub type InputPipe = pipe::Sender;

/// The reading end of a program's output: a pipe of tokio, whose type depends on the system.
pub type OutputPipe = pipe::Receiver;

/// The requested size of the stdin and stdout pipes, so that large messages need few wake-ups.
#[cfg(target_os = "linux")]
const PIPE_SIZE: libc::c_int = 1024 * 1024;

/// Returns the asynchronous end of a program's stdin.
pub(crate) fn input(end: ChildStdin) -> io::Result<InputPipe> {
    pipe::Sender::from_owned_fd(enlarge(end))
}

/// Returns the asynchronous end of a program's stdout.
pub(crate) fn output(end: ChildStdout) -> io::Result<OutputPipe> {
    pipe::Receiver::from_owned_fd(enlarge(end))
}

/// Returns the asynchronous end of a program's stderr.
pub(crate) fn errors(end: ChildStderr) -> io::Result<OutputPipe> {
    pipe::Receiver::from_owned_fd(end.into())
}

/// Returns a new pipe, with two descriptors of its writing end.
pub(crate) fn merged() -> io::Result<(OutputPipe, [OwnedFd; 2])> {
    let (output, stdout) = io::pipe()?;
    let stderr = stdout.try_clone()?;
    let output = pipe::Receiver::from_owned_fd(OwnedFd::from(output))?;
    Ok((output, [stdout.into(), stderr.into()]))
}

/// Returns the output of a new pseudo terminal, and three descriptors of its other side.
pub(crate) fn terminal(rows: u16, columns: u16) -> io::Result<(OutputPipe, [OwnedFd; 3])> {
    let (ours, theirs) = pty_process::blocking::open().map_err(io::Error::other)?;
    ours.resize(pty_process::Size::new(rows, columns)).map_err(io::Error::other)?;
    let shown = OwnedFd::from(ours);
    // SAFETY: system calls on an open descriptor.
    unsafe {
        let flags = libc::fcntl(shown.as_raw_fd(), libc::F_GETFL);
        if flags == -1
            || libc::fcntl(shown.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) == -1
        {
            return Err(io::Error::last_os_error());
        }
    }
    let side = || theirs.as_fd().try_clone_to_owned();
    let sides = [side()?, side()?, side()?];
    // The terminal is not a pipe, but it can be read and waited for like one.
    Ok((pipe::Receiver::from_owned_fd_unchecked(shown)?, sides))
}

/// Enlarges the buffer of a pipe to 1 MiB if Linux allows it, and returns the given end. A smaller
/// pipe is only slower.
fn enlarge(end: impl Into<OwnedFd>) -> OwnedFd {
    let end = end.into();
    #[cfg(target_os = "linux")]
    // SAFETY: the descriptor is open, because `end` owns it.
    unsafe {
        libc::fcntl(end.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_SIZE);
    }
    end
}
