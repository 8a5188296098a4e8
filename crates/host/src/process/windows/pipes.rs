//! The pipes of a program on Windows.

use std::io;
use std::os::windows::io::OwnedHandle;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

/// The writing end of a program's stdin: a pipe of tokio, whose type depends on the system.
pub type InputPipe = tokio::process::ChildStdin;

/// The reading end of a program's output: a pipe of tokio, whose type depends on the system.
pub type OutputPipe = tokio::process::ChildStdout;

/// Returns the asynchronous end of a program's stdin.
pub(crate) fn input(end: ChildStdin) -> io::Result<InputPipe> {
    InputPipe::from_std(end)
}

/// Returns the asynchronous end of a program's stdout.
pub(crate) fn output(end: ChildStdout) -> io::Result<OutputPipe> {
    OutputPipe::from_std(end)
}

/// Returns the asynchronous end of a program's stderr.
pub(crate) fn errors(end: ChildStderr) -> io::Result<OutputPipe> {
    output(OwnedHandle::from(end).into())
}

/// Returns a new pipe, with two handles of its writing end. tokio reads it on a thread, so the
/// handle need not be an asynchronous one.
pub(crate) fn merged() -> io::Result<(OutputPipe, [OwnedHandle; 2])> {
    let (read, stdout) = io::pipe()?;
    let stderr = stdout.try_clone()?;
    let read = output(OwnedHandle::from(read).into())?;
    Ok((read, [stdout.into(), stderr.into()]))
}

/// Always fails: pseudo terminals of Windows are not used.
pub(crate) fn terminal(_rows: u16, _columns: u16) -> io::Result<(OutputPipe, [OwnedHandle; 3])> {
    let why = "commands in a pseudo terminal are not supported on Windows: run it without one";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}
