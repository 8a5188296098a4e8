//! The restrictions that a process puts on itself between the second fork and `exec`: Landlock
//! rules and a system call filter. A process of `root` also drops all capabilities except those for
//! using other users' files.

use super::errno::errno;
use std::ffi::c_int;
use std::os::fd::{AsRawFd as _, OwnedFd};

/// Complete rules and a filter. Applying them takes a few system calls and no memory.
#[derive(Debug)]
pub(crate) struct Confinement {
    rules: OwnedFd,
    filter: Vec<libc::sock_filter>,
}

impl Confinement {
    /// `filter` is a program in the kernel's format.
    pub(crate) fn new(rules: OwnedFd, filter: &[u8]) -> Self {
        let instruction = |bytes: &[u8; 8]| {
            let [a, b, jt, jf, c, d, e, f] = *bytes;
            libc::sock_filter {
                code: u16::from_ne_bytes([a, b]),
                jt,
                jf,
                k: u32::from_ne_bytes([c, d, e, f]),
            }
        };
        Self { rules, filter: filter.as_chunks().0.iter().map(instruction).collect() }
    }

    /// Applies the restrictions to the calling process, permanently. Returns the error number, or
    /// 0.
    ///
    /// Async-signal-safe.
    pub(crate) fn put_on(&self) -> c_int {
        let Ok(length) = libc::c_ushort::try_from(self.filter.len()) else { return libc::E2BIG };
        let program = libc::sock_fprog { len: length, filter: self.filter.as_ptr().cast_mut() };
        if let failed @ 1.. = lay_down_capabilities() {
            return failed;
        }
        // SAFETY: plain system calls. The descriptor is open, and the filter program is only read
        // and outlives the calls.
        unsafe {
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1
                || libc::syscall(libc::SYS_landlock_restrict_self, self.rules.as_raw_fd(), 0) == -1
                || libc::syscall(
                    libc::SYS_seccomp,
                    libc::SECCOMP_SET_MODE_FILTER,
                    0,
                    &raw const program,
                ) == -1
            {
                return errno();
            }
        }
        0
    }
}

/// The bits of `CAP_CHOWN`, `CAP_DAC_OVERRIDE` and `CAP_FOWNER`, which `root` needs to use files of
/// other users.
const KEPT: u32 = 1 | 1 << 1 | 1 << 3;

/// The memory layout of the system calls' arguments.
#[repr(C)]
#[derive(Default, Clone, Copy)]
struct Capabilities {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops all capabilities except [`KEPT`]. The program cannot regain them.
fn lay_down_capabilities() -> c_int {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: c_int,
    }
    /// The version of the interface in which two structures contain the 64 bits of each set.
    const VERSION: u32 = 0x2008_0522;
    let mut header = Header { version: VERSION, pid: 0 };
    let mut halves = [Capabilities::default(); 2];
    // SAFETY: plain system calls on valid local structures of the layout and number that this
    // version has.
    unsafe {
        if libc::syscall(libc::SYS_capget, &raw mut header, halves.as_mut_ptr()) == -1 {
            return errno();
        }
        let [low, high] = &mut halves;
        for (half, kept) in [(low, KEPT), (high, 0)] {
            let permitted = half.permitted & kept;
            *half = Capabilities { effective: permitted, permitted, inheritable: 0 };
        }
        if libc::syscall(libc::SYS_capset, &raw mut header, halves.as_ptr()) == -1 {
            return errno();
        }
    }
    0
}
