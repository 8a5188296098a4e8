//! The pipes of a program that was just started.

use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};

/// This side's ends of the requested pipes.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Pipes {
    pub(crate) fn of(started: &mut Child) -> Pipes {
        Pipes {
            stdin: started.stdin.take(),
            stdout: started.stdout.take(),
            stderr: started.stderr.take(),
        }
    }
}
