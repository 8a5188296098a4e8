//! A launch inside Landlock: kernel rules that allow by path, and a system call filter.
//!
//! This module prepares the rules and the filter, and the program's side of the second fork applies
//! them (see [`Confinement`]). A Landlock rule allows something for a folder and everything below,
//! and cannot exclude anything. To exclude an entry of a folder, the rules therefore allow each of
//! the folder's other entries instead of the folder.

use super::{Bounds, filter};
use crate::guardian::confinement::Confinement;
use crate::launch::Launch;
use crate::launch::start_error::StartError;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope, make_bitflags,
};
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The newest set of rights that is used. An older kernel applies the rights that it knows, and the
/// system call filter restricts some of the rest.
const NEWEST: ABI = ABI::V9;

/// The first version that restricts `truncate`.
const HOLDS_TRUNCATE: i32 = 3;

/// The first version that restricts signals.
const HOLDS_SIGNALS: i32 = 6;

/// The largest number of entries that are listed in all folders with exclusions together.
const MOST_ENTRIES: usize = 20_000;

/// Devices that a command may read and write. Disks would give `root` access to hidden files.
/// `/dev/pts` contains the terminals of other users, so a command cannot open a new pseudo
/// terminal.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The kernel's folder of processes. Only the parts that a command needs are allowed.
const PROCESSES: &str = "/proc";

/// The kernel's folder of devices. Only the parts that a command needs are allowed.
const DEVICE_FILES: &str = "/dev";

/// The kernel's folder of settings. Only the parts that a command needs are allowed.
const KERNEL: &str = "/sys";

/// Returns the kernel's version of Landlock, or 0 or less for none.
pub(super) fn version() -> i32 {
    const LANDLOCK_CREATE_RULESET_VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with a null attribute of size 0, this system call only returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            nothing,
            0_usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    i32::try_from(version).unwrap_or(0)
}

/// The limits of this sandbox, one sentence each: actions that it cannot prevent, or forbids
/// unnecessarily.
pub(super) fn limits() -> Vec<&'static str> {
    let version = version();
    let mut limits = vec![
        "no file or folder can be created or removed directly in a session's folder or next to a protected file",
        "mode, owner and times of files outside can be changed",
        "no command can open a new pseudo terminal",
    ];
    if version < HOLDS_SIGNALS {
        limits.push(
            "signals can reach other processes of the same user: Linux 6.12 or newer prevents this",
        );
    }
    if version < HOLDS_TRUNCATE {
        limits.push("no command can shorten a file by its path");
    }
    limits
}

pub(super) fn within(launch: Launch, bounds: &Bounds) -> Result<Launch, StartError> {
    let confinement = rules(bounds).and_then(|rules| {
        let version = version();
        let filter = filter::program(filter::Wanted {
            network: bounds.network,
            truncate: version < HOLDS_TRUNCATE,
            others: true,
            signals: version < HOLDS_SIGNALS,
        });
        Ok(Confinement::new(rules, &filter?))
    });
    match confinement {
        Ok(confinement) => Ok(launch.confined(confinement)),
        Err(source) => Err(StartError::Other { program: launch.program().into(), source }),
    }
}

/// The rights in a writable folder: everything except creating devices.
fn all_but_devices() -> BitFlags<AccessFs> {
    AccessFs::from_all(NEWEST) & !make_bitflags!(AccessFs::{MakeChar | MakeBlock | ResolveUnix})
}

fn rules(bounds: &Bounds) -> io::Result<OwnedFd> {
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    ruleset = ruleset.handle_access(AccessFs::from_all(NEWEST)).map_err(io::Error::other)?;
    ruleset = ruleset.scope(Scope::from_all(NEWEST)).map_err(io::Error::other)?;
    if !bounds.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST)).map_err(io::Error::other)?;
    }
    let mut rules = Rules { ruleset: ruleset.create().map_err(io::Error::other)?, entries: 0 };
    let hidden: Vec<&Path> = bounds.all_hidden().collect();
    let kernel = [PROCESSES, DEVICE_FILES].map(Path::new);
    rules.allow(Path::new("/"), AccessFs::ReadDir.into())?;
    let read = make_bitflags!(AccessFs::{ReadFile | Execute});
    let unread: Vec<&Path> = hidden.iter().copied().chain(kernel).collect();
    rules.allow_but(Path::new("/"), &unread, read)?;
    rules.allow_system(read)?;
    // Missing names are excluded like existing ones, so that no name can be created in their
    // folders.
    let held = bounds.read_only.iter().chain(&bounds.missing).map(PathBuf::as_path).chain(hidden);
    let held: Vec<&Path> = held.collect();
    for folder in bounds.all_writable() {
        // The root of the disk may be a session's folder, but the folders of the kernel are not
        // part of it.
        let kernel = [PROCESSES, DEVICE_FILES, KERNEL].map(Path::new);
        let outside = kernel.into_iter().filter(|each| each.starts_with(folder));
        let held: Vec<&Path> = held.iter().copied().chain(outside).collect();
        rules.allow_but(folder, &held, all_but_devices())?;
    }
    for device in DEVICES {
        let write = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev});
        rules.allow(Path::new(device), write)?;
    }
    Option::<OwnedFd>::from(rules.ruleset)
        .ok_or_else(|| io::Error::other("the kernel has no Landlock"))
}

struct Rules {
    ruleset: RulesetCreated,
    /// The number of entries listed so far.
    entries: usize,
}

impl Rules {
    /// Allows access to the path and everything below, if the path exists and is not a symbolic
    /// link.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> io::Result<()> {
        let Some(file) = opened(path)? else { return Ok(()) };
        let found = file.metadata()?.file_type();
        if found.is_symlink() {
            return Ok(());
        }
        let access = if found.is_dir() { access } else { access & AccessFs::from_file(NEWEST) };
        if access.is_empty() {
            return Ok(());
        }
        let rule = PathBeneath::new(file, access).set_compatibility(CompatLevel::BestEffort);
        (&mut self.ruleset).add_rule(rule).map_err(io::Error::other)?;
        Ok(())
    }

    /// Allows access in the same way, without the excluded paths and everything below them.
    fn allow_but(
        &mut self,
        path: &Path,
        left_out: &[&Path],
        access: BitFlags<AccessFs>,
    ) -> io::Result<()> {
        if left_out.iter().any(|left| path.starts_with(left)) {
            return Ok(());
        }
        if !left_out.iter().any(|left| left.starts_with(path)) {
            return self.allow(path, access);
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if is_out_of_reach(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                let many =
                    format!("{} and others have too many entries for a sandbox", path.display());
                return Err(io::Error::other(many));
            }
            self.allow_but(&entry?.path(), left_out, access)?;
        }
        Ok(())
    }
}

impl Rules {
    /// Allows access to what the kernel reports about itself. Processes, whose names are numbers,
    /// are excluded because of their environments.
    fn allow_system(&mut self, access: BitFlags<AccessFs>) -> io::Result<()> {
        for entry in fs::read_dir(PROCESSES)? {
            let entry = entry?;
            if !entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
                self.allow(&entry.path(), access)?;
            }
        }
        Ok(())
    }
}

/// Returns a handle on a path without opening it for access, or `None` if the path does not exist
/// or may not be examined.
fn opened(path: &Path) -> io::Result<Option<File>> {
    // `OpenOptions` removes `O_PATH` with musl, which counts it as an access mode.
    let flags = libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the path is a NUL-terminated string.
    let descriptor = unsafe { libc::open(path.as_ptr(), flags) };
    if descriptor >= 0 {
        // SAFETY: a descriptor that was just opened has no other owner.
        return Ok(Some(unsafe { File::from_raw_fd(descriptor) }));
    }
    match io::Error::last_os_error() {
        error if is_out_of_reach(&error) => Ok(None),
        error => Err(error),
    }
}

/// Returns whether the error says that a path does not exist or cannot be used.
fn is_out_of_reach(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | PermissionDenied | NotADirectory)
}
