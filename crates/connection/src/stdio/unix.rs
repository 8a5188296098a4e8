//! Stdin and stdout on Unix: pipes and sockets are read and written without a thread.

use super::reader::BlockingReader;
use super::writer::BlockingWriter;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

/// The requested size of the output pipe. A larger pipe needs fewer wake-ups for long texts, but a
/// smaller one works too.
const PIPE: libc::c_int = 1 << 20;

pub(super) fn input() -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    input_from(io::stdin().as_fd())
}

pub(super) fn output() -> io::Result<Pin<Box<dyn AsyncWrite + Send>>> {
    output_to(io::stdout().as_fd())
}

/// Returns a stream that reads from a descriptor. Call it inside a tokio runtime with I/O
/// enabled.
pub fn input_from(fd: BorrowedFd<'_>) -> io::Result<Pin<Box<dyn AsyncRead + Send>>> {
    let owned = fd.try_clone_to_owned()?;
    Ok(match kind(&owned)? {
        Kind::Pipe => match reopened(fd, |path| pipe::OpenOptions::new().open_receiver(path)) {
            Ok(receiver) => Box::pin(receiver),
            Err(_) => Box::pin(BlockingReader::new(File::from(owned), wait_for_input)?),
        },
        Kind::Socket => Box::pin(socket(owned)?),
        Kind::Other => Box::pin(BlockingReader::new(File::from(owned), wait_for_input)?),
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
                Err(_) => Box::pin(BlockingWriter::new(File::from(owned), wait_for_output)?),
            }
        }
        Kind::Socket => Box::pin(socket(owned)?),
        Kind::Other => Box::pin(BlockingWriter::new(File::from(owned), wait_for_output)?),
    })
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    let kind = File::from(fd.try_clone()?).metadata()?.file_type();
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

/// Waits until a descriptor that a parent made non-blocking can be read. Only call it from threads
/// that do nothing else.
fn wait_for_input(file: &File) -> io::Result<()> {
    wait_for(file, libc::POLLIN)
}

/// Like [`wait_for_input`], until the descriptor can be written.
fn wait_for_output(file: &File) -> io::Result<()> {
    wait_for(file, libc::POLLOUT)
}

fn wait_for(file: &File, events: libc::c_short) -> io::Result<()> {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events, revents: 0 };
    // SAFETY: the single pollfd is on the stack for the whole call and names an open descriptor.
    match unsafe { libc::poll(&raw mut poll, 1, -1) } {
        -1 if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted => {
            Err(io::Error::last_os_error())
        }
        _ => Ok(()),
    }
}
