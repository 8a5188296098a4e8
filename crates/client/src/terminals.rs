//! The `terminal/*` methods (TERM-01 to TERM-17): commands that run here for the agent.

pub(crate) mod terminal;
pub(crate) mod terminal_command;
pub(crate) mod terminal_meta;

use crate::session::live_session::{Live, Permitted};
use crate::permission::PermissionRequest;
use crate::terminals::terminal::Terminal;
use crate::terminals::terminal_command::TerminalCommand;
use attache_connection::{Responder, Work};
use attache_host::Command;
use attache_policy::Folders;
use attache_protocol::Error;
use attache_protocol::method::{
    TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use attache_protocol::v1::{
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalRequest, KillTerminalResponse,
    ReleaseTerminalRequest, ReleaseTerminalResponse, TerminalId, TerminalOutputRequest,
    TerminalOutputResponse, WaitForTerminalExitRequest, WaitForTerminalExitResponse,
};
use attache_session::EventBody;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// How many terminals of one session may be open at once.
const OPEN: usize = 64;

/// How many terminals of one session are kept to be shown: released ones (TERM-12), and those that
/// the agent itself runs.
const SHOWN: usize = 32;

/// How much output is kept if the agent sets no limit, in bytes.
const UNLIMITED: usize = 1 << 20;

/// How much output is kept at most, in bytes, whatever limit the agent sets.
const MOST: u64 = 4 << 20;

/// Names the next terminal. No two sessions share a name, so a terminal cannot be reached through
/// another session (TERM-15).
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The terminals of one session. Dropping it, like [`Terminals::end`], kills what still runs.
#[derive(Default)]
pub(crate) struct Terminals(Mutex<Table>);

#[derive(Default)]
struct Table {
    folders: Option<Arc<Folders>>,
    open: HashMap<TerminalId, Arc<Terminal>>,
    shown: VecDeque<(TerminalId, Arc<Terminal>)>,
    /// One for each command that runs; a task owns its command, which dies with it.
    tasks: JoinSet<()>,
    over: bool,
}

impl Terminals {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session goes on with these folders.
    pub(crate) fn set_up(&self, folders: Arc<Folders>) {
        let mut table = self.table();
        table.folders = Some(folders);
        table.over = false;
    }

    /// The session is over: what runs is killed, waiters are answered, and nothing is started any
    /// more. What is kept to be shown stays.
    pub(crate) fn end(&self) {
        let mut table = self.table();
        table.over = true;
        table.tasks.abort_all();
        let open = std::mem::take(&mut table.open);
        open.into_iter().for_each(|(id, terminal)| table.show(id, terminal));
    }

    /// What a terminal shows: one that is open, one that was released, or one of the agent's own.
    pub(crate) fn output(&self, id: &TerminalId) -> Option<TerminalOutputResponse> {
        let table = self.table();
        let shown =
            || table.shown.iter().find(|(shown, _)| shown == id).map(|(_, terminal)| terminal);
        table.open.get(id).or_else(shown).map(|terminal| terminal.output())
    }

    /// Keeps what an agent tells about terminals that it runs itself, beside its tool calls.
    pub(crate) fn told_of(&self, body: &EventBody) {
        let meta = match body {
            EventBody::ToolCall(call) => call.meta.as_ref(),
            EventBody::ToolCallUpdate(update) => update.meta.as_ref(),
            _ => None,
        };
        let Some(meta) = meta else { return };
        for (id, told) in crate::terminals::terminal_meta::told(meta) {
            let mut table = self.table();
            // An agent's word is no command of ours.
            if !table.open.contains_key(&id) {
                table.shown(&id).tell(&told);
            }
        }
    }

    fn open(&self, id: &TerminalId) -> Result<Arc<Terminal>, Error> {
        self.table().open.get(id).cloned().ok_or_else(|| {
            Error::invalid_params(format!(
                "this session has no terminal \"{id}\": it was released, or never created"
            ))
        })
    }

    /// Takes a command that runs. `Err` if the session is over or has too many; the command is
    /// dropped then, and killed.
    fn add(&self, command: Command, limit: usize) -> Result<TerminalId, Error> {
        let mut table = self.table();
        if table.over {
            return Err(Error::invalid_request("the session is over: open it again"));
        }
        if table.open.len() >= OPEN {
            return Err(Error::invalid_request(format!(
                "{OPEN} terminals are open: release some first"
            )));
        }
        let id = TerminalId::from(format!("terminal-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let terminal = Arc::new(Terminal::new(limit));
        while table.tasks.try_join_next().is_some() {}
        table.tasks.spawn(terminal.clone().run(command));
        table.open.insert(id.clone(), terminal);
        Ok(id)
    }
}

impl Table {
    fn show(&mut self, id: TerminalId, terminal: Arc<Terminal>) {
        terminal.shrink();
        if self.shown.len() >= SHOWN {
            self.shown.pop_front();
        }
        self.shown.push_back((id, terminal));
    }

    /// The terminal of the agent's own with this id.
    fn shown(&mut self, id: &TerminalId) -> Arc<Terminal> {
        if let Some((_, terminal)) = self.shown.iter().find(|(shown, _)| shown == id) {
            return terminal.clone();
        }
        let terminal = Arc::new(Terminal::new(UNLIMITED));
        self.show(id.clone(), terminal.clone());
        terminal
    }
}

/// `terminal/create`: answered when the command has begun (TERM-03), refused if the session's rules
/// or the person do not allow it.
pub(crate) fn create(
    live: Arc<Live>,
    params: CreateTerminalRequest,
    answer: Responder<TerminalCreate>,
) -> Work {
    answer.later(async move {
        let limit = params
            .output_byte_limit
            .map_or(UNLIMITED, |limit| usize::try_from(limit.min(MOST)).unwrap_or(UNLIMITED));
        let Some(folders) = live.terminals.table().folders.clone() else {
            return Err(Error::invalid_request("the session is not set up yet: wait for it"));
        };
        let asked = live.next_question();
        let read = move || {
            let command = TerminalCommand::read(params, folders.roots())?;
            let request = command.checked_question(asked, &folders);
            Ok::<_, Error>((command, request))
        };
        let (command, request) = off(read).await??;
        match permits(&live, &command, request).await {
            Permitted::Yes => {}
            Permitted::No => {
                return Err(Error::internal(format!(
                    "this client does not run the command: no person, rule or setting allows it: {}",
                    command.line()
                )));
            }
            Permitted::Withdrawn => return Err(Error::request_cancelled()),
        }
        let started = off(move || command.launch().run()).await?;
        let started = started.map_err(|error| Error::invalid_params(error.to_string()))?; // TERM-17
        live.terminals.add(started, limit).map(CreateTerminalResponse::new)
    })
}

/// Whether a command may run: if the agent's own permission request approved it, else if the
/// session's permissions allow it.
async fn permits(
    live: &Live,
    command: &TerminalCommand,
    mut request: PermissionRequest,
) -> Permitted {
    if live.approved(|approvals| approvals.take_command(command)) {
        return Permitted::Yes;
    }
    request.covered =
        request.protected.is_none() && live.approved(|approvals| approvals.covers_command(command));
    live.permits(request).await
}

/// Does what may block where that holds up nobody.
async fn off<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::internal("the command could not be started: this program is ending"))
}

/// `terminal/output`: what there is, at once (TERM-06).
pub(crate) fn output(
    live: &Live,
    params: &TerminalOutputRequest,
    answer: Responder<TerminalOutput>,
) -> Work {
    answer.send(live.terminals.open(&params.terminal_id).map(|terminal| terminal.output()))
}

/// `terminal/wait_for_exit`: every waiter is answered when the command ends (TERM-07), however it
/// does (TERM-14).
pub(crate) fn wait_for_exit(
    live: &Live,
    params: &WaitForTerminalExitRequest,
    answer: Responder<TerminalWaitForExit>,
) -> Work {
    match live.terminals.open(&params.terminal_id) {
        Ok(terminal) => answer.later(async move {
            let exit = terminal.ended().await;
            let mut response = WaitForTerminalExitResponse::new();
            (response.exit_code, response.signal) = (exit.exit_code, exit.signal);
            Ok(response)
        }),
        Err(error) => answer.send(Err(error)),
    }
}

/// `terminal/kill`: answered when the command and all it started is gone; the id stays (TERM-09).
pub(crate) fn kill(
    live: &Live,
    params: &KillTerminalRequest,
    answer: Responder<TerminalKill>,
) -> Work {
    match live.terminals.open(&params.terminal_id) {
        Ok(terminal) => {
            terminal.kill();
            answer.later(async move {
                terminal.ended().await;
                Ok(KillTerminalResponse::new())
            })
        }
        Err(error) => answer.send(Err(error)),
    }
}

/// `terminal/release`: the id is invalid at once; answered when the command and all it started is
/// gone (TERM-11).
pub(crate) fn release(
    live: &Live,
    params: &ReleaseTerminalRequest,
    answer: Responder<TerminalRelease>,
) -> Work {
    let found = live.terminals.open(&params.terminal_id);
    match found {
        Ok(terminal) => {
            terminal.kill();
            let mut table = live.terminals.table();
            table.open.remove(&params.terminal_id);
            table.show(params.terminal_id.clone(), terminal.clone());
            drop(table);
            answer.later(async move {
                terminal.ended().await;
                Ok(ReleaseTerminalResponse::new())
            })
        }
        Err(error) => answer.send(Err(error)),
    }
}
