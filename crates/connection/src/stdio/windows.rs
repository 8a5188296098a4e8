//! Stdin and stdout on Windows: a thread reads or writes each, whatever it is.

use super::reader::BlockingReader;
use super::writer::BlockingWriter;
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle as _;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

pub(super) fn input() -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    let owned = io::stdin().as_handle().try_clone_to_owned()?;
    Ok(Box::pin(BlockingReader::new(File::from(owned), never_ready)?))
}

pub(super) fn output() -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    let owned = io::stdout().as_handle().try_clone_to_owned()?;
    Ok(Box::pin(BlockingWriter::new(File::from(owned), never_ready)?))
}

/// Always fails: the standard handles of Windows block.
fn never_ready(_file: &File) -> io::Result<()> {
    Err(io::ErrorKind::WouldBlock.into())
}
