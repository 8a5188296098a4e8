//! A launch inside bubblewrap: the program `bwrap` creates namespaces in which the disk is
//! read-only except for the bounds.
//!
//! No new session is created, because a guardian's program already has one (see `guardian`). When
//! `bwrap` dies, the first process in its process namespace dies too, and with it every other
//! process inside.
//!
//! A mount inside a writable folder cannot be renamed or removed, but a folder above it could be
//! renamed and replaced. So each folder above is mounted on itself.

use super::placeholders::Placeholders;
use super::{Bounds, filter};
use crate::launch::Launch;
use crate::launch::start_error::StartError;
use crate::user::user;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

/// The capabilities that `root` keeps to use files of other users.
const KEPT: [&str; 3] = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"];

/// File systems of the kernel. A sandbox gets its own, or can only read them. No session's folder
/// is there, except in the shared memory below `/dev`.
const KERNEL: [&str; 2] = ["/proc", "/sys"];

/// A script that fails if a kernel setting can be opened for writing, as `root` could do in a
/// `/proc` of its own. It writes nothing.
pub(super) const TRIAL: &str = "for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger \
    /proc/irq/default_smp_affinity /proc/irq/*/smp_affinity /proc/bus/pci/*/* /proc/acpi/* /proc/mtrr /proc/scsi/scsi /proc/self/oom_score_adj; do
    if test -f \"$f\" && (: 3>>\"$f\") 2>/dev/null; then echo \"$f can be opened for writing\"; exit 1; fi; done";

pub(super) fn within(launch: Launch, bwrap: &Path, bounds: &Bounds) -> Result<Launch, StartError> {
    let failed = |source| StartError::Other { program: launch.program().into(), source };
    let wanted =
        filter::Wanted { network: bounds.network, truncate: false, others: false, signals: false };
    let filter = filter::program(wanted).and_then(|filter| readable(&filter)).map_err(failed)?;
    let (placeholders, made) = Placeholders::make(&bounds.writable, &bounds.missing);
    let mut words = Words::default();
    words.add(["--ro-bind", "/", "/"]);
    let root = Path::new("/");
    if bounds.all_writable().any(|folder| folder == root) {
        words.bind("--bind", root, root);
        words.bind("--ro-bind", Path::new("/sys"), Path::new("/sys"));
    }
    // The whole of `/proc` is read-only: `root` owns settings of the kernel in it.
    words.add(["--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc", "--die-with-parent"]);
    words.add([
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--cap-drop",
        "ALL",
    ]);
    if user() == 0 {
        KEPT.iter().for_each(|capability| words.add(["--cap-add", capability]));
    }
    if !bounds.network {
        words.add(["--unshare-net"]);
    }
    if let Some(folder) = &bounds.temporary {
        words.bind("--bind", folder, Path::new("/tmp"));
    }
    for (path, mount) in mounts(bounds, &made) {
        words.mount(&path, mount);
    }
    if let Some(folder) = launch.folder() {
        words.add(["--chdir".as_ref(), folder.as_os_str()]);
    }
    words.add(["--seccomp", &filter.as_raw_fd().to_string(), "--"]);
    Ok(launch.run_by(bwrap, words.0).keeping(filter).with_placeholders(placeholders))
}

/// What a path contains inside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mount {
    /// The same files, writable.
    Writable,
    /// The same files, read-only.
    ReadOnly,
    /// Nothing: an empty file or folder.
    Empty,
    /// An empty folder of its own.
    Placeholder,
}

/// Returns the mounts, each folder before its content. `made` contains the existing placeholders.
fn mounts(bounds: &Bounds, made: &[PathBuf]) -> BTreeMap<PathBuf, Mount> {
    let of_kernel = |path: &Path| KERNEL.iter().any(|folder| path.starts_with(folder));
    let writable = bounds.all_writable().filter(|path| path.exists() && *path != Path::new("/"));
    let writable =
        writable.filter(|path| !of_kernel(path)).map(|path| (path.to_owned(), Mount::Writable));
    let mut all: BTreeMap<PathBuf, Mount> = writable.collect();
    // The root of the disk is already read-only. Mounting it again would cover the `/proc` and
    // `/dev` of the sandbox.
    let read_only = bounds.read_only.iter().filter(|path| path.exists() && *path != Path::new("/"));
    all.extend(read_only.map(|path| (path.clone(), Mount::ReadOnly)));
    all.extend(made.iter().map(|path| (path.clone(), Mount::Placeholder)));
    all.extend(bounds.all_hidden().map(|path| (path.to_owned(), Mount::Empty)));
    // A folder that is shown as empty has no content inside the sandbox, so nothing can be mounted
    // below it.
    let empty: Vec<PathBuf> =
        all.iter().filter(|(_, how)| **how == Mount::Empty).map(|(path, _)| path.clone()).collect();
    let covered =
        |path: &Path| path.ancestors().skip(1).any(|above| empty.iter().any(|each| each == above));
    all.retain(|path, _| !covered(path));
    let pinned: Vec<PathBuf> = all
        .iter()
        .filter(|(_, how)| **how != Mount::Writable)
        .flat_map(|(path, _)| above(path, bounds))
        .collect();
    for folder in pinned {
        let read_only = folder
            .ancestors()
            .any(|above| all.get(above).is_some_and(|how| *how != Mount::Writable));
        if !read_only {
            all.entry(folder).or_insert(Mount::Writable);
        }
    }
    all
}

/// The folders above a path that a program inside could rename.
fn above(path: &Path, bounds: &Bounds) -> Vec<PathBuf> {
    let folders = path
        .ancestors()
        .skip(1)
        .take_while(|above| above.parent().is_some_and(|parent| bounds.is_writable(parent)));
    folders.map(Path::to_owned).collect()
}

/// Returns a file in memory that contains the filter for `bwrap`.
fn readable(filter: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: the name is a NUL-terminated string.
    let descriptor = unsafe { libc::memfd_create(c"filter".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and has no other owner.
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

    fn mount(&mut self, path: &Path, mount: Mount) {
        match mount {
            Mount::Writable => self.bind("--bind-try", path, path),
            Mount::ReadOnly => self.bind("--ro-bind-try", path, path),
            Mount::Empty if !path.is_dir() => self.bind("--ro-bind", Path::new("/dev/null"), path),
            // `root` could write to a folder in memory, and files that it moves there would be
            // lost. For other users, an empty folder in memory with mode 0555 is enough. It is also
            // faster than a read-only mount, which makes `bwrap` read the list of all mounts.
            Mount::Placeholder if user() == 0 => self.bind("--ro-bind-try", path, path),
            Mount::Empty | Mount::Placeholder => {
                self.add(["--perms", "0555", "--tmpfs"]);
                self.add([path.as_os_str()]);
                if user() == 0 {
                    self.add(["--remount-ro".as_ref(), path.as_os_str()]);
                }
            }
        }
    }
}
