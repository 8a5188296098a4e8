//! The guardian: a small process between this one and the program.
//!
//! ```text
//! us ──fork──> guardian (own session, subreaper) ──fork──> program (own process group) ──> its descendants
//!  └────────────── life line (socket pair) ──┘
//! ```
//!
//! The standard library forks to start a program. [`split`] runs in that fork and forks again: the
//! parent of the second fork stays as the guardian, and its child becomes the program. The process
//! that we wait for is therefore the guardian. It ends in the way the program ended (same code,
//! same signal), and only when no descendant is left. On Linux the second fork shares memory until
//! `exec`, so starting a program copies the page tables only once.
//!
//! Invariants:
//! - The life line hangs up when its owner drops it or dies in any way. The guardian then kills
//!   everything.
//! - Each byte on the life line is the number of a signal to send to the program's group. No
//!   process of this crate sends a signal to a process id that may have been reused: the guardian
//!   only signals groups and children that it has not waited for.
//! - When the program ends by itself, its descendants end too. When it ends after a signal from the
//!   life line, the rest of its group may run until the life line hangs up.
//! - While nothing happens, the guardian sleeps in one system call.
//! - Between the forks and `exec`, only async-signal-safe calls are made: nothing allocates, locks
//!   or panics, because another thread may have held any lock at the first fork.
//!
//! Limits: descendants that are in uninterruptible sleep, or belong to another user, outlive the
//! guardian, which gives up after [`GIVE_UP_AFTER`]. If the guardian itself is killed, Linux kills
//! the program too (parent-death signal), but not descendants that left the program. The program
//! has no controlling terminal, or a pseudo terminal and a session of its own.

pub(crate) mod birth;
#[cfg(target_os = "linux")]
pub(crate) mod children;
#[cfg(target_os = "linux")]
pub(crate) mod confinement;
pub(crate) mod descriptors;
pub(crate) mod errno;
pub(crate) mod image;

use birth::Birth;
use descriptors::close_all;
use errno::errno;
use image::Image;
use libc::pid_t;
use std::ffi::c_int;
use std::io;
use std::os::fd::RawFd;
use std::ptr;

/// How many milliseconds the guardian tries to kill the remaining processes before it exits anyway.
const GIVE_UP_AFTER: u32 = 10_000;

/// Makes the calling process, fresh from a fork, the guardian of a new process that becomes the
/// program. Returns only on failure, with the reason. `ours` is this side's end of the life line,
/// and `theirs` the guardian's. The program sends its process id over the line before it starts.
///
/// # Safety
/// Call it only in a freshly forked process with one thread, and with the two open descriptors of
/// one socket pair.
pub(crate) unsafe fn split(image: &Image, ours: RawFd, theirs: RawFd) -> io::Error {
    // SAFETY: the caller promises a forked, single-threaded process; every call below is
    // async-signal-safe.
    unsafe {
        // A session of its own: no terminal's Ctrl-C, Ctrl-Z or hang-up reaches the guardian or the
        // program.
        if libc::setsid() == -1 {
            return io::Error::last_os_error();
        }
        reset_signals();
        #[cfg(target_os = "linux")]
        if libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1 {
            return io::Error::last_os_error();
        }
        let mut birth = Birth { image, ours, theirs, guardian: libc::getpid(), failed: 0 };
        match birth.fork() {
            Ok(program) => {
                // Both sides set the group, so that it exists whichever side runs first. After
                // `exec` the system refuses the call.
                if !image.in_terminal {
                    libc::setpgid(program, program);
                }
                guard(program, theirs, image)
            }
            Err(error) => error,
        }
    }
}

/// Blocks every signal, resets every disposition, and installs a handler for `SIGCHLD` that only
/// interrupts [`sleep`]. If `SIGCHLD` stayed ignored, the program's status would be lost. The other
/// dispositions are reset because the program would inherit them.
unsafe fn reset_signals() {
    extern "C" fn interrupt(_signal: c_int) {}
    // SAFETY: plain system calls on valid local structures; the handler touches nothing. The system
    // refuses numbers that are not signals, which is harmless.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &all, ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        for signal in 1..=64 {
            libc::sigaction(signal, &action, ptr::null_mut());
        }
        action.sa_sigaction = interrupt as extern "C" fn(c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, &action, ptr::null_mut());
    }
}

/// Runs the guardian. Never returns.
unsafe fn guard(program: pid_t, life: RawFd, image: &Image) -> ! {
    // SAFETY: as for `split`; the string is terminated.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_NAME, c"attache-guard".as_ptr());
        // The life line becomes descriptor 0, and all other descriptors are closed. Otherwise the
        // program's pipes and the standard library's `exec` error pipe would stay open after the
        // program closes them. The guardian leaves its working folder so that the folder can be
        // unmounted.
        libc::dup2(life, 0);
        close_all(1);
        libc::chdir(c"/".as_ptr());
        let mut guardian = Guardian { program, status: None, signalled: false };
        guardian.watch();
        guardian.kill_everything();
        image.remove_placeholders();
        end_as(guardian.status)
    }
}

struct Guardian {
    /// The process id of the program, which is also the number of its group. Valid while `status`
    /// is `None`.
    program: pid_t,
    /// The wait status of the program once it has been waited for.
    status: Option<c_int>,
    /// Whether a signal came over the life line.
    signalled: bool,
}

/// Why [`Guardian::listen`] returned.
enum News {
    HangUp,
    Signal(c_int),
    /// A child ended, or nothing happened.
    Other,
}

impl Guardian {
    /// Returns when everything must be killed.
    unsafe fn watch(&mut self) {
        // SAFETY: as for `split`; the group is signalled only while the program has not been waited
        // for.
        unsafe {
            while !self.is_over() {
                match self.listen() {
                    News::HangUp => return,
                    News::Signal(signal) if self.status.is_none() => {
                        self.signalled = true;
                        libc::kill(-self.program, signal);
                        // A stopped program would not receive the signal.
                        libc::kill(-self.program, libc::SIGCONT);
                    }
                    News::Signal(_) | News::Other => {}
                }
            }
        }
    }

    /// Waits for ended children and returns whether the rest must be killed. A program that ended
    /// by itself is not waited for yet, so that its group can still be killed by number.
    unsafe fn is_over(&mut self) -> bool {
        // SAFETY: as for `split`; the structure is valid and zeroed.
        unsafe {
            loop {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                let peek = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                if libc::waitid(libc::P_ALL, 0, &mut info, peek) == -1 {
                    return errno() != libc::EINTR;
                }
                match info.si_pid() {
                    // Signal 0 only checks whether the group exists. If its number was reused, this
                    // only waits a little longer.
                    0 => return self.status.is_some() && libc::kill(-self.program, 0) == -1,
                    pid if pid == self.program && !self.signalled => return true,
                    pid => self.wait_for(pid, 0),
                };
            }
        }
    }

    /// Calls `waitpid` and stores the program's status. Returns the result of `waitpid`.
    unsafe fn wait_for(&mut self, pid: pid_t, flags: c_int) -> pid_t {
        let mut status = 0;
        // SAFETY: a plain system call with a valid place for the status.
        let ended = unsafe { libc::waitpid(pid, &mut status, flags) };
        if ended == self.program {
            self.status = Some(status);
        }
        ended
    }

    /// Sleeps until the life line has data or hangs up, or a child ends.
    unsafe fn listen(&self) -> News {
        // SAFETY: as for `split`; descriptor 0 is the life line, and the pointers lead to a local
        // byte and set.
        unsafe {
            let mut readable: libc::fd_set = std::mem::zeroed();
            libc::FD_SET(0, &mut readable);
            if sleep(Some(&mut readable), None) < 1 {
                return News::Other;
            }
            let mut byte = 0_u8;
            match libc::read(0, (&raw mut byte).cast(), 1) {
                1 => News::Signal(c_int::from(byte)),
                -1 if matches!(errno(), libc::EINTR | libc::EAGAIN) => News::Other,
                _ => News::HangUp,
            }
        }
    }

    /// Kills and waits for every descendant. On Linux, processes whose parent ended become our
    /// children, so each round reaches one more generation. Killing whole groups prevents forks
    /// between two rounds from escaping.
    unsafe fn kill_everything(&mut self) {
        // SAFETY: as for `split`; only the unwaited program's group and unwaited children are
        // signalled.
        unsafe {
            let (mut patience, mut waited) = (1_u32, 0_u32);
            while waited < GIVE_UP_AFTER {
                if self.status.is_none() {
                    libc::kill(-self.program, libc::SIGKILL);
                }
                #[cfg(target_os = "linux")]
                children::for_each(kill_with_group);
                loop {
                    match self.wait_for(-1, libc::WNOHANG) {
                        0 => break,
                        -1 if errno() != libc::EINTR => return,
                        _ => patience = 1,
                    }
                }
                sleep(None, Some(patience));
                waited = waited.saturating_add(patience);
                patience = patience.saturating_mul(2).min(50);
            }
        }
    }
}

/// Kills a child that has not been waited for, and its group unless that is the guardian's own. A
/// descendant's group belongs to a session that the guardian or a descendant started, so it
/// contains only descendants.
#[cfg(target_os = "linux")]
fn kill_with_group(child: pid_t) {
    // SAFETY: plain system calls. The child has not been waited for, so neither number can have
    // been reused.
    unsafe {
        let group = libc::getpgid(child);
        libc::kill(child, libc::SIGKILL);
        if group > 1 && group != libc::getpgid(0) {
            libc::kill(-group, libc::SIGKILL);
        }
    }
}

/// Sleeps until a descriptor in the set is readable, `SIGCHLD` arrives (even before the call) or
/// the time is over. Returns the result of `pselect`.
unsafe fn sleep(readable: Option<&mut libc::fd_set>, milliseconds: Option<u32>) -> c_int {
    // SAFETY: every pointer is null or leads to a valid local, and only descriptor 0 is checked.
    unsafe {
        let mut awake: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut awake);
        libc::sigdelset(&mut awake, libc::SIGCHLD);
        let mut limit: libc::timespec = std::mem::zeroed();
        limit.tv_nsec = libc::c_long::from(milliseconds.unwrap_or(0).min(999) as u16) * 1_000_000;
        let limit = if milliseconds.is_some() { &raw const limit } else { ptr::null() };
        let readable = readable.map_or(ptr::null_mut(), ptr::from_mut);
        libc::pselect(1, readable, ptr::null_mut(), ptr::null_mut(), limit, &awake)
    }
}

/// Ends this process in the way the program ended. If there is no status, the program could not be
/// killed in time.
unsafe fn end_as(status: Option<c_int>) -> ! {
    // SAFETY: plain system calls on valid local structures.
    unsafe {
        let signal = match status {
            Some(status) if libc::WIFEXITED(status) => libc::_exit(libc::WEXITSTATUS(status)),
            Some(status) => libc::WTERMSIG(status),
            None => libc::SIGKILL,
        };
        // Only the program's core dump is useful, and the guardian's would contain its owner's
        // memory.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::kill(libc::getpid(), signal);
        let mut others: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut others);
        libc::sigdelset(&mut others, signal);
        libc::sigprocmask(libc::SIG_SETMASK, &others, ptr::null_mut());
        libc::_exit(128_i32.wrapping_add(signal))
    }
}
