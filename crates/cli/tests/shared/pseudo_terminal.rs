//! A pseudo-terminal whose other end belongs to the test.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::ptr;

/// The time limit of a program, in seconds. It only prevents endless waiting.
const PATIENCE: u32 = 180;

/// Starts a program at a terminal with this many columns and rows. Returns the program, and the
/// end of the terminal that the person uses.
pub(crate) fn open(
    mut command: Command,
    (columns, rows): (u16, u16),
    stdin: Option<Stdio>,
) -> (Child, File) {
    let (mut ours, mut theirs) = (-1, -1);
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointers to both descriptors and to the size are valid; those to the name and
    // the settings may be null.
    let opened =
        unsafe { libc::openpty(&mut ours, &mut theirs, ptr::null_mut(), ptr::null_mut(), &size) };
    assert_eq!(opened, 0, "{}", std::io::Error::last_os_error());
    // A terminal is closed only when no program has this end.
    // SAFETY: a system call on a descriptor of this function.
    assert_ne!(unsafe { libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC) }, -1);
    // SAFETY: the descriptors are new and belong to this function alone.
    let (screen, theirs) = unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
    // SAFETY: a system call on an open descriptor. A program that had this end open could not
    // see that its terminal closes.
    unsafe { libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC) };
    let descriptor = theirs.as_raw_fd();
    let piped = stdin.is_some();
    command.stdin(stdin.unwrap_or_else(Stdio::null)).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the calls are system calls only; `login_tty` makes the terminal the child's own,
    // with its three streams.
    unsafe {
        command.pre_exec(move || {
            // The alarm ends a program that hangs, and its test fails.
            libc::alarm(PATIENCE);
            let kept = if piped { libc::dup(0) } else { -1 };
            if libc::login_tty(descriptor) != 0 || (piped && libc::dup2(kept, 0) == -1) {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    (command.spawn().unwrap(), screen)
}
