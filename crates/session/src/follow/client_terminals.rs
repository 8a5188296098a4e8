//! Terminals that the agent's client runs, which the clients that follow a session cannot know.

use crate::terminal::BASE64;
use crate::terminal::shown_text::{end, shown_text};
use crate::{AgentTerminal, EventBody};
use attache_protocol::Patch;
use attache_protocol::v1::{ContentBlock, TerminalId, TerminalOutputResponse};
use attache_protocol::v2::{TerminalExitStatus, TerminalOutput, TerminalUpdate};
use base64::Engine as _;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};

/// What stands in place of a terminal that nobody knows any more.
const GONE: &str = "The output of this terminal is no longer available";

/// A terminal that the agent's client runs, for a client that follows the session.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowedTerminal {
    /// The client that follows runs it itself, and knows it by this id.
    Own(TerminalId),
    /// Another program runs it, with this output so far.
    Output(TerminalOutputResponse),
}

type LookUp = Box<dyn Fn(&TerminalId) -> Option<FollowedTerminal> + Send + Sync>;

/// The terminals of the agent's client, and what one client that follows was sent of them.
#[derive(Default)]
pub(super) struct ClientTerminals {
    look_up: Option<LookUp>,
    sent: BTreeMap<TerminalId, Sent>,
}

/// What a client was sent of a terminal.
#[derive(Debug, Default)]
struct Sent {
    /// The entries that show the terminal.
    entries: BTreeSet<usize>,
    /// `None` if nothing was sent.
    output: Option<SentOutput>,
    /// Whether nobody knows the terminal any more. The client keeps what it has.
    is_gone: bool,
}

/// The output that a client was sent. It is compared without being kept.
#[derive(Debug, Clone, PartialEq)]
struct SentOutput {
    len: usize,
    hash: u64,
    exit: Option<TerminalExitStatus>,
}

impl ClientTerminals {
    pub(super) fn look_up_with(&mut self, look_up: LookUp) {
        self.look_up = Some(look_up);
    }

    /// Whether a terminal that the client was sent still runs.
    pub(super) fn is_running(&self) -> bool {
        self.sent.values().any(Sent::is_running)
    }

    /// Forgets what the client was sent.
    pub(super) fn forget(&mut self) {
        self.sent.clear();
    }

    /// What a client of version 1 gets in place of a terminal. `None` if terminals are not looked
    /// up. Notes that the entry with this index shows the terminal.
    pub(super) fn shown(&mut self, id: &TerminalId, entry: usize) -> Option<Shown> {
        let found = self.look_up.as_ref()?(id);
        Some(match found {
            Some(FollowedTerminal::Own(own)) => Shown::Own(own),
            Some(FollowedTerminal::Output(output)) => {
                let sent = self.sent.entry(id.clone()).or_default();
                sent.entries.insert(entry);
                sent.output = Some(SentOutput::of(&output));
                Shown::Text(shown_text(&output.output, output.truncated))
            }
            None => match self.sent.get(id).is_some_and(|sent| sent.entries.contains(&entry)) {
                true => Shown::Before(ContentBlock::text(GONE)),
                false => Shown::Text(ContentBlock::text(GONE)),
            },
        })
    }

    /// Returns the entries of terminals whose output changed since a client of version 1 got it.
    pub(super) fn changed(&mut self) -> BTreeSet<usize> {
        let mut changed = BTreeSet::new();
        self.compare(|_, sent, _, _| changed.extend(&sent.entries));
        changed
    }

    /// Notes that an entry shows this terminal to a client of version 2.
    pub(super) fn show(&mut self, id: &TerminalId, entry: usize) {
        let Some(look_up) = &self.look_up else { return };
        let is_known = self.sent.contains_key(id);
        if is_known || matches!(look_up(id), Some(FollowedTerminal::Output(_))) {
            self.sent.entry(id.clone()).or_default().entries.insert(entry);
        }
    }

    /// Adds the updates of version 2 for output that a client was not sent. Output that was only
    /// appended is sent alone.
    pub(super) fn updates(&mut self, bodies: &mut Vec<EventBody>) {
        self.compare(|id, sent, now, text| {
            update(id, sent.output.as_ref(), &now, text, bodies);
            sent.output = Some(now);
        });
    }

    /// Passes the terminals whose output differs from what was sent, with that output. Those that
    /// ended are complete.
    fn compare(&mut self, mut differs: impl FnMut(&TerminalId, &mut Sent, SentOutput, &str)) {
        let Some(look_up) = &self.look_up else { return };
        for (id, sent) in self.sent.iter_mut().filter(|(_, sent)| sent.is_running()) {
            match look_up(id) {
                Some(FollowedTerminal::Output(output)) => {
                    let now = SentOutput::of(&output);
                    if sent.output.as_ref() != Some(&now) {
                        differs(id, sent, now, &output.output);
                    }
                }
                Some(FollowedTerminal::Own(_)) | None => sent.is_gone = true,
            }
        }
    }
}

impl Sent {
    fn is_running(&self) -> bool {
        !self.is_gone && self.output.as_ref().is_none_or(|output| output.exit.is_none())
    }
}

impl fmt::Debug for ClientTerminals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTerminals").field("sent", &self.sent).finish_non_exhaustive()
    }
}

/// What a client of version 1 gets in place of a terminal.
pub(super) enum Shown {
    /// The client's own terminal.
    Own(TerminalId),
    Text(ContentBlock),
    /// What the client got before, or else this text.
    Before(ContentBlock),
}

impl SentOutput {
    fn of(output: &TerminalOutputResponse) -> Self {
        let exit = output.exit_status.as_ref().map(|ended| {
            let mut status = TerminalExitStatus::new();
            status.exit_code = ended.exit_code.map(i64::from);
            status.signal.clone_from(&ended.signal);
            status
        });
        Self { len: output.output.len(), hash: hash(output.output.as_bytes()), exit }
    }

    /// The part of a text that follows this output; `None` if the text does not begin with it.
    fn grown<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (known, grown) = text.split_at_checked(self.len)?;
        (hash(known.as_bytes()) == self.hash).then_some(grown)
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn update(
    id: &TerminalId,
    old: Option<&SentOutput>,
    new: &SentOutput,
    text: &str,
    bodies: &mut Vec<EventBody>,
) {
    let mut update = TerminalUpdate::new(id.clone());
    if old.and_then(|old| old.exit.as_ref()) != new.exit.as_ref() {
        update.exit_status = new.exit.clone().map_or(Patch::Keep, Patch::Set);
    }
    let grown = old.and_then(|old| old.grown(text));
    if grown.is_none() {
        let end = end(text, AgentTerminal::OUTPUT);
        update.output = Patch::Set(TerminalOutput::new(BASE64.encode(end)));
    }
    if let Some(grown) = grown.filter(|grown| !grown.is_empty()) {
        let data = BASE64.encode(end(grown, AgentTerminal::OUTPUT));
        bodies.push(EventBody::TerminalOutput { terminal_id: id.clone(), data });
    }
    if !update.output.is_keep() || !update.exit_status.is_keep() {
        bodies.push(EventBody::Terminal(Box::new(update)));
    }
}
