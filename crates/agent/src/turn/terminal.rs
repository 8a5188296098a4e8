//! Commands that the client runs for the agent.

use crate::session::terminal_releaser::TerminalReleaser;
use crate::{Result, Turn};
use attache_protocol::Secret;
use attache_protocol::method::{TerminalCreate, TerminalKill, TerminalOutput, TerminalWaitForExit};
use attache_protocol::v1::{
    CreateTerminalRequest, EnvVariable, KillTerminalRequest, SessionId, TerminalExitStatus,
    TerminalId, TerminalOutputRequest, TerminalOutputResponse, ToolCallContent,
    WaitForTerminalExitRequest,
};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A command to start in a terminal of the client.
#[derive(Debug)]
#[must_use = "nothing runs before the terminal is created"]
pub struct NewTerminal {
    turn: Turn,
    request: CreateTerminalRequest,
}

impl Turn {
    /// Returns whether the client can run commands for the agent.
    // TERM-01.
    pub fn client_has_terminals(&self) -> bool {
        self.client().terminal
    }

    /// Prepares a terminal of the client that runs this program. Configure it with the functions of
    /// [`NewTerminal`].
    pub fn terminal(&self, program: impl Into<String>) -> NewTerminal {
        let request = CreateTerminalRequest::new(self.session_id().clone(), program);
        NewTerminal { turn: self.clone(), request }
    }
}

impl NewTerminal {
    /// Adds an argument, which is passed unchanged.
    // TERM-04.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.request.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.request.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable. The value may be secret.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<Secret>) -> Self {
        self.request.env.push(EnvVariable::new(name, value));
        self
    }

    /// Sets the working directory, an absolute path. The default is the working directory of the
    /// session.
    pub fn cwd(mut self, cwd: impl AsRef<Path>) -> Self {
        self.request.cwd = Some(cwd.as_ref().to_string_lossy().into_owned());
        self
    }

    /// Sets how many bytes of output the client keeps; the oldest are removed first.
    // TERM-05.
    pub fn output_limit(mut self, bytes: u64) -> Self {
        self.request.output_byte_limit = Some(bytes);
        self
    }

    /// Starts the command.
    ///
    /// # Errors
    /// Returns [`Error::Client`](crate::Error::Client) if the client has no terminals or cannot
    /// start the command; [`Error::Invalid`](crate::Error::Invalid) if the working directory is not
    /// absolute or is outside of the session's roots; or
    /// [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Over`](crate::Error::Over) or
    /// [`Error::Disconnected`](crate::Error::Disconnected). If the client creates the terminal
    /// after one of these errors, the kit releases the terminal.
    pub async fn create(self) -> Result<Terminal> {
        let Self { turn, mut request } = self;
        let cwd = request.cwd.take().map_or_else(|| turn.cwd().to_owned(), Into::into);
        request.cwd = Some(crate::turn::files::within_roots(&cwd, turn.roots())?);
        turn.ready().await?;
        let session = turn.open_session();
        let releaser = session.state().terminals.clone();
        let mut creating = Creating { releaser: releaser.clone(), claim: Arc::default() };
        let claim = Arc::clone(&creating.claim);
        let fold = move |outcome: &std::result::Result<_, _>| {
            if let Ok(attache_protocol::v1::CreateTerminalResponse { terminal_id, .. }) = outcome {
                claim.created(terminal_id, &releaser);
            }
        };
        let reply = session.in_turn(turn.accepted(), |_| {
            session.peer.call_with_callback::<TerminalCreate>(&request, fold)
        })?;
        turn.unless_cancelled(reply).await??;
        let registered = session.in_turn(turn.accepted(), |state| {
            let id = creating.take()?;
            state.turn()?.open_terminals.push(id.clone());
            Some(id)
        })?;
        let id = registered.ok_or(crate::Error::Over)?;
        Ok(Terminal { turn: turn.clone(), id })
    }
}

/// A command in a terminal of the client, running or ended. It is released exactly once: by
/// [`release`](Terminal::release), when it is dropped, or at the end of its turn. To keep its
/// output visible, add the terminal to a tool call before it is released.
// TERM-10, TOOL-13.
#[derive(Debug)]
#[must_use = "a terminal that is dropped is released, which ends its command"]
pub struct Terminal {
    turn: Turn,
    id: TerminalId,
}

impl Terminal {
    /// Returns its id, which the client chose.
    pub fn id(&self) -> &TerminalId {
        &self.id
    }

    /// Returns content that shows the terminal live in a tool call, for
    /// [`ToolCallHandle::content`](crate::ToolCallHandle::content).
    pub fn content(&self) -> ToolCallContent {
        ToolCallContent::Terminal(attache_protocol::v1::Terminal::new(self.id.clone()))
    }

    /// Returns the output so far, and how the command ended if it did. Does not wait for more.
    ///
    /// # Errors
    /// Returns [`Error::Client`](crate::Error::Client) if the client refuses, or the same errors as
    /// [`Turn::say`].
    // TERM-06.
    pub async fn output(&self) -> Result<TerminalOutputResponse> {
        let request = TerminalOutputRequest::new(self.session_id().clone(), self.id.clone());
        self.turn.call::<TerminalOutput>(&request).await
    }

    /// Waits until the command ends. If exit code and signal are both absent, it is unknown how it
    /// ended; do not treat that as success.
    ///
    /// # Errors
    /// Returns the same errors as [`Terminal::output`].
    // TERM-16, DEC-15.
    pub async fn wait(&self) -> Result<TerminalExitStatus> {
        let request = WaitForTerminalExitRequest::new(self.session_id().clone(), self.id.clone());
        let exit = self.turn.call::<TerminalWaitForExit>(&request).await?;
        let mut status = TerminalExitStatus::new();
        (status.exit_code, status.signal) = (exit.exit_code, exit.signal);
        Ok(status)
    }

    /// Stops the command. Its output can still be read.
    ///
    /// # Errors
    /// Returns the same errors as [`Terminal::output`].
    // TERM-09.
    pub async fn kill(&self) -> Result<()> {
        let request = KillTerminalRequest::new(self.session_id().clone(), self.id.clone());
        self.turn.call::<TerminalKill>(&request).await.map(drop)
    }

    /// Ends the command if it runs, and frees the terminal. The call has been sent when this
    /// function returns. Dropping the terminal does the same.
    // TERM-11.
    pub fn release(self) {
        drop(self);
    }

    fn session_id(&self) -> &SessionId {
        self.turn.session_id()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let id = self.id.clone();
        // If the turn is over, its end released the terminal.
        self.turn.open_session().defer_in_turn(self.turn.accepted(), move |state| {
            let open = state.turn().map(|turn| &mut turn.open_terminals);
            if let Some(open) = open
                && let Some(index) = open.iter().position(|open| *open == id)
            {
                open.swap_remove(index);
                state.terminals.release(&id);
            }
        });
    }
}

/// The owner of a terminal that is being created.
#[derive(Default)]
struct Claim(Mutex<Claimed>);

#[derive(Default)]
enum Claimed {
    #[default]
    Awaited,
    Created(TerminalId),
    /// The future of [`NewTerminal::create`] was dropped.
    Abandoned,
}

impl Claim {
    fn lock(&self) -> MutexGuard<'_, Claimed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn created(&self, id: &TerminalId, releaser: &TerminalReleaser) {
        let mut claimed = self.lock();
        match *claimed {
            Claimed::Abandoned => releaser.release(id),
            Claimed::Awaited | Claimed::Created(_) => *claimed = Claimed::Created(id.clone()),
        }
    }
}

/// Waits for a terminal. One that is not taken is released, even if the client creates it later.
struct Creating {
    releaser: TerminalReleaser,
    claim: Arc<Claim>,
}

impl Creating {
    fn take(&mut self) -> Option<TerminalId> {
        match std::mem::replace(&mut *self.claim.lock(), Claimed::Abandoned) {
            Claimed::Created(id) => Some(id),
            Claimed::Awaited | Claimed::Abandoned => None,
        }
    }
}

impl Drop for Creating {
    fn drop(&mut self) {
        if let Some(id) = self.take() {
            self.releaser.release(&id);
        }
    }
}
