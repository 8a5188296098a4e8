//! The second fork, which creates the program's process.
//!
//! As in `guardian`, this module makes only async-signal-safe calls until `exec`.

use std::ffi::c_int;
#[cfg(target_os = "linux")]
use std::ffi::c_void;
use std::io;
#[cfg(target_os = "linux")]
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;

use libc::pid_t;

use super::errno::errno;
use crate::guardian::descriptors::close_at_exec;
use crate::guardian::image::Image;

/// The flag that prevents `SIGPIPE` on `send`, where the system has one.
#[cfg(target_os = "linux")]
pub(crate) const NO_SIGNAL: c_int = libc::MSG_NOSIGNAL;
/// No flag: on other systems, an option of the socket prevents `SIGPIPE`.
#[cfg(not(target_os = "linux"))]
pub(crate) const NO_SIGNAL: c_int = 0;

/// The data for the program's side of the second fork, and the error from there.
pub(crate) struct Birth<'a> {
    pub(crate) image: &'a Image,
    pub(crate) ours: RawFd,
    pub(crate) theirs: RawFd,
    pub(crate) guardian: pid_t,
    /// The error number, or 0.
    pub(crate) failed: c_int,
}

impl Birth<'_> {
    /// Forks. The guardian returns when the program has started or failed.
    ///
    /// # Safety
    /// The requirements of [`crate::guardian::split`] apply.
    #[cfg(target_os = "linux")]
    pub(crate) unsafe fn fork(&mut self) -> io::Result<pid_t> {
        extern "C" fn born(birth: *mut c_void) -> c_int {
            // SAFETY: the pointer is to the `Birth` passed below, whose owner sleeps until this
            // process has become the program or ended.
            let birth = unsafe { &mut *birth.cast::<Birth>() };
            // SAFETY: as for `split`.
            birth.failed = unsafe { birth.exec() };
            1
        }
        // Aligned as systems require for a stack, which grows down from its end. It is not
        // initialized, because each page that this process touches is copied.
        let mut stack = MaybeUninit::<[u128; 2048]>::uninit();
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let birth = ptr::from_mut(self);
        // SAFETY: the new process runs on a stack of its own. That memory outlives its use, because
        // this process sleeps until the new one has called `exec` or ended.
        unsafe {
            let end = stack.as_mut_ptr().add(1).cast();
            let program = libc::clone(born, end, flags, birth.cast());
            if program == -1 {
                return Err(io::Error::last_os_error());
            }
            // The read is volatile because the other process may have written the value, which the
            // compiler cannot know.
            match ptr::read_volatile(&raw const (*birth).failed) {
                0 => Ok(program),
                failed => {
                    libc::waitpid(program, ptr::null_mut(), 0);
                    Err(io::Error::from_raw_os_error(failed))
                }
            }
        }
    }

    /// Forks. The program's side reports its failure to the standard library.
    ///
    /// # Safety
    /// The requirements of [`crate::guardian::split`] apply.
    #[cfg(not(target_os = "linux"))]
    pub(crate) unsafe fn fork(&mut self) -> io::Result<pid_t> {
        // SAFETY: as for `split`.
        unsafe {
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => Err(io::Error::from_raw_os_error(self.exec())),
                program => Ok(program),
            }
        }
    }

    /// Prepares the program's process and becomes the program. Returns only on failure, with the
    /// error number. On Linux, the process shares the guardian's memory, but not its descriptors
    /// and signals.
    unsafe fn exec(&self) -> c_int {
        // SAFETY: as for `split`.
        unsafe {
            // If this end stayed open, the life line could not hang up before `exec`.
            libc::close(self.ours);
            let begun = match self.image.in_terminal {
                // A terminal belongs to a session. The first process of a session also leads a
                // process group.
                true => libc::setsid() != -1 && libc::ioctl(0, libc::TIOCSCTTY as _, 0) != -1,
                false => libc::setpgid(0, 0) != -1,
            };
            if !begun {
                return errno();
            }
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            if libc::getppid() != self.guardian {
                libc::_exit(1);
            }
            close_at_exec(3);
            let pid = libc::getpid().to_ne_bytes();
            if libc::send(self.theirs, pid.as_ptr().cast(), pid.len(), NO_SIGNAL) == -1 {
                return errno();
            }
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
            self.image.exec()
        }
    }
}
