//! Which processes may use the socket.

use attache_host::user;
use std::fmt;
use std::io;
use tokio::net::UnixStream;

/// Why a process may not use the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerRefusal {
    /// It belongs to another user.
    OtherUser,
    /// It descends from this process, so an agent started it.
    OfAnAgent,
    /// It ended, or cannot be seen from here.
    Unknown,
}

impl fmt::Display for PeerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherUser => "the hub belongs to another user",
            Self::OfAnAgent => {
                "an agent of this hub started this program, and agents cannot use the hub that \
                 runs them"
            }
            Self::Unknown => "the hub cannot find out which program started this one",
        })
    }
}

/// Checks the process that connected.
pub(super) fn check(stream: &UnixStream) -> Result<(), PeerRefusal> {
    let peer = stream.peer_cred().map_err(|_| PeerRefusal::Unknown)?;
    if peer.uid() != user() {
        return Err(PeerRefusal::OtherUser);
    }
    #[cfg(target_os = "linux")]
    {
        let handle = process_handle(stream).map_err(|_| PeerRefusal::Unknown)?;
        let pid = peer.pid().filter(|pid| *pid > 0).ok_or(PeerRefusal::Unknown)?;
        refuse_descendant(pid, std::process::id())?;
        // If the process has ended, the number may have named another one.
        if handle.is_some_and(|handle| has_ended(&handle)) {
            return Err(PeerRefusal::Unknown);
        }
    }
    Ok(())
}

/// Refuses a process that descends from this one. Every process of an agent does: it has a
/// guardian, which is our child and becomes the parent of the agent's orphans.
#[cfg(target_os = "linux")]
fn refuse_descendant(peer: i32, own: u32) -> Result<(), PeerRefusal> {
    let own = i32::try_from(own).map_err(|_| PeerRefusal::Unknown)?;
    let mut process = peer;
    // Numbers can be reused during the walk, but a loop ends.
    for _ in 0..MOST {
        if process <= 1 {
            return Ok(());
        }
        process = parent(process).map_err(|_| PeerRefusal::Unknown)?;
        if process == own {
            return Err(PeerRefusal::OfAnAgent);
        }
    }
    Err(PeerRefusal::Unknown)
}

/// The maximum number of ancestors of a process.
#[cfg(target_os = "linux")]
const MOST: usize = 4096;

/// Returns the parent of a process, 0 for one without a parent in this namespace.
#[cfg(target_os = "linux")]
fn parent(process: i32) -> io::Result<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name is in parentheses and may itself have parentheses and spaces.
    let after = stat.rsplit_once(')').map(|(_, after)| after);
    let parent = after.and_then(|after| after.split_whitespace().nth(1)?.parse().ok());
    parent.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Returns a handle of the process that connected, which never names another process; `None` before
/// Linux 6.5, which has no such handles.
#[cfg(target_os = "linux")]
fn process_handle(stream: &UnixStream) -> io::Result<Option<std::os::fd::OwnedFd>> {
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    let mut handle: libc::c_int = -1;
    let mut length = size_of_val(&handle) as libc::socklen_t;
    // SAFETY: the descriptor is open, and both pointers lead to locals of the right size.
    let got = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut handle).cast(),
            &raw mut length,
        )
    };
    match got {
        // SAFETY: the system made a new descriptor for us.
        0 => Ok(Some(unsafe { OwnedFd::from_raw_fd(handle) })),
        _ => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENOPROTOOPT) => Ok(None),
            error => Err(error),
        },
    }
}

/// Returns whether the process of a handle has ended.
#[cfg(target_os = "linux")]
fn has_ended(handle: &std::os::fd::OwnedFd) -> bool {
    use std::os::fd::AsRawFd as _;
    let mut poll = libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer leads to one structure, and the call does not wait.
    unsafe { libc::poll(&raw mut poll, 1, 0) != 0 }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{PeerRefusal, check, has_ended, parent, process_handle, refuse_descendant};
    use std::process::{Command, Stdio};
    use tokio::net::UnixStream;

    #[tokio::test]
    async fn own_processes_are_served() {
        let (one, _other) = UnixStream::pair().unwrap();
        assert_eq!(check(&one), Ok(()));
        if let Some(handle) = process_handle(&one).unwrap() {
            assert!(!has_ended(&handle));
        }
    }

    #[test]
    fn every_descendant_is_refused() {
        let own = std::process::id();
        let mut child = Command::new("sh")
            .args(["-c", "sleep 1000 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let (shell, sleep) = (i32::try_from(child.id()).unwrap(), line.trim().parse().unwrap());
        assert_eq!(parent(sleep).unwrap(), shell);
        for process in [shell, sleep] {
            assert_eq!(refuse_descendant(process, own), Err(PeerRefusal::OfAnAgent));
        }
        let above = parent(i32::try_from(own).unwrap()).unwrap();
        assert_eq!(refuse_descendant(above, own), Ok(()));
        assert_eq!(refuse_descendant(i32::MAX, own), Err(PeerRefusal::Unknown));
        // SAFETY: neither process has been waited for.
        unsafe { libc::kill(sleep, libc::SIGKILL) };
        child.wait().unwrap();
    }
}
