//! What a session runs commands with: its sandbox, its folder for temporary files, its background
//! commands.

use super::background::Background;
use super::reading_only;
use super::scratch::{Places, Scratch};
use super::walls::{Known, Permit, Session, Watch, reclaim, secret_variables, walls};
use super::{Execute, counted};
use attache_host::{Command, Launch, NoSandbox, Roots, Sandbox};
use std::path::PathBuf;

/// How large a pseudo terminal is, in rows and columns. Wide enough that programs need not fold.
const TERMINAL: (u16, u16) = (40, 160);

/// What a session runs commands with.
#[derive(Debug, Default)]
pub(crate) struct Shell {
    /// The sandbox to use, or none, in place of what the machine has.
    chosen: Option<Option<Sandbox>>,
    pub(crate) background: Background,
    /// After the commands that write there.
    pub(crate) scratch: Scratch,
    /// What commands in a sandbox cannot read.
    pub(super) private: Vec<PathBuf>,
    pub(super) known: Known,
}

/// A command that runs.
pub(super) struct Begun {
    pub(super) command: Command,
    /// Where its output goes when it is long.
    pub(super) file: Option<PathBuf>,
    /// The protected files, where a sandbox holds it.
    pub(super) watch: Option<Watch>,
}

impl Shell {
    pub(crate) fn new(chosen: Option<Option<Sandbox>>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// The same with files and folders that commands in a sandbox cannot read.
    pub(crate) fn private(self, private: Vec<PathBuf>) -> Self {
        Self { private, ..self }
    }

    /// The sandbox in which commands run. The first time in a process it is looked for, which takes
    /// some milliseconds.
    pub(super) async fn sandbox(&self) -> Result<Sandbox, String> {
        match &self.chosen {
            Some(Some(sandbox)) => Ok(sandbox.clone()),
            Some(None) => Err("no sandbox is used here".to_owned()),
            None => Sandbox::find().await.map_err(|error: NoSandbox| error.to_string()),
        }
    }
}

/// Starts a command without the variables `keys`, in the sandbox where one is given. A command that
/// runs because it only reads gets no folder to write to. Blocks on the disk and starts a process,
/// inside the runtime.
///
/// # Errors
/// One sentence for the model and the person.
pub(super) fn begin(
    execute: &Execute,
    session: &Session,
    places: Result<Places, std::io::Error>,
    sandbox: Option<&Sandbox>,
    permit: Permit,
    keys: &[String],
) -> Result<Begun, String> {
    reclaim(session.folders.roots().all());
    // No folder of the session takes the place of a program, or of a folder behind `cd`.
    let mut launch = Launch::shell(execute.command.as_str()).cwd(session.folders.cwd());
    launch = launch.env("PATH", attache_policy::safe_path()).env_remove("CDPATH");
    launch = keys.iter().fold(launch, |launch, name| launch.env_remove(name.as_str()));
    if permit.only_reads {
        launch = reading_only::launch(launch);
    }
    if execute.terminal {
        launch = launch.env("TERM", "xterm-256color");
    }
    let file = places.as_ref().ok().map(|places| places.output.clone());
    let mut watch = None;
    if let Some(sandbox) = sandbox {
        let places =
            places.map_err(|error| format!("there is no folder for temporary files: {error}"))?;
        launch = secret_variables().fold(launch, Launch::env_remove);
        let (bounds, watched) = walls(session, &places, permit);
        watch = Some(watched);
        launch = launch.within(sandbox, &bounds).map_err(|error| error.to_string())?;
    }
    let command = match execute.terminal {
        true => launch.run_in_terminal(TERMINAL.0, TERMINAL.1),
        false => launch.run(),
    };
    let mut command = command.map_err(|error| error.to_string())?;
    if let Some(time) = execute.time() {
        command.deadline(time);
    }
    Ok(Begun { command, file, watch })
}

/// What only a sandbox says, or nearly so. In small letters.
const SIGNS: [&str; 14] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "network is unreachable",
    "eacces",
    "eperm",
    "erofs",
    "enetunreach",
    "could not resolve",
    "temporary failure in name resolution",
    "name or service not known",
    "eai_again",
    "no such host",
    "failed to lookup address",
];

/// What the model is told when a command that failed may have failed because of the sandbox.
pub(super) fn held(
    execute: &Execute,
    output: &str,
    sandbox: &Sandbox,
    roots: &Roots,
) -> Option<String> {
    let said = output.to_lowercase();
    SIGNS.iter().find(|sign| said.contains(**sign))?;
    let more = match roots.all().len() {
        0 | 1 => String::new(),
        more => format!(" and {} more", counted(more as u64 - 1, "folder")),
    };
    let new = match sandbox.name() {
        "Landlock" => ", and nothing new beside such a file",
        _ => "",
    };
    let (network, ask) = match execute.network {
        true => ("It has the network", ""),
        false => ("It has no network", "`network: true` asks the person for the network, "),
    };
    Some(format!(
        "A sandbox ({}) held this command: it could write only in the working directory{more} and in $TMPDIR, not to protected files there, \
         such as .git and settings of editors and agents{new}. {network}. If that is why it failed: {ask}`unsandboxed` with your reason asks to run it without a sandbox.",
        sandbox.name()
    ))
}
