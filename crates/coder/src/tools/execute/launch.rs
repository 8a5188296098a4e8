//! The start of a command.

use super::begun::{Begun, CommandLine};
use super::reading_only;
use super::scratch::Places;
use super::walls::{Permit, Session, reclaim, secret_variables, walls};
use crate::tools::fit::counted;
use attache_host::{Launch, Roots, Sandbox};

/// How large a pseudo terminal is, in rows and columns. Wide enough that programs need not fold.
const TERMINAL: (u16, u16) = (40, 160);

/// Starts a command without the variables `keys`, in the sandbox where one is given. A command that
/// runs because it only reads gets no folder to write to. Blocks on the disk and starts a process,
/// inside the runtime.
///
/// # Errors
/// One sentence for the model and the person.
pub(super) fn begin(
    line: &CommandLine,
    session: &Session,
    places: Result<Places, std::io::Error>,
    sandbox: Option<&Sandbox>,
    permit: Permit,
    keys: &[String],
) -> Result<Begun, String> {
    reclaim(session.folders.roots().all());
    // No folder of the session takes the place of a program, or of a folder behind `cd`.
    let mut launch = Launch::shell(line.command.as_str()).cwd(session.folders.cwd());
    launch = launch.env("PATH", attache_policy::safe_path()).env_remove("CDPATH");
    launch = keys.iter().fold(launch, |launch, name| launch.env_remove(name.as_str()));
    if permit.only_reads {
        launch = reading_only::launch(launch);
    }
    if line.in_terminal {
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
    let command = match line.in_terminal {
        true => launch.run_in_terminal(TERMINAL.0, TERMINAL.1),
        false => launch.run(),
    };
    let mut command = command.map_err(|error| error.to_string())?;
    if let Some(time) = line.time {
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
    line: &CommandLine,
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
    let (network, ask) = match line.network {
        true => ("It has the network", ""),
        false => ("It has no network", "`network: true` asks the person for the network, "),
    };
    Some(format!(
        "A sandbox ({}) held this command: it could write only in the working directory{more} and in $TMPDIR, not to protected files there, \
         such as .git and settings of editors and agents{new}. {network}. If that is why it failed: {ask}`unsandboxed` with your reason asks to run it without a sandbox.",
        sandbox.name()
    ))
}
