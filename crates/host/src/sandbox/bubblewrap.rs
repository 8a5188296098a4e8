//! A launch inside bubblewrap: namespaces made by the program `bwrap`, in which the disk is read-only but for the bounds.
//!
//! No new session is asked for: a guardian's program has one already (see `guardian`). When `bwrap` dies the first process of its
//! process-id namespace dies with it, and with that everything inside.

use super::{Bounds, filter};
use crate::launch::Launch;
use crate::start_error::StartError;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::Path;

/// What `root` keeps: without these it could not use files of others, as it is used to.
const KEPT: [&str; 3] = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"];

pub(super) fn within(launch: Launch, bwrap: &Path, bounds: &Bounds) -> Result<Launch, StartError> {
    let failed = |source| StartError::Other { program: launch.program().into(), source };
    let filter =
        filter::program(bounds.network, false).and_then(|filter| readable(&filter)).map_err(failed)?;
    let mut words = Words::default();
    words.add(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--die-with-parent"]);
    words.add([
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--cap-drop",
        "ALL",
    ]);
    // SAFETY: a system call without arguments.
    if unsafe { libc::geteuid() } == 0 {
        KEPT.iter().for_each(|capability| words.add(["--cap-add", capability]));
    }
    if !bounds.network {
        words.add(["--unshare-net"]);
    }
    if let Some(folder) = &bounds.temporary {
        words.bind("--bind", folder, Path::new("/tmp"));
    }
    for folder in bounds.all_writable().filter(|path| path.exists()) {
        words.bind("--bind", folder, folder);
    }
    for path in bounds.read_only.iter().filter(|path| path.exists()) {
        words.bind("--ro-bind", path, path);
    }
    for path in bounds.all_hidden() {
        match path.is_dir() {
            true => {
                words.add(["--tmpfs".as_ref(), path.as_os_str(), "--remount-ro".as_ref(), path.as_os_str()]);
            }
            false => words.bind("--ro-bind", Path::new("/dev/null"), path),
        }
    }
    if let Some(folder) = launch.folder() {
        words.add(["--chdir".as_ref(), folder.as_os_str()]);
    }
    words.add(["--seccomp", &filter.as_raw_fd().to_string(), "--"]);
    Ok(launch.run_by(bwrap, words.0).keeping(filter))
}

/// A file in memory with the filter as `bwrap` reads it, from the beginning.
fn readable(filter: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: the name is a terminated string.
    let descriptor = unsafe { libc::memfd_create(c"filter".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just opened and is owned by nobody else.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(filter)?;
    io::Seek::rewind(&mut file)?;
    Ok(file.into())
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn add<W: Into<OsString>>(&mut self, words: impl IntoIterator<Item = W>) {
        self.0.extend(words.into_iter().map(Into::into));
    }

    fn bind(&mut self, how: &str, from: &Path, to: &Path) {
        self.add([how.as_ref(), from.as_os_str(), to.as_os_str()]);
    }
}
