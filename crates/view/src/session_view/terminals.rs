//! The terminals that rows show.

use crate::row::tool_call_row::Output;
use crate::row::{Row, RowContent};
use crate::sanitize;
use crate::span::{Line, Role};
use crate::terminal::{DEFAULT_ROWS, TerminalScreen};
use crate::tool_call::effect::visible;
use crate::tool_call::output::TerminalOutput;
use crate::tool_call::tail::Tail;
use attache_protocol::v1::{TerminalId, TerminalOutputResponse};
use attache_protocol::v2::TerminalExitStatus;
use attache_session::{AgentTerminal, Session, ToolCall, ToolCallContent};
use std::collections::{BTreeSet, HashMap};

/// Returns the output of a client's terminal, such as [`attache_client::HubSession::terminal`].
pub type TerminalSource<'t> = &'t dyn Fn(&TerminalId) -> Option<TerminalOutputResponse>;

/// The number of terminals of one tool call that are shown.
const PER_CALL: usize = 16;

/// The terminals that rows show.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    /// Those whose commands run.
    known: HashMap<String, Known>,
    /// The others, which may change nevertheless: an agent may send output after the end of the
    /// command, and announce a terminal after the tool call that shows it.
    settled: HashMap<String, Settled>,
}

/// A terminal without a screen.
#[derive(Debug)]
struct Settled {
    /// The state that the rows show; `None` if the session does not have the terminal.
    state: Option<AgentState>,
    rows: BTreeSet<usize>,
}

/// What distinguishes the states of an agent's terminal.
#[derive(Debug, Clone, PartialEq)]
struct AgentState {
    replaced: u64,
    /// The length of the output in bytes, with the bytes that were dropped.
    len: usize,
    command: Option<String>,
    exit_status: Option<TerminalExitStatus>,
}

impl AgentState {
    fn of(terminal: &AgentTerminal) -> Self {
        Self {
            replaced: terminal.replaced(),
            len: terminal.output_len(),
            command: terminal.command.clone(),
            exit_status: terminal.exit_status.clone(),
        }
    }
}

/// A terminal that rows show.
#[derive(Debug)]
struct Known {
    screen: TerminalScreen,
    source: Source,
    output: TerminalOutput,
    has_ended: bool,
    /// Whether the tool call that shows it goes on, so that the terminal may still appear.
    is_awaited: bool,
    rows: BTreeSet<usize>,
}

/// Where the output comes from, and how much of it is on the screen.
#[derive(Debug)]
enum Source {
    /// A terminal of the agent, in this state.
    Agent(AgentState),
    /// A terminal of the client: the end of the output.
    Client(String),
    /// The session no longer has the terminal.
    Gone,
}

impl Terminals {
    /// Whether the client must be asked for more output.
    pub(super) fn has_open(&self) -> bool {
        let is_agent = |known: &Known| matches!(known.source, Source::Agent(_));
        self.known.values().any(|known| !known.is_over() && !is_agent(known))
    }

    /// Reads new output. Returns the rows that show it.
    pub(super) fn refresh(
        &mut self,
        session: &Session,
        client: TerminalSource<'_>,
        is_agent_changed: bool,
    ) -> BTreeSet<usize> {
        let mut rows = BTreeSet::new();
        for (id, known) in &mut self.known {
            let is_agent = matches!(known.source, Source::Agent(_));
            if (is_agent_changed || !is_agent) && known.read(id, session, client) {
                rows.extend(&known.rows);
            }
        }
        if is_agent_changed {
            for terminal in session.terminals() {
                if let Some(settled) = self.settled.get(terminal.terminal_id.as_str())
                    && settled.state != Some(AgentState::of(terminal))
                {
                    rows.extend(&settled.rows);
                }
            }
        }
        rows
    }

    /// Finds the terminals of a tool call, which the row with this index shows. If a terminal is no
    /// longer known, the row goes on to show what it showed.
    pub(super) fn show<R: AsRef<Row>>(
        &mut self,
        (row, is_running): (usize, bool),
        call: &ToolCall,
        earlier: Option<R>,
        session: &Session,
        client: TerminalSource<'_>,
    ) {
        for id in terminal_ids(call) {
            let known = self.known.entry(id.to_owned()).or_insert_with(|| {
                let mut known = Known::new(id, session);
                known.read(id, session, client);
                known
            });
            if let Some(settled) = self.settled.remove(id) {
                known.rows.extend(settled.rows);
            }
            known.rows.insert(row);
            known.is_awaited = is_running && !call.is_settled();
            if matches!(known.source, Source::Gone)
                && let Some(output) = earlier.as_ref().and_then(|row| shown(row.as_ref(), id))
            {
                known.output = output;
            }
        }
    }

    pub(super) fn output(&self, id: &str) -> Option<TerminalOutput> {
        self.known.get(id).map(|known| known.output.clone())
    }

    /// Forgets the screens of the terminals whose output is complete. Their rows have it.
    pub(super) fn drop_ended(&mut self) {
        for (id, known) in self.known.extract_if(|_, known| known.is_over()) {
            let state = match known.source {
                Source::Agent(state) => Some(state),
                Source::Client(_) | Source::Gone => None,
            };
            self.settled.insert(id, Settled { state, rows: known.rows });
        }
    }
}

fn terminal_ids(call: &ToolCall) -> impl Iterator<Item = &str> {
    let ids = call.content.iter().rev().filter_map(|part| match part {
        ToolCallContent::Terminal(terminal) => Some(terminal.terminal_id.as_str()),
        _ => None,
    });
    ids.take(PER_CALL)
}

/// Returns the whole output of a terminal that is in memory.
pub(super) fn whole(
    id: &str,
    session: &Session,
    client: TerminalSource<'_>,
) -> Option<TerminalOutput> {
    let mut known = Known::new(id, session);
    known.screen = TerminalScreen::new(usize::MAX, DEFAULT_ROWS);
    known.read(id, session, client);
    (!matches!(known.source, Source::Gone)).then_some(known.output)
}

/// Returns what a row shows of a terminal.
pub(super) fn shown(row: &Row, id: &str) -> Option<TerminalOutput> {
    let RowContent::ToolCall(call) = &row.content else { return None };
    let id = crate::id::shown(id);
    call.outputs.iter().find_map(|output| match output {
        Output::Terminal { id: shown, command, lines, omitted, ended } if *shown == id => {
            Some(TerminalOutput {
                command: command.clone(),
                lines: lines.clone(),
                omitted: *omitted,
                ended: ended.clone(),
            })
        }
        _ => None,
    })
}

impl Known {
    fn new(id: &str, session: &Session) -> Self {
        let rows = agent_terminal(session, id).and_then(|terminal| terminal.size.as_ref());
        let rows = rows.map_or(DEFAULT_ROWS, |size| size.rows as usize);
        Self {
            screen: TerminalScreen::new(Tail::LINES, rows),
            source: Source::Gone,
            output: TerminalOutput::default(),
            has_ended: false,
            is_awaited: false,
            rows: BTreeSet::new(),
        }
    }

    /// Whether no more output can come.
    fn is_over(&self) -> bool {
        self.has_ended || matches!(self.source, Source::Gone) && !self.is_awaited
    }

    /// Reads the new output. Returns whether the terminal changed.
    fn read(&mut self, id: &str, session: &Session, client: TerminalSource<'_>) -> bool {
        if let Some(terminal) = agent_terminal(session, id) {
            return self.read_agent(terminal);
        }
        match client(&TerminalId::from(id)) {
            Some(output) => self.read_client(output),
            None => !matches!(std::mem::replace(&mut self.source, Source::Gone), Source::Gone),
        }
    }

    fn read_agent(&mut self, terminal: &AgentTerminal) -> bool {
        let state = AgentState::of(terminal);
        let taken = match &self.source {
            Source::Agent(shown) if *shown == state => return false,
            Source::Agent(shown) if shown.replaced == state.replaced => shown.len,
            _ => {
                self.clear();
                0
            }
        };
        if taken < state.len {
            let new = taken.saturating_sub(terminal.dropped());
            let is_cut = taken < terminal.dropped();
            self.push(terminal.output().get(new..).unwrap_or_default(), is_cut);
        }
        self.source = Source::Agent(state);
        let command = terminal.command.as_deref().unwrap_or_default();
        let ended = terminal.exit_status.as_ref();
        self.show(command, ended.map(|exit| (exit.exit_code, exit.signal.as_deref())))
    }

    fn read_client(&mut self, output: TerminalOutputResponse) -> bool {
        let exit = output.exit_status;
        let text = output.output;
        let seen = match &self.source {
            Source::Client(seen) => text.strip_prefix(seen.as_str()).map(|_| seen.len()),
            _ => None,
        };
        match seen {
            Some(seen) => self.push(text.as_bytes().get(seen..).unwrap_or_default(), false),
            None => {
                self.clear();
                self.push(text.as_bytes(), output.truncated);
            }
        }
        self.source = Source::Client(text);
        self.show(
            "",
            exit.as_ref().map(|exit| (exit.exit_code.map(i64::from), exit.signal.as_deref())),
        )
    }

    fn clear(&mut self) {
        self.screen.clear();
    }

    /// Writes output to the screen. If output before it is missing, the first line is too.
    fn push(&mut self, bytes: &[u8], is_cut: bool) {
        let start = match is_cut {
            true => bytes.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1),
            false => 0,
        };
        if is_cut {
            self.screen.omit();
        }
        self.screen.push(bytes.get(start..).unwrap_or_default());
    }

    /// Updates what rows show. Returns whether it changed.
    fn show(&mut self, command: &str, ended: Option<(Option<i64>, Option<&str>)>) -> bool {
        let command = visible(command).replace('\n', " ");
        let output = TerminalOutput {
            command: match command.is_empty() {
                true => Line::default(),
                false => Line::of(command, Role::Code),
            },
            lines: self.screen.lines(),
            omitted: self.screen.omitted(),
            ended: ended.map(|(code, signal)| self::ended(code, signal)).unwrap_or_default(),
        };
        let has_changed = output != self.output || self.has_ended != ended.is_some();
        (self.output, self.has_ended) = (output, ended.is_some());
        has_changed
    }
}

fn agent_terminal<'s>(session: &'s Session, id: &str) -> Option<&'s AgentTerminal> {
    let terminals = session.terminals().iter();
    terminals.map(|terminal| &**terminal).find(|terminal| terminal.terminal_id.as_str() == id)
}

/// Returns how a command ended, in a few words.
pub(crate) fn ended(code: Option<i64>, signal: Option<&str>) -> Line {
    match (code, signal) {
        (Some(0), _) => Line::of("exit code 0", Role::Success),
        (Some(code), _) => Line::of(format!("exit code {code}"), Role::Error),
        (None, Some(signal)) => {
            Line::of(format!("ended by {}", sanitize::visible_line(signal)), Role::Error)
        }
        (None, None) => Line::of("ended", Role::Muted),
    }
}
