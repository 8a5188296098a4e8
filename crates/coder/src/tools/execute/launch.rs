//! Starts a command.

use super::bounds::{Permit, Session, reclaim, sandbox_bounds, secret_variables};
use super::reading_only;
use super::running_command::{CommandLine, RunningCommand};
use super::scratch::Places;
use crate::tools::fit::counted;
use attache_host::{Launch, Roots, Sandbox};

/// The size of the pseudo terminal, in rows and columns. It is wide so that programs do not wrap
/// lines.
const TERMINAL: (u16, u16) = (40, 160);

/// Starts a command in the given sandbox, if there is one, with an environment that lacks the
/// variables `keys`. A command that runs because it only reads gets no writable folder. This blocks
/// on disk I/O and must run inside the runtime, because it starts a process.
///
/// # Errors
/// Returns a sentence for the model and the person if the command cannot be started.
pub(super) fn begin(
    line: &CommandLine,
    session: &Session,
    places: Result<Places, std::io::Error>,
    sandbox: Option<&Sandbox>,
    permit: Permit,
    keys: &[String],
) -> Result<RunningCommand, String> {
    reclaim(session.folders.roots().all());
    // Relative entries of `PATH`, and all of `CDPATH`, are dropped, because they could lead into
    // the session's folders.
    let mut launch = Launch::shell(line.command.as_str()).cwd(session.folders.cwd());
    launch = launch.env("PATH", attache_policy::safe_path()).env_remove("CDPATH");
    launch = keys.iter().fold(launch, |launch, name| launch.env_remove(name.as_str()));
    if sandbox.is_some() {
        launch = secret_variables().fold(launch, Launch::env_remove);
    }
    if permit.only_reads {
        // After the secrets, which include the person's variables of these names.
        launch = reading_only::launch(launch);
    }
    if line.in_terminal {
        launch = launch.env("TERM", "xterm-256color");
    }
    let file = places.as_ref().ok().map(|places| places.output.clone());
    let mut watch = None;
    if let Some(sandbox) = sandbox {
        let places = places
            .map_err(|error| format!("cannot create a folder for temporary files: {error}"))?;
        let (bounds, watched) = sandbox_bounds(session, &places, permit);
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
    Ok(RunningCommand { command, file, watch })
}

/// Phrases in lower case that appear only, or almost only, in failures that a sandbox causes.
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

/// The note for the model if a command may have failed because of the sandbox.
pub(super) fn sandbox_note(
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
        "Landlock" => ", and it could not create files next to them",
        _ => "",
    };
    let (network, ask) = match line.network {
        true => ("It has access to the network", ""),
        false => {
            ("It has no access to the network", "`network: true` asks the person for the network, ")
        }
    };
    Some(format!(
        "This command ran in a sandbox ({}): it could write only in the working directory{more} and in $TMPDIR, not to protected files there, \
         such as .git and settings of editors and agents{new}. {network}. If that is why it failed: {ask}`unsandboxed` with your reason asks to run it without a sandbox.",
        sandbox.name()
    ))
}
