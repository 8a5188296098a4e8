//! A process tree under a guardian.

use std::ffi::CString;
use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, mpsc};
use std::thread;

use crate::guardian;
use crate::guardian::birth::NO_SIGNAL;
use crate::guardian::image::Image;
use crate::launch::Launch;
use crate::process::child_pipes::Pipes;
use crate::process::exit::Exit;
use crate::process::exit_watch::ExitWatch;
use crate::sandbox::placeholders;

/// A running tree. Dropping it kills the whole tree. The drop does not wait; a thread of the tree
/// waits for the guardian, so that no zombie stays even without a runtime.
#[derive(Debug)]
pub(crate) struct Tree {
    /// This side's end of the life line.
    life: UnixStream,
    pid: u32,
    end: ExitWatch,
}

impl Tree {
    /// Starts the launch under a guardian. `stdio` sets the three streams, and the second returned
    /// value contains the requested pipes. Errors are those of `fork` and `exec`, and leave no
    /// process behind.
    pub(crate) fn start(
        launch: &Launch,
        stdio: impl FnOnce(&mut Command),
    ) -> io::Result<(Tree, Pipes)> {
        // The standard library creates the streams, makes the first fork, changes the folder and
        // reports errors from the new process.
        let mut command = Command::new(launch.program());
        if let Some(folder) = launch.folder() {
            command.current_dir(folder);
        }
        stdio(&mut command);
        let image = Image::new(launch)?;
        let (life, theirs) = UnixStream::pair()?;
        #[cfg(not(target_os = "linux"))]
        refuse_signal(&theirs)?;
        #[cfg(not(target_os = "linux"))]
        refuse_signal(&life)?;
        let ends = (life.as_raw_fd(), theirs.as_raw_fd());
        // SAFETY: the closure runs in the forked child, which has one thread, before `exec`; both
        // descriptors are open until `spawn` returns, and `split` makes only async-signal-safe
        // calls.
        unsafe { command.pre_exec(move || Err(guardian::split(&image, ends.0, ends.1))) };
        let mut guardian = command.spawn()?;
        drop((theirs, command));

        let pipes = Pipes::of(&mut guardian);
        let end = ExitWatch::new();
        let placeholders = launch.inherited.placeholders().folders();
        let waiting = wait_on_a_thread(guardian, end.clone(), placeholders);
        // The program sends its id before `exec`. If the life line ends before the id arrives, the
        // program was killed.
        let mut pid = [0; 4];
        let started = waiting.and_then(|()| (&life).read_exact(&mut pid));
        let tree = Tree { life, pid: u32::from_ne_bytes(pid), end };
        started?;
        launch.inherited.placeholders().hand_over();
        Ok((tree, pipes))
    }

    /// The program's process id. Do not signal it: it may have been reused.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns a handle that reports how the tree ended.
    pub(crate) fn end(&self) -> &ExitWatch {
        &self.end
    }

    /// Sends `SIGTERM` to the program's group.
    pub(crate) fn terminate(&self) {
        self.signal(libc::SIGTERM);
    }

    /// Sends `SIGINT` to the program's group.
    pub(crate) fn interrupt(&self) {
        self.signal(libc::SIGINT);
    }

    fn signal(&self, signal: libc::c_int) {
        let byte = [signal as u8];
        // SAFETY: the pointer and the length are those of `byte`, and `life` is an open socket.
        // Errors do not matter: a guardian that is gone needs no signal, and the few bytes ever
        // sent cannot fill the line's buffer.
        unsafe {
            libc::send(
                self.life.as_raw_fd(),
                byte.as_ptr().cast(),
                byte.len(),
                NO_SIGNAL | libc::MSG_DONTWAIT,
            )
        };
    }

    /// Kills the whole tree. Returns at once. Idempotent.
    pub(crate) fn kill(&self) {
        // A shutdown hangs up even if a concurrent fork holds a copy of our end for a moment. It
        // fails only if the guardian is gone.
        let _gone = self.life.shutdown(Shutdown::Both);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits for the guardian on a thread of its own. A thread needs no runtime, so a tree that is
/// dropped after its runtime is waited for too.
fn wait_on_a_thread(
    mut guardian: Child,
    end: ExitWatch,
    placeholders: Arc<Vec<CString>>,
) -> io::Result<()> {
    let (hand_over, receive) = mpsc::sync_channel::<Child>(1);
    let thread = thread::Builder::new().name("attache-wait".into()).stack_size(128 * 1024).spawn(
        move || {
            if let Ok(mut guardian) = receive.recv() {
                let exit = guardian.wait().map_or(Exit::UNKNOWN, Exit::from);
                placeholders::remove_rest(&placeholders);
                end.ended(exit);
            }
        },
    );
    match thread {
        Ok(_) => hand_over.send(guardian).map_err(io::Error::other),
        Err(error) => {
            // Without its life line, the guardian can only be killed, but its death ends the
            // program (see `guardian`).
            guardian.kill()?;
            guardian.wait()?;
            Err(error)
        }
    }
}

/// Prevents `SIGPIPE` on a closed life line where `send` has no flag for it.
#[cfg(not(target_os = "linux"))]
fn refuse_signal(socket: &UnixStream) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the socket is open, and the option's value is an integer of the stated size.
    let set = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NOSIGPIPE,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    if set == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
