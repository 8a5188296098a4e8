//! The terminals of one session.

use crate::terminals::editor_terminals::EditorTerminal;
use crate::terminals::terminal::Terminal;
use crate::terminals::terminal_meta;
use attache_host::Command;
use attache_policy::Folders;
use attache_protocol::Error;
use attache_protocol::v1::{TerminalId, TerminalOutputResponse};
use attache_session::EventBody;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// The largest number of open terminals of one session, with those that are being started.
const OPEN: usize = 64;

/// The number of terminals of one session that are kept for display: released ones (TERM-12), and
/// the agent's own.
const SHOWN: usize = 32;

/// How many bytes of output are kept if the agent sets no limit.
pub(crate) const UNLIMITED: usize = 1 << 20;

/// How many bytes of output are kept at most, whatever limit the agent sets.
pub(crate) const MOST: u64 = 4 << 20;

/// The number of the next terminal. No two sessions share an id, so a session cannot reach the
/// terminals of another one (TERM-15).
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The terminals of one session. Dropping this value kills all running commands, as
/// [`Terminals::end`] does.
#[derive(Default)]
pub(crate) struct Terminals(Mutex<Table>);

#[derive(Default)]
struct Table {
    folders: Option<Arc<Folders>>,
    open: HashMap<TerminalId, Arc<Terminal>>,
    /// How many terminals are being started.
    starting: usize,
    shown: VecDeque<(TerminalId, Arc<Terminal>)>,
    /// One task for each running command. The task owns its command, which dies with it.
    tasks: JoinSet<()>,
    over: bool,
}

impl Terminals {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the folders of the session.
    pub(crate) fn set_up(&self, folders: Arc<Folders>) {
        let mut table = self.table();
        table.folders = Some(folders);
        table.over = false;
    }

    /// Ends the session: kills running commands, answers waiters, and refuses to start further
    /// commands. Terminals that are kept for display stay.
    pub(crate) fn end(&self) {
        let mut table = self.table();
        table.over = true;
        table.tasks.abort_all();
        let open = std::mem::take(&mut table.open);
        for (id, terminal) in open {
            terminal.leave_editor();
            table.show(id, terminal);
        }
    }

    /// The output of a terminal: an open one, a released one, or one that the agent runs itself.
    pub(crate) fn output(&self, id: &TerminalId) -> Option<TerminalOutputResponse> {
        let table = self.table();
        let shown =
            || table.shown.iter().find(|(shown, _)| shown == id).map(|(_, terminal)| terminal);
        table.open.get(id).or_else(shown).map(|terminal| terminal.output())
    }

    /// Applies the events of terminals that the agent runs itself and reports in its tool calls.
    pub(crate) fn update_from(&self, body: &EventBody) {
        let meta = match body {
            EventBody::ToolCall(call) => call.meta.as_ref(),
            EventBody::ToolCallUpdate(patch) => patch.meta.set(),
            _ => None,
        };
        let Some(meta) = meta else { return };
        for (id, event) in terminal_meta::events(meta) {
            let mut table = self.table();
            // A terminal of this client does not become one of the agent.
            if !table.open.contains_key(&id) {
                table.shown(&id).apply(&event);
            }
        }
    }

    /// The session's folders; `None` while the session is not set up.
    pub(crate) fn folders(&self) -> Option<Arc<Folders>> {
        self.table().folders.clone()
    }

    /// Makes the id of an open terminal invalid and keeps its output for display.
    pub(crate) fn release(&self, id: TerminalId, terminal: Arc<Terminal>) {
        let mut table = self.table();
        table.open.remove(&id);
        table.show(id, terminal);
    }

    pub(crate) fn open(&self, id: &TerminalId) -> Result<Arc<Terminal>, Error> {
        self.table().open.get(id).cloned().ok_or_else(|| {
            Error::invalid_params(format!(
                "this session has no terminal \"{id}\": it was released, or never created"
            ))
        })
    }

    /// The id of the next terminal.
    pub(crate) fn next_id() -> TerminalId {
        TerminalId::from(format!("terminal-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Takes the place of a terminal before its command is judged and started, so that no more
    /// commands begin than terminals can be open.
    ///
    /// # Errors
    /// Returns an error if the session is over or has too many terminals.
    pub(crate) fn place(&self) -> Result<Place<'_>, Error> {
        let mut table = self.table();
        table.check_not_over()?;
        if table.open.len() + table.starting >= OPEN {
            return Err(Error::invalid_request(format!(
                "{OPEN} terminals are open or being started: release some first"
            )));
        }
        table.starting += 1;
        Ok(Place(self))
    }
}

/// The place of a terminal that is being started. Dropping it makes the place free.
pub(crate) struct Place<'t>(&'t Terminals);

impl Place<'_> {
    /// Adds a running command. If the session is over, the command is dropped and killed.
    pub(crate) fn add(self, command: Command, limit: usize) -> Result<TerminalId, Error> {
        let terminal = Arc::new(Terminal::new(limit));
        self.add_terminal(Terminals::next_id(), terminal.clone(), terminal.run(command))
    }

    /// Adds a terminal of an editor, in which a command runs. If the session is over, the editor's
    /// terminal is dropped.
    pub(crate) fn add_in_editor(
        self,
        id: TerminalId,
        editor: Arc<dyn EditorTerminal>,
        limit: usize,
    ) -> Result<TerminalId, Error> {
        let terminal = Arc::new(Terminal::in_editor(editor, limit));
        self.add_terminal(id, terminal.clone(), terminal.follow_editor())
    }

    fn add_terminal(
        self,
        id: TerminalId,
        terminal: Arc<Terminal>,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<TerminalId, Error> {
        let mut table = self.0.table();
        table.check_not_over()?;
        while table.tasks.try_join_next().is_some() {}
        table.tasks.spawn(task);
        table.open.insert(id.clone(), terminal);
        Ok(id)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut table = self.0.table();
        table.starting = table.starting.saturating_sub(1);
    }
}

impl Table {
    fn check_not_over(&self) -> Result<(), Error> {
        match self.over {
            true => Err(Error::invalid_request("the session is over: open it again")),
            false => Ok(()),
        }
    }

    fn show(&mut self, id: TerminalId, terminal: Arc<Terminal>) {
        terminal.shrink();
        // The agent may have reported output under the id before this client made the terminal.
        self.shown.retain(|(shown, _)| *shown != id);
        if self.shown.len() >= SHOWN {
            self.shown.pop_front();
        }
        self.shown.push_back((id, terminal));
    }

    /// Returns the terminal with this id that is kept for display. An unknown id gets a new
    /// terminal of the agent.
    fn shown(&mut self, id: &TerminalId) -> Arc<Terminal> {
        if let Some((_, terminal)) = self.shown.iter().find(|(shown, _)| shown == id) {
            return terminal.clone();
        }
        let terminal = Arc::new(Terminal::of_agent(UNLIMITED));
        self.show(id.clone(), terminal.clone());
        terminal
    }
}
