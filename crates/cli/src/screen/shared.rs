//! The shared hub of the screen: whether the screen uses it, its agents, and what ACP does not
//! carry.

mod calls;
mod connecting;
mod sessions;

use super::arguments::Screen;
use crate::chosen_agent::BUILT_IN_NAME;
use crate::serve::VERSION;
use crate::serve::place::{HubPlace, stores};
use crate::serve::status::refused;
use crate::settings::Settings;
use attache_host::Launch;
use attache_serve::socket::{ConnectError, HubConnection, HubName, HubSocket};
use attache_view::sanitize;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::timeout;

/// How long the shared hub may take to answer when the screen starts.
const PATIENCE: Duration = Duration::from_secs(3);

/// The shared hub, as the screen uses it.
#[derive(Debug, Clone)]
pub(super) struct SharedHub {
    place: HubPlace,
}

/// Returns the shared hub if it runs and the screen can use it. Otherwise the screen runs its own
/// hub, and `notices` says why, unless the person wants that or no shared hub runs. `agent` selects
/// the first agent, which starts in `cwd`.
pub(super) async fn find(
    arguments: &Screen,
    settings: &Settings,
    agent: Option<&str>,
    cwd: &Path,
    notices: &mut Vec<String>,
) -> Option<SharedHub> {
    if arguments.own_hub || settings.has_own_hub() {
        return None;
    }
    let place = HubPlace::of(HubName::default()).ok()?;
    let folder = match place.sockets() {
        Ok(folder) => folder?,
        Err(failure) => {
            notices.push(alone(&failure.message));
            return None;
        }
    };
    if !HubSocket::is_taken(&folder, &place.name) {
        return None;
    }
    let agent = agent.unwrap_or(BUILT_IN_NAME);
    let why = match only_here(arguments, agent, cwd) {
        Some(why) => why,
        None => match greet(&place, agent).await {
            Ok(()) => return Some(SharedHub { place }),
            Err(why) => why,
        },
    };
    notices.push(alone(&why));
    None
}

fn alone(why: &str) -> String {
    format!("This screen does not use the shared hub: {}", sanitize::line(why))
}

/// Returns why only a hub of this screen can do what the arguments ask for.
fn only_here(arguments: &Screen, agent: &str, cwd: &Path) -> Option<String> {
    let flags = [
        ("--trace", arguments.trace.is_some()),
        ("--env", !arguments.env.is_empty()),
        ("--token-file", arguments.token_file.is_some()),
        ("--protocol", arguments.protocol.is_some()),
    ];
    if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) {
        return Some(format!("{flag} works only with agents that this screen starts"));
    }
    relative(agent, cwd).map(|path| {
        format!(
            "--agent names {}, which is relative to this folder: use its absolute path",
            path.display()
        )
    })
}

/// Returns the first word of a command line that is a path relative to `cwd`. The shared hub starts
/// agents in another folder.
fn relative(agent: &str, cwd: &Path) -> Option<PathBuf> {
    let launch = Launch::parse(agent).ok()?;
    let program = Path::new(launch.program());
    let is_path = |path: &Path| path.is_relative() && path.components().nth(1).is_some();
    if is_path(program) {
        return Some(program.to_owned());
    }
    let arguments = launch.arguments().map(PathBuf::from);
    arguments.into_iter().find(|path| path.is_relative() && cwd.join(path).exists())
}

/// Checks that the shared hub serves this program, can use the agent, and stores sessions where
/// this program does.
async fn greet(place: &HubPlace, agent: &str) -> Result<(), String> {
    let socket = place.socket();
    let greeting = HubConnection::acp_of_agent(&socket, VERSION, agent);
    match timeout(PATIENCE, greeting).await.unwrap_or(Err(ConnectError::Silent)) {
        Ok((_, theirs)) => same_stores(&theirs).map_err(|why| format!("it {why}")),
        Err(ConnectError::NotRunning | ConnectError::Ended) => {
            Err("it starts or ends: try again".to_owned())
        }
        Err(ConnectError::Refused(why)) => Err(why),
        Err(error) => Err(refused(place, &error).message),
    }
}

/// Returns an error unless the shared hub stores sessions and checkpoints where this program does.
fn same_stores(theirs: &str) -> Result<(), String> {
    let ours = stores();
    match theirs == ours {
        true => Ok(()),
        false => Err(format!("stores {theirs}, and this program stores {ours}")),
    }
}

#[cfg(test)]
mod tests {
    use super::relative;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_command_line_with_relative_paths_is_not_for_the_shared_hub() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.py"), "").unwrap();
        let found = |agent: &str| relative(agent, folder.path());
        assert_eq!(found("./agent.py"), Some(PathBuf::from("./agent.py")));
        assert_eq!(found("bin/agent"), Some(PathBuf::from("bin/agent")));
        assert_eq!(found("python3 agent.py"), Some(PathBuf::from("agent.py")));
        let absolute = folder.path().join("agent.py");
        for agent in ["claude", "attache", "gemini --acp", absolute.to_str().unwrap()] {
            assert_eq!(found(agent), None, "{agent}");
        }
        assert_eq!(relative("python3 agent.py", Path::new("/nowhere")), None);
    }
}
