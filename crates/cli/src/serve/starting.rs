//! Starts a hub that has no terminal, and waits for it.

use super::VERSION;
use super::log_file;
use super::place::HubPlace;
use super::status::refused;
use crate::exit::{Exit, Failure};
use attache_serve::socket::{ConnectError, HubConnection, HubSocket};
use attache_view::sanitize;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long a hub may take until it answers. Its login shell alone may take 5 s.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long to wait before a socket is tried again.
const AGAIN: Duration = Duration::from_millis(20);

/// Connects to a hub for ACP, and starts it if it does not run. A started hub ends by itself after
/// it has been `idle` for this long.
///
/// # Errors
/// Returns an error if the hub refuses this program, or does not start in time.
pub(crate) async fn connect_or_start(
    place: &HubPlace,
    agent: Option<String>,
    idle: Duration,
) -> Result<HubConnection, Failure> {
    let mut started: Option<StartedHub> = None;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let folder = place.sockets()?;
        match HubConnection::acp(&place.socket(), VERSION, agent.clone()).await {
            Ok(connection) => return Ok(connection),
            Err(ConnectError::NotRunning | ConnectError::Ended) => {}
            Err(error) => return Err(refused(place, &error)),
        }
        match &mut started {
            Some(hub) => match hub.exit()? {
                None => {}
                // Another process started the same hub just before.
                Some(exit) if exit.code() == Some(Exit::Busy.code().into()) => started = None,
                Some(_) => return Err(hub.failure("the hub ended at once")),
            },
            // A hub that holds the lock is starting or ending.
            None if folder.is_some_and(|folder| HubSocket::is_taken(&folder, &place.name)) => {}
            None => started = Some(StartedHub::start(place, idle)?),
        }
        if Instant::now() >= deadline {
            let why = format!("the hub did not answer within {} s", PATIENCE.as_secs());
            return Err(match &started {
                Some(hub) => hub.failure(&why),
                None => Failure::new(Exit::Timeout, why),
            });
        }
        sleep(AGAIN).await;
    }
}

/// A hub that this process started and that outlives it.
struct StartedHub {
    process: Child,
    place: HubPlace,
    /// The size that the log had before.
    log_size: u64,
}

impl StartedHub {
    fn start(place: &HubPlace, idle: Duration) -> Result<Self, Failure> {
        place.create_state()?;
        let log = log_file::open(&place.log())?;
        let failed = |error: io::Error| {
            Failure::new(Exit::CannotStart, format!("the hub cannot be started: {error}"))
        };
        let log_size = log.metadata().map_err(failed)?.size();
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command
            .args(["serve", "--detached", "--name", place.name.as_str(), "--end-when-idle"])
            .arg(idle.as_secs_f64().to_string())
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        // SAFETY: `setsid` is async-signal-safe and touches no memory. In a session of its own, no
        // terminal and no end of an editor's process group reaches the hub.
        unsafe {
            command.pre_exec(|| match libc::setsid() {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            });
        }
        let process = command.spawn().map_err(failed)?;
        Ok(Self { process, place: place.clone(), log_size })
    }

    /// Returns how the process has ended, if it has.
    fn exit(&mut self) -> Result<Option<ExitStatus>, Failure> {
        self.process.try_wait().map_err(|error| Failure::new(Exit::Internal, error))
    }

    /// Returns the failure with what the log says.
    fn failure(&self, what: &str) -> Failure {
        let log = self.place.log();
        let lines = log_file::tail(&log, self.log_size);
        let why = match lines.is_empty() {
            true => format!("its log is {}", log.display()),
            false => format!("its log says:\n{}", sanitize::visible(&lines)),
        };
        Failure::new(Exit::CannotStart, format!("{what}; {why}"))
    }
}
