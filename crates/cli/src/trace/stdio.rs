//! Exclusive access to stdin and stdout.

use attache_connection::stdio::{input, output};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};

type Ends = (Option<Pin<Box<dyn AsyncRead + Send>>>, Option<Pin<Box<dyn AsyncWrite + Send>>>);

/// Takes stdin and stdout. Dropping either stream closes it for the client, because this function
/// makes the descriptors 0 and 1 refer to /dev/null.
pub(super) fn take() -> io::Result<Ends> {
    let ends = (Some(input()?), Some(output()?));
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for descriptor in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
        // SAFETY: both descriptors are open, and code that uses their numbers later reaches
        // /dev/null.
        if unsafe { libc::dup2(null.as_raw_fd(), descriptor) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(ends)
}
