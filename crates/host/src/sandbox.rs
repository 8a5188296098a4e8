//! Sandboxes for commands: which ones work on this machine, and how to use them.

mod bounds;
#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod giving;
#[cfg(unix)]
pub(crate) mod inherited;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(windows)]
mod no_placeholders;
#[cfg(unix)]
mod owner;
#[cfg(unix)]
pub(crate) mod placeholders;

pub use bounds::Bounds;
#[cfg(windows)]
pub use no_placeholders::{is_placeholder, reclaim_placeholders};
#[cfg(unix)]
pub use placeholders::{is_placeholder, reclaim_placeholders};

use crate::launch::Launch;
use crate::launch::start_error::StartError;
#[cfg(target_os = "linux")]
use crate::process::tail::Tail;
use std::fmt;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use tokio::sync::OnceCell;

/// The name of the bubblewrap sandbox, for messages.
const BUBBLEWRAP: &str = "bubblewrap";

/// The name of the Landlock sandbox, for messages.
const LANDLOCK: &str = "Landlock";

/// How long a sandbox may take to run `true`.
#[cfg(target_os = "linux")]
const TRIAL: std::time::Duration = std::time::Duration::from_secs(5);

/// A sandbox that works on this machine, because a test command ran in it. [`Launch::within`] puts
/// a launch into it.
///
/// Both kinds restrict every descendant of the command too. They prevent:
///
/// | | bubblewrap | Landlock |
/// |---|---|---|
/// | writing outside of [`Bounds::writable`] and [`Bounds::temporary`] | yes | yes |
/// | writing to [`Bounds::read_only`] | yes; a folder above it in a writable folder cannot be renamed | yes: nothing can be created in, or removed from, a folder that contains such an entry |
/// | creating [`Bounds::missing`] | yes, by a placeholder | yes: nothing can be created in, or removed from, a folder in which such a name is missing |
/// | reading [`Bounds::hidden`] | yes, they look empty | yes; names of files below them can still be listed |
/// | settings of the kernel in `/proc` and `/sys`, also for `root` | yes | yes |
/// | devices: disks, terminals of others | yes, it has its own | yes; it cannot open a new pseudo terminal |
/// | the network, unless [`Bounds::network`] | yes, it has none | yes, it gets no socket |
/// | named and abstract UNIX sockets (session bus, container engine, key agent) | yes | yes |
/// | tracing, reading the memory and environment of processes outside | yes, it sees none | yes, and of its own processes |
/// | limits, priorities and processors of processes outside | yes | yes; a thread can change its own, if it names itself by 0 |
/// | shared memory, semaphores and queues of System V and POSIX | yes, it has its own | yes, it has none |
/// | signals to processes outside | yes | from Linux 6.12 on |
/// | mode, owner, times and attributes of files outside | yes | no, but no program is given the rights of its owner |
/// | files of others in the system's `/tmp` | cannot be seen: it is the temporary folder | can be read, not written |
///
/// Both refuse `mount`, `ptrace`, `keyctl`, `bpf`, `io_uring`, new namespaces and kernel modules,
/// and no program gains privileges. Programs for another architecture (32 bit) are killed. `root`
/// keeps only the capabilities to use files of other users inside the bounds.
///
/// Neither limits processor time, memory, disk space, reading elsewhere on the disk or, if the
/// network is allowed, the destinations of connections. Neither protects against flaws in the
/// kernel. In bubblewrap a symbolic link that leads to a protected file can be replaced.
///
/// Both exist on Linux for x86-64, aarch64 and riscv64. Other systems have no sandbox.
#[derive(Debug, Clone)]
pub struct Sandbox(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// The program `bwrap`.
    #[cfg(target_os = "linux")]
    Bubblewrap(PathBuf),
    #[cfg(target_os = "linux")]
    Landlock,
    /// No sandbox exists on this system.
    #[cfg(not(target_os = "linux"))]
    #[allow(dead_code, reason = "no sandbox exists on this system")]
    Impossible(std::convert::Infallible),
}

/// Why no sandbox works. Installing bubblewrap, or allowing its namespaces, usually helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSandbox {
    /// The name of each sandbox that was tried, and why it failed.
    reasons: Vec<(&'static str, String)>,
}

impl NoSandbox {
    /// Returns the name of each sandbox that was tried, and briefly why it failed, in the order of
    /// the attempts.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.reasons.iter().map(|(name, why)| (*name, why.as_str()))
    }

    fn new(name: &'static str, why: impl Into<String>) -> Self {
        Self { reasons: vec![(name, why.into())] }
    }
}

impl fmt::Display for NoSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> =
            self.reasons().map(|(name, why)| format!("{name}: {why}")).collect();
        write!(f, "no sandbox works here ({})", reasons.join("; "))
    }
}

impl std::error::Error for NoSandbox {}

impl Sandbox {
    /// Returns the sandbox of this machine: bubblewrap if it works, or else Landlock with a system
    /// call filter. The first call in this process tries them, which takes a few milliseconds.
    /// Cancel-safe. Call it inside a tokio runtime with I/O and time enabled.
    ///
    /// # Errors
    /// Returns the reasons if neither works.
    pub async fn find() -> Result<Self, NoSandbox> {
        static FOUND: OnceCell<Result<Sandbox, NoSandbox>> = OnceCell::const_new();
        let first = async {
            match Self::bubblewrap().await {
                Ok(sandbox) => Ok(sandbox),
                Err(NoSandbox { mut reasons }) => Self::landlock().await.map_err(|error| {
                    reasons.extend(error.reasons);
                    NoSandbox { reasons }
                }),
            }
        };
        FOUND.get_or_init(|| first).await.clone()
    }

    /// The name of the sandbox for messages: `bubblewrap` or `Landlock`.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Bubblewrap(_) => BUBBLEWRAP,
            #[cfg(target_os = "linux")]
            Kind::Landlock => LANDLOCK,
            #[cfg(not(target_os = "linux"))]
            Kind::Impossible(never) => match *never {},
        }
    }

    /// The limits of this sandbox, one sentence each for the user: actions that it cannot prevent,
    /// or forbids unnecessarily.
    pub fn limits(&self) -> Vec<&'static str> {
        match &self.0 {
            #[cfg(target_os = "linux")]
            Kind::Bubblewrap(_) => {
                vec!["a symbolic link that leads to a protected file can be replaced"]
            }
            #[cfg(target_os = "linux")]
            Kind::Landlock => landlock::limits(),
            #[cfg(not(target_os = "linux"))]
            Kind::Impossible(never) => match *never {},
        }
    }
}

#[cfg(target_os = "linux")]
impl Sandbox {
    /// Tries the program `bwrap` of the `PATH`.
    ///
    /// # Errors
    /// Returns an error if bubblewrap is not installed or does not work, as is common in
    /// containers.
    pub async fn bubblewrap() -> Result<Self, NoSandbox> {
        match Launch::new("bwrap").find() {
            Some(program) => Self(Kind::Bubblewrap(program)).tried().await,
            None => Err(NoSandbox::new(BUBBLEWRAP, "not installed")),
        }
    }

    /// Tries Landlock with a system call filter.
    ///
    /// # Errors
    /// Returns an error if the kernel lacks one of them.
    pub async fn landlock() -> Result<Self, NoSandbox> {
        if landlock::version() < 1 {
            return Err(NoSandbox::new(LANDLOCK, "not offered by this kernel"));
        }
        Self(Kind::Landlock).tried().await
    }

    /// Runs a command in this sandbox and checks the restrictions that can fail.
    async fn tried(self) -> Result<Self, NoSandbox> {
        let failed = |why: &dyn fmt::Display| NoSandbox::new(self.name(), why.to_string());
        let script = match self.0 {
            Kind::Bubblewrap(_) => bubblewrap::TRIAL,
            Kind::Landlock => "true",
        };
        let launch = Launch::shell(script)
            .cwd("/")
            .within(&self, &Bounds::default())
            .map_err(|error| failed(&error))?;
        let mut command = launch.run().map_err(|error| failed(&error))?;
        command.deadline(TRIAL);
        let mut said = Tail::new(400);
        while let Some(chunk) = command.chunk().await {
            said.push(chunk);
        }
        match (command.wait().await, said.text().trim()) {
            (exit, _) if exit.success() => Ok(self),
            (exit, "") => Err(failed(&exit)),
            (_, said) => Err(failed(&said)),
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Sandbox {
    /// Sandboxes do not exist on this system.
    ///
    /// # Errors
    /// Always returns an error.
    pub async fn bubblewrap() -> Result<Self, NoSandbox> {
        Err(NoSandbox::new(BUBBLEWRAP, "not for this system"))
    }

    /// Sandboxes do not exist on this system.
    ///
    /// # Errors
    /// Always returns an error.
    pub async fn landlock() -> Result<Self, NoSandbox> {
        Err(NoSandbox::new(LANDLOCK, "not for this system"))
    }
}

impl Launch {
    /// Puts the program with all its descendants into a sandbox. `TMPDIR` becomes
    /// [`Bounds::temporary`].
    ///
    /// Call it last, because it uses the current program, arguments and folder. It examines the
    /// disk, which takes a few hundred microseconds, and applies the bounds to what exists now. It
    /// creates placeholders for [`Bounds::missing`], which are removed when the command has ended,
    /// or when the launch is dropped without having been started.
    ///
    /// # Errors
    /// Returns [`StartError::Other`] if the sandbox cannot be prepared.
    pub fn within(self, sandbox: &Sandbox, bounds: &Bounds) -> Result<Self, StartError> {
        let launch = match &bounds.temporary {
            Some(folder) => self.env("TMPDIR", folder),
            None => self,
        };
        match (&sandbox.0, launch) {
            #[cfg(target_os = "linux")]
            (Kind::Bubblewrap(program), launch) => bubblewrap::within(launch, program, bounds),
            #[cfg(target_os = "linux")]
            (Kind::Landlock, launch) => landlock::within(launch, bounds),
            #[cfg(not(target_os = "linux"))]
            (Kind::Impossible(never), _) => match *never {},
        }
    }
}
