//! This process's own stdin and stdout as a transport.
//!
//! What they are differs by who started us: pipes from most, sockets from Node, files and
//! `/dev/null` from scripts, a terminal from a curious person. Each is read and written without a
//! thread where the system can wait for it, and never by changing a flag that another process
//! shares.

mod reader;
mod wait;
mod writer;

use self::reader::BlockingReader;
use self::writer::BlockingWriter;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

/// Asked of the system for our output pipe: fewer wake-ups for long texts. Less is fine.
const PIPE: libc::c_int = 1 << 20;

/// This process's stdin.
pub fn input() -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    input_from(io::stdin().as_fd())
}

/// This process's stdout. It belongs to the protocol from now on (RPC-03): nothing else may print
/// to it.
pub fn output() -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    output_to(io::stdout().as_fd())
}

/// A transport that reads any descriptor. Must be called inside a tokio runtime with I/O enabled.
pub fn input_from(fd: BorrowedFd<'_>) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    let owned = fd.try_clone_to_owned()?;
    Ok(match kind(&owned)? {
        Kind::Pipe => match reopened(fd, |path| pipe::OpenOptions::new().open_receiver(path)) {
            Ok(receiver) => Box::pin(receiver),
            Err(_) => Box::pin(BlockingReader::new(owned)?),
        },
        Kind::Socket => Box::pin(socket(owned)?),
        Kind::Other => Box::pin(BlockingReader::new(owned)?),
    })
}

/// A transport that writes any descriptor. Must be called inside a tokio runtime with I/O enabled.
pub fn output_to(fd: BorrowedFd<'_>) -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    let owned = fd.try_clone_to_owned()?;
    Ok(match kind(&owned)? {
        Kind::Pipe => {
            enlarge(&owned);
            match reopened(fd, |path| pipe::OpenOptions::new().open_sender(path)) {
                Ok(sender) => Box::pin(sender),
                Err(_) => Box::pin(BlockingWriter::new(owned)?),
            }
        }
        Kind::Socket => Box::pin(socket(owned)?),
        Kind::Other => Box::pin(BlockingWriter::new(owned)?),
    })
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let kind = std::fs::File::from(fd.try_clone()?).metadata()?.file_type();
    Ok(match kind {
        kind if kind.is_fifo() => Kind::Pipe,
        kind if kind.is_socket() => Kind::Socket,
        _ => Kind::Other,
    })
}

/// The same pipe under a descriptor of its own, so that "do not block" holds for us alone and not
/// for whoever shares the old one.
fn reopened<T>(fd: BorrowedFd<'_>, open: impl FnOnce(String) -> io::Result<T>) -> io::Result<T> {
    open(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

/// Node gives its children one end of a socket pair; nobody else holds that end.
fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(target_os = "linux")]
fn enlarge(fd: &OwnedFd) {
    // SAFETY: the descriptor is open for the whole call, and F_SETPIPE_SZ takes one int and touches
    // no memory of ours.
    let _refused_is_fine = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE) };
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_fd: &OwnedFd) {
    let _ = PIPE;
}
