//! The five methods of `terminal/*`: real commands, each with its process group and the end of its
//! output.

use std::collections::HashMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    CreateTerminalRequest, SessionId, TerminalExitStatus, TerminalId, TerminalOutputResponse,
    WaitForTerminalExitResponse,
};
use agent_client_protocol::{Error, Result};
use official_peers::process::{Group, kill};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::JoinSet;

use official_peers::client::events::Events;

/// The default output limit, in bytes.
const MOST: usize = 1 << 20;
/// How long to wait for output after the command has ended, if one of its children still has the
/// pipes open.
const LATE: Duration = Duration::from_millis(200);

/// The end of the output.
struct Kept {
    limit: usize,
    bytes: Vec<u8>,
    is_truncated: bool,
}

impl Kept {
    /// Stores the newest bytes, beginning at the start of a character (TERM-05).
    fn add(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        let surplus = self.bytes.len().saturating_sub(self.limit);
        if surplus > 0 {
            self.is_truncated = true;
            let inside =
                self.bytes[surplus..].iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
            self.bytes.drain(..surplus + inside);
        }
    }
}

struct Terminal {
    session: SessionId,
    group: Option<u32>,
    kept: Arc<Mutex<Kept>>,
    exit: watch::Receiver<Option<ExitStatus>>,
}

impl Terminal {
    /// Kills only a group that has not ended, because its id could then belong to another group.
    fn kill(&self) {
        if let (None, Some(group)) = (*self.exit.borrow(), self.group) {
            kill(group);
        }
    }
}

pub(crate) struct Terminals {
    events: Arc<Events>,
    cwd: PathBuf,
    open: Mutex<(u64, HashMap<TerminalId, Arc<Terminal>>)>,
    /// One task per terminal, which reads the output and waits for the end of the command.
    watching: Mutex<JoinSet<()>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn told(status: ExitStatus) -> TerminalExitStatus {
    let code = status.code().and_then(|code| code.try_into().ok());
    let signal = status.signal().map(|signal| match signal {
        1 => "SIGHUP".into(),
        2 => "SIGINT".into(),
        6 => "SIGABRT".into(),
        9 => "SIGKILL".into(),
        11 => "SIGSEGV".into(),
        15 => "SIGTERM".into(),
        other => format!("signal {other}"),
    });
    TerminalExitStatus::new().exit_code(code).signal(signal)
}

impl Terminals {
    pub(crate) fn new(events: Arc<Events>, cwd: PathBuf) -> Self {
        Self { events, cwd, open: Mutex::default(), watching: Mutex::default() }
    }

    pub(crate) fn create(&self, request: CreateTerminalRequest) -> Result<TerminalId> {
        self.events.print("terminal", json!({"command": request.command, "args": request.args}));
        let cwd = request.cwd.unwrap_or_else(|| self.cwd.clone());
        if !cwd.is_absolute() || !cwd.is_dir() {
            let reason = format!("{} is not an absolute path of a folder", cwd.display());
            return Err(Error::invalid_params().data(reason));
        }
        let mut command = Command::new(&request.command);
        command.args(&request.args).stdin(Stdio::null()).stderr(Stdio::piped());
        command.envs(request.env.iter().map(|variable| (&variable.name, &variable.value)));
        let mut group = Group::start(&mut command, &cwd).map_err(|error| {
            Error::internal_error().data(format!("{}: {error}", request.command))
        })?;
        let limit = request.output_byte_limit.map_or(MOST, |limit| (limit as usize).min(MOST));
        let kept = Arc::new(Mutex::new(Kept { limit, bytes: Vec::new(), is_truncated: false }));
        let (told, exit) = watch::channel(None);
        let id = group.id();
        let (stdout, stderr) = (group.child.stdout.take(), group.child.stderr.take());
        let written = kept.clone();
        locked(&self.watching).spawn(async move {
            let mut reading = std::pin::pin!(async {
                tokio::join!(read(stdout, &written), read(stderr, &written))
            });
            let mut is_read = false;
            let status = tokio::select! {
                status = group.child.wait() => status,
                _ = &mut reading => {
                    is_read = true;
                    group.child.wait().await
                }
            };
            if !is_read {
                // Output that arrives after `LATE` comes from a child of the command.
                let _ = tokio::time::timeout(LATE, reading).await;
            }
            told.send_replace(status.ok());
        });
        let mut open = locked(&self.open);
        open.0 += 1;
        let terminal = TerminalId::new(format!("terminal-{}", open.0));
        open.1.insert(
            terminal.clone(),
            Arc::new(Terminal { session: request.session_id, group: id, kept, exit }),
        );
        Ok(terminal)
    }

    /// Returns a terminal of that session, otherwise -32602 (TERM-15).
    fn of(&self, session: &SessionId, id: &TerminalId) -> Result<Arc<Terminal>> {
        let found =
            locked(&self.open).1.get(id).filter(|terminal| terminal.session == *session).cloned();
        found.ok_or_else(|| {
            Error::invalid_params().data(format!("terminal {} does not exist", id.0))
        })
    }

    pub(crate) fn output(
        &self,
        session: &SessionId,
        id: &TerminalId,
    ) -> Result<TerminalOutputResponse> {
        let terminal = self.of(session, id)?;
        let exit = (*terminal.exit.borrow()).map(told);
        let kept = locked(&terminal.kept);
        let text = String::from_utf8_lossy(&kept.bytes).into_owned();
        Ok(TerminalOutputResponse::new(text, kept.is_truncated).exit_status(exit))
    }

    /// Answers when the command ends, or when the agent cancels the request (CANCEL-14).
    pub(crate) async fn wait(
        self: Arc<Self>,
        session: SessionId,
        id: TerminalId,
        responder: Responder<WaitForTerminalExitResponse>,
    ) -> Result<()> {
        let terminal = match self.of(&session, &id) {
            Ok(terminal) => terminal,
            Err(error) => return responder.respond_with_error(error),
        };
        let mut exit = terminal.exit.clone();
        let taken_back = responder.cancellation();
        let ended = tokio::select! {
            ended = exit.wait_for(Option::is_some) => ended.ok().and_then(|status| *status),
            () = taken_back.cancelled() => {
                return responder.respond_with_error(Error::request_cancelled());
            }
        };
        let status = ended.map_or_else(TerminalExitStatus::new, told);
        responder.respond(WaitForTerminalExitResponse::new(status))
    }

    pub(crate) fn kill(&self, session: &SessionId, id: &TerminalId) -> Result<()> {
        self.of(session, id)?.kill();
        Ok(())
    }

    pub(crate) fn release(&self, session: &SessionId, id: &TerminalId) -> Result<()> {
        self.of(session, id)?.kill();
        locked(&self.open).1.remove(id);
        Ok(())
    }

    pub(crate) fn end(&self) {
        for (_, terminal) in locked(&self.open).1.drain() {
            terminal.kill();
        }
    }
}

async fn read(from: Option<impl AsyncRead + Unpin>, kept: &Mutex<Kept>) {
    let Some(mut from) = from else { return };
    let mut piece = [0; 8192];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        locked(kept).add(&piece[..read]);
    }
}
