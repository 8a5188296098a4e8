//! The stdin and stdout of this process as byte streams.
//!
//! What they are depends on the parent process: most parents use pipes, Node uses sockets, scripts
//! use files and `/dev/null`, and a user may start the program in a terminal. Each kind is read and
//! written without a thread where the system allows that. The flags of a descriptor that other
//! processes share are never changed.

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

/// The requested size of the output pipe. A larger pipe needs fewer wake-ups for long texts, but a
/// smaller one works too.
const PIPE: libc::c_int = 1 << 20;

/// Returns a stream that reads the stdin of this process.
pub fn input() -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    input_from(io::stdin().as_fd())
}

/// Returns a stream that writes to the stdout of this process. Nothing else may print to stdout
/// from now on.
pub fn output() -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    output_to(io::stdout().as_fd())
}

/// Returns a stream that reads from a descriptor. Call it inside a tokio runtime with I/O
/// enabled.
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

/// Returns a stream that writes to a descriptor. Call it inside a tokio runtime with I/O
/// enabled.
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

/// Opens the same pipe again, so that the non-blocking flag does not affect other processes.
fn reopened<T>(fd: BorrowedFd<'_>, open: impl FnOnce(String) -> io::Result<T>) -> io::Result<T> {
    open(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

/// Node gives its children one end of a socket pair, and no other process has that end open.
fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(target_os = "linux")]
fn enlarge(fd: &OwnedFd) {
    // SAFETY: the descriptor is open for both calls. F_SETPIPE_SZ takes one int, and neither call
    // accesses memory.
    unsafe {
        // Setting a size allocates the pipe's table again, even if the size is the same.
        if libc::fcntl(fd.as_raw_fd(), libc::F_GETPIPE_SZ) < PIPE {
            let _refused_is_fine = libc::fcntl(fd.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn enlarge(_fd: &OwnedFd) {
    let _ = PIPE;
}
