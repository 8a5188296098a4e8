//! The output of a process tree.

use std::io;

use tokio::io::AsyncReadExt as _;

use crate::process::exit_watch::ExitWatch;
use crate::process::system::pipes::OutputPipe;

/// The reading end of a pipe into which a tree writes. The system closes the writing ends of a
/// process that it ends, so the pipe ends with the tree.
#[derive(Debug)]
pub(crate) struct Output(OutputPipe);

impl Output {
    pub(crate) fn new(pipe: OutputPipe, _end: ExitWatch) -> Output {
        Output(pipe)
    }

    /// Reads the next bytes. Returns `None` when the pipe has ended. Cancel-safe.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> Option<usize> {
        loop {
            match self.0.read(buffer).await {
                Ok(0) => return None,
                Ok(count) => return Some(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}
