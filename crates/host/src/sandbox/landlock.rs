//! A launch inside Landlock: rules of the kernel that allow by path, with a filter of system calls.
//!
//! Rules and filter are made here; the program's side of the second fork puts them on itself (see [`Confinement`]). A rule of Landlock
//! allows something for a folder and all below it and can take nothing back. So what has to be left out of a folder is left out by allowing
//! each of the folder's other entries, and not the folder.

use super::{Bounds, filter};
use crate::confinement::Confinement;
use crate::launch::Launch;
use crate::start_error::StartError;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope, make_bitflags,
};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The newest set of rights that is known here. The kernel may know fewer; it then holds what the filter of system calls holds.
const NEWEST: ABI = ABI::V9;

/// The first version that holds `truncate`.
const HOLDS_TRUNCATE: i32 = 3;

/// How many entries folders with something to leave out may have in all.
const MOST_ENTRIES: usize = 20_000;

/// Devices that a command may write to.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// The version of Landlock that the kernel has; 0 or less for none.
pub(super) fn version() -> i32 {
    const LANDLOCK_CREATE_RULESET_VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: a system call that only answers a number; the attribute is null and its size 0, as it wants for that.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, LANDLOCK_CREATE_RULESET_VERSION)
    };
    i32::try_from(version).unwrap_or(0)
}

pub(super) fn within(launch: Launch, bounds: &Bounds) -> Result<Launch, StartError> {
    let confinement = rules(bounds).and_then(|rules| {
        Ok(Confinement::new(rules, &filter::program(bounds.network, version() < HOLDS_TRUNCATE)?))
    });
    match confinement {
        Ok(confinement) => Ok(launch.confined(confinement)),
        Err(source) => Err(StartError::Other { program: launch.program().into(), source }),
    }
}

/// What a command may do in a writable folder: everything but make devices.
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
    rules.allow(Path::new("/"), AccessFs::ReadDir.into())?;
    let read = make_bitflags!(AccessFs::{ReadFile | Execute});
    let but_processes: Vec<&Path> = hidden.iter().copied().chain([Path::new(PROCESSES)]).collect();
    rules.allow_but(Path::new("/"), &but_processes, read)?;
    rules.allow_system(read)?;
    let held: Vec<&Path> = bounds.read_only.iter().map(|path| path.as_path()).chain(hidden).collect();
    for folder in bounds.all_writable() {
        rules.allow_but(folder, &held, all_but_devices())?;
    }
    for device in DEVICES {
        let write = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev});
        rules.allow(Path::new(device), write)?;
    }
    Option::<OwnedFd>::from(rules.ruleset).ok_or_else(|| io::Error::other("the kernel has no Landlock"))
}

/// Where the kernel tells about itself and about processes. Landlock keeps nobody from reading another's environment there.
const PROCESSES: &str = "/proc";

struct Rules {
    ruleset: RulesetCreated,
    /// How many entries were listed.
    entries: usize,
}

impl Rules {
    /// Allows it for the path and all below, if there is something at the path that is no symbolic link.
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

    /// The same without what is at and below the paths to leave out.
    fn allow_but(&mut self, path: &Path, left_out: &[&Path], access: BitFlags<AccessFs>) -> io::Result<()> {
        if left_out.iter().any(|left| path.starts_with(left)) {
            return Ok(());
        }
        if !left_out.iter().any(|left| left.starts_with(path) && left.exists()) {
            return self.allow(path, access);
        }
        for entry in fs::read_dir(path)? {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                let many = format!("{} and others have too many entries for a sandbox", path.display());
                return Err(io::Error::other(many));
            }
            self.allow_but(&entry?.path(), left_out, access)?;
        }
        Ok(())
    }
}

impl Rules {
    /// Allows it for what the kernel tells about itself, and not for processes: they have numbers as names.
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

/// A handle on what is at the path, without opening it for anything; nothing if nothing is there any more or it may not be looked at.
fn opened(path: &Path) -> io::Result<Option<File>> {
    let flags = libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
