//! Serving the `terminal/*` methods (TERM-01 to TERM-17): commands that run for the agent, in the
//! terminals of the editor that created the session, or else here.

use crate::permission::PermissionRequest;
use crate::session::live_session::LiveSession;
use crate::session::live_session::asking::Permitted;
use crate::terminals::terminal_command::{PrepareLaunch, TerminalCommand};
use crate::terminals::terminal_table::{MOST, Terminals, UNLIMITED};
use attache_connection::{Responder, Work};
use attache_protocol::Error;
use attache_protocol::method::{
    TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use attache_protocol::v1::{
    CreateTerminalRequest, CreateTerminalResponse, KillTerminalRequest, KillTerminalResponse,
    ReleaseTerminalRequest, ReleaseTerminalResponse, TerminalOutputRequest,
    WaitForTerminalExitRequest, WaitForTerminalExitResponse,
};
use std::sync::Arc;

/// `terminal/create`: answered once the command runs (TERM-03), or refused if the session's rules
/// or the person do not allow the command. `prepare` prepares the launch of a command that runs
/// here.
pub(crate) fn create(
    live: Arc<LiveSession>,
    params: CreateTerminalRequest,
    prepare: Option<PrepareLaunch>,
    answer: Responder<TerminalCreate>,
) -> Work {
    answer.later(async move {
        let limit = params
            .output_byte_limit
            .map_or(UNLIMITED, |limit| usize::try_from(limit.min(MOST)).unwrap_or(UNLIMITED));
        let Some(folders) = live.terminals.folders() else {
            return Err(Error::invalid_request("the session is not set up yet: wait for it"));
        };
        let place = live.terminals.place()?;
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
        if let Some(editor) = live.fold.editor_terminals() {
            let id = Terminals::next_id();
            let request = command.request(live.id.clone(), limit);
            let creating = request.and_then(|request| editor.create(id.clone(), request));
            if let Some(creating) = creating {
                // A command that the editor may have begun is not begun again here.
                let added = place.add_in_editor(id, creating.await?, limit);
                return added.map(CreateTerminalResponse::new);
            }
        }
        let launch = match prepare {
            Some(prepare) => prepare(command.launch()),
            None => command.launch(),
        };
        let started = off(move || launch.run()).await?;
        let started = started.map_err(|error| Error::invalid_params(error.to_string()))?; // TERM-17
        place.add(started, limit).map(CreateTerminalResponse::new)
    })
}

/// Whether a command may run: a permission request from the agent approved it, or the session's
/// permissions allow it.
async fn permits(
    live: &LiveSession,
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

/// Runs `work` on a thread that may block.
async fn off<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::internal("the command could not be started: this program is ending"))
}

/// `terminal/output`: answered with the output so far (TERM-06), at once for commands that run
/// here.
pub(crate) fn output(
    live: &LiveSession,
    params: &TerminalOutputRequest,
    answer: Responder<TerminalOutput>,
) -> Work {
    match live.terminals.open(&params.terminal_id) {
        Ok(terminal) if terminal.is_in_editor() => {
            answer.later(async move { terminal.output_now().await })
        }
        terminal => answer.send(terminal.map(|terminal| terminal.output())),
    }
}

/// `terminal/wait_for_exit`: every waiter is answered when the command ends (TERM-07), for any
/// reason (TERM-14).
pub(crate) fn wait_for_exit(
    live: &LiveSession,
    params: &WaitForTerminalExitRequest,
    answer: Responder<TerminalWaitForExit>,
) -> Work {
    match live.terminals.open(&params.terminal_id) {
        Ok(terminal) => answer.later(async move {
            let exit = terminal.ended().await?;
            let mut response = WaitForTerminalExitResponse::new();
            (response.exit_code, response.signal) = (exit.exit_code, exit.signal);
            Ok(response)
        }),
        Err(error) => answer.send(Err(error)),
    }
}

/// `terminal/kill`: answered when the command and everything it started are gone; the id stays
/// valid (TERM-09).
pub(crate) fn kill(
    live: &LiveSession,
    params: &KillTerminalRequest,
    answer: Responder<TerminalKill>,
) -> Work {
    match live.terminals.open(&params.terminal_id) {
        Ok(terminal) => {
            let killing = terminal.kill();
            answer.later(async move {
                killing.await?;
                Ok(KillTerminalResponse::new())
            })
        }
        Err(error) => answer.send(Err(error)),
    }
}

/// `terminal/release`: the id is invalid at once; answered when the command and everything it
/// started are gone (TERM-11).
pub(crate) fn release(
    live: &LiveSession,
    params: &ReleaseTerminalRequest,
    answer: Responder<TerminalRelease>,
) -> Work {
    let found = live.terminals.open(&params.terminal_id);
    match found {
        Ok(terminal) => {
            let releasing = terminal.clone().release();
            live.terminals.release(params.terminal_id.clone(), terminal);
            answer.later(async move {
                releasing.await?;
                Ok(ReleaseTerminalResponse::new())
            })
        }
        Err(error) => answer.send(Err(error)),
    }
}
