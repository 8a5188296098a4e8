//! A stored conversation, part by part, from its log.
//!
//! The log is read page by page and folded like any other log. Delivered parts are dropped, so that
//! a log of any length takes bounded memory.

use attache_protocol::Patch;
use attache_protocol::v1::{CompactionStatus, ContentBlock, Notice, SessionId, StopReason, Usage};
use attache_protocol::v2::StateUpdate;
use attache_session::{
    Compaction, EntryContent, Event, EventBody, MessageAuthor, MessageBetweenSessions, Origin,
    Parts, Permission, PermissionId, PlanContent, Session, SessionKey, Store, StoreError, Subagent,
    Timestamp, ToolCall, TurnOutcome, TurnState, UsageState,
};
use attache_view::sanitize;
use std::collections::{BTreeMap, BTreeSet};

/// The limit of the fold, in bytes: enough for the longest tool call that a person would read.
const MEMORY: usize = 8 << 20;

/// The maximum number of unfinished entries. Beyond it, the oldest entry is delivered as it is.
const UNFINISHED: usize = 1000;

/// One part of a conversation. Strings are as in the log; the output sanitizes them.
pub(crate) enum Part<'a> {
    /// A prompt and its number.
    Prompt { number: u64, at: Timestamp, content: &'a [ContentBlock] },
    /// A message starts, or continues after something else. Its pieces follow.
    Message(MessageAuthor),
    /// The next piece of a message.
    Piece { author: MessageAuthor, content: &'a ContentBlock },
    /// A settled tool call, or its state at the end of the turn, with the answer to its permission
    /// request.
    ToolCall { call: &'a ToolCall, cwd: &'a str, permission: Option<&'a Permission> },
    /// A plan at the end of the turn.
    Plan(&'a PlanContent),
    /// A notice.
    Notice(&'a Notice),
    /// The agent shortened its context.
    Compaction(&'a Compaction),
    /// A child session.
    Subagent(&'a Subagent),
    /// A message between sessions.
    Between(&'a MessageBetweenSessions),
    /// Content that is too large or of an unknown kind.
    LeftOut(&'a str),
    /// The session was forked from this one.
    ForkedFrom(&'a SessionId),
    /// A turn ended.
    TurnEnded { outcome: &'a TurnOutcome, usage: Option<&'a Usage>, state: &'a UsageState },
}

/// A receiver of the parts.
pub(crate) trait PartSink {
    type Error: From<StoreError>;

    /// Receives the next part.
    fn part(&mut self, part: Part<'_>) -> Result<(), Self::Error>;
}

/// Delivers a stored conversation.
///
/// # Errors
/// Returns an error if the log cannot be read, or if the receiver fails.
pub(crate) fn replay<T: PartSink>(
    store: &dyn Store,
    key: &SessionKey,
    sink: &mut T,
) -> Result<(), T::Error> {
    let mut replay = Replay::new(Session::new(key.session_id.clone()), sink);
    let mut after = 0;
    loop {
        let events = store.read(key, after)?;
        let Some(last) = events.last() else { break };
        after = last.sequence;
        for event in &events {
            replay.event(event)?;
        }
    }
    replay.rest()
}

struct Replay<'t, T> {
    session: Session,
    sink: &'t mut T,
    prompts: u64,
    /// The entry of the last delivered message, if nothing followed it.
    open: Option<usize>,
    /// The entries of this turn that are held back: unsettled tool calls and compactions, child
    /// sessions, and messages between sessions.
    unfinished: BTreeSet<usize>,
    /// Plans that changed in this turn, by their entry.
    plans: BTreeSet<usize>,
    /// Answers to permission requests of tool calls that are not delivered yet, by entry.
    permissions: BTreeMap<usize, Permission>,
}

impl<'t, T: PartSink> Replay<'t, T> {
    fn new(mut session: Session, sink: &'t mut T) -> Self {
        session.set_memory_limit(MEMORY);
        Self {
            session,
            sink,
            prompts: 0,
            open: None,
            unfinished: BTreeSet::new(),
            plans: BTreeSet::new(),
            permissions: BTreeMap::new(),
        }
    }

    fn event(&mut self, event: &Event) -> Result<(), T::Error> {
        let was_running = matches!(self.session.turn(), TurnState::Running { .. });
        let change = self.session.apply(event);
        match &event.body {
            EventBody::Opened { origin: Origin::Forked(from), .. } => {
                self.part(Part::ForkedFrom(from))
            }
            EventBody::Prompt { content } => {
                self.prompts += 1;
                self.part(Part::Prompt { number: self.prompts, at: event.at, content })
            }
            EventBody::Message { author, content, .. } => {
                if self.open != change.entry || change.entry.is_none() {
                    self.sink.part(Part::Message(*author))?;
                    self.open = change.entry;
                }
                self.sink.part(Part::Piece { author: *author, content })
            }
            // Content that replaces earlier content is shown as a message of its own.
            EventBody::WholeMessage { author, content: Patch::Set(content), .. }
                if change.entry.is_some() =>
            {
                self.sink.part(Part::Message(*author))?;
                self.open = change.entry;
                content.iter().try_for_each(|content| {
                    self.sink.part(Part::Piece { author: *author, content })
                })
            }
            EventBody::State(state) => self.agent_state(was_running, state),
            EventBody::Notice(notice) => self.part(Part::Notice(notice)),
            EventBody::Unknown { name, .. } => self.part(Part::LeftOut(name)),
            EventBody::PermissionSettled { id, .. } => {
                self.settled(*id);
                Ok(())
            }
            EventBody::TurnEnded { outcome, usage } => {
                self.finish()?;
                self.open = None;
                let state = self.session.usage();
                self.sink.part(Part::TurnEnded { outcome, usage: usage.as_ref(), state })
            }
            _ => match change.entry {
                Some(entry) => self.changed(event, entry, change.parts),
                None => Ok(()),
            },
        }
    }

    /// Delivers the end of a turn that an agent of version 2 reports.
    fn agent_state(&mut self, was_running: bool, state: &StateUpdate) -> Result<(), T::Error> {
        let StateUpdate::Idle(idle) = state else { return Ok(()) };
        if !was_running {
            return Ok(());
        }
        self.finish()?;
        self.open = None;
        // The agent may not say why it stopped.
        let Some(outcome) = self.session.last_outcome().cloned() else { return Ok(()) };
        let state = self.session.usage();
        self.sink.part(Part::TurnEnded { outcome: &outcome, usage: idle.usage.as_ref(), state })
    }

    /// Delivers the rest if the log ends inside a turn.
    fn rest(mut self) -> Result<(), T::Error> {
        self.finish()
    }

    fn part(&mut self, part: Part<'_>) -> Result<(), T::Error> {
        self.open = None;
        self.sink.part(part)
    }

    /// Handles an entry that starts or changes.
    fn changed(&mut self, event: &Event, entry: usize, parts: Parts) -> Result<(), T::Error> {
        if parts.contains(Parts::PLAN) {
            self.plans.insert(entry);
            return Ok(());
        }
        let began = self
            .session
            .entries()
            .get(entry)
            .is_some_and(|content| content.began_at == event.sequence);
        if began {
            self.unfinished.insert(entry);
        }
        if self.unfinished.contains(&entry) && self.is_settled(entry) {
            return self.entry(entry);
        }
        match self.unfinished.first() {
            Some(oldest) if self.unfinished.len() > UNFINISHED => self.entry(*oldest),
            _ => Ok(()),
        }
    }

    fn is_settled(&self, entry: usize) -> bool {
        match self.session.entries().get(entry).map(|entry| &entry.content) {
            Some(EntryContent::ToolCall(call)) => call.is_settled(),
            Some(EntryContent::Compaction(compaction)) => {
                compaction.status != CompactionStatus::InProgress
            }
            _ => false,
        }
    }

    /// Remembers an answer until its tool call is delivered.
    fn settled(&mut self, id: PermissionId) {
        let permission =
            self.session.permissions().iter().rev().find(|permission| permission.id == id);
        let Some(permission) = permission else { return };
        let Some(id) = permission.question.tool_call_id() else { return };
        let entries = self.session.entries();
        let about = |entry: &&usize| match entries.get(**entry).map(|entry| &entry.content) {
            Some(EntryContent::ToolCall(call)) => call.tool_call_id == *id,
            _ => false,
        };
        if let Some(entry) = self.unfinished.iter().find(about) {
            self.permissions.insert(*entry, (**permission).clone());
        }
    }

    /// Delivers everything that was held back, in order.
    fn finish(&mut self) -> Result<(), T::Error> {
        while let Some(entry) = self.unfinished.first().copied() {
            self.entry(entry)?;
        }
        while let Some(entry) = self.plans.pop_first() {
            let entry = self.session.entries().get(entry).cloned();
            if let Some(EntryContent::Plan { content: Some(plan), .. }) =
                entry.as_deref().map(|entry| &entry.content)
            {
                self.part(Part::Plan(plan))?;
            }
        }
        Ok(())
    }

    /// Delivers an entry that was held back.
    fn entry(&mut self, entry: usize) -> Result<(), T::Error> {
        self.unfinished.remove(&entry);
        let permission = self.permissions.remove(&entry);
        let Some(content) = self.session.entries().get(entry).cloned() else { return Ok(()) };
        match &content.content {
            EntryContent::ToolCall(call) => {
                let cwd = self.session.cwd().to_owned();
                self.part(Part::ToolCall { call, cwd: &cwd, permission: permission.as_ref() })
            }
            EntryContent::Compaction(compaction) => self.part(Part::Compaction(compaction)),
            EntryContent::BetweenSessions(message) => self.part(Part::Between(message)),
            EntryContent::Subagent(subagent) => self.part(Part::Subagent(subagent)),
            EntryContent::Dropped => self.part(Part::LeftOut("content too large to show")),
            _ => Ok(()),
        }
    }
}

/// Describes the end of a turn.
pub(crate) fn ended(outcome: &TurnOutcome) -> String {
    match outcome {
        TurnOutcome::Stopped(StopReason::EndTurn) => "done".to_owned(),
        TurnOutcome::Stopped(StopReason::MaxTokens) => {
            "stopped: the model's limit of tokens was reached".to_owned()
        }
        TurnOutcome::Stopped(StopReason::MaxTurnRequests) => {
            "stopped: the limit of model calls in one turn was reached".to_owned()
        }
        TurnOutcome::Stopped(StopReason::Refusal) => "refused".to_owned(),
        TurnOutcome::Stopped(StopReason::Cancelled) => "cancelled".to_owned(),
        TurnOutcome::Stopped(reason) => format!("stopped: {}", sanitize::line(reason.as_str())),
        TurnOutcome::Failed(error) => format!("failed: {}", sanitize::line(&error.message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::method::Side;
    use attache_protocol::v1::MessageId;
    use attache_protocol::v2::ToolCallStatus;
    use attache_session::{Commit, ListPage, ListQuery, Log, Summary, ToolCallPatch};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A log whose pages of events are generated when they are read.
    struct GeneratedLog<F> {
        event: F,
        pages: u64,
        /// The number of pages that were read.
        read: AtomicU64,
    }

    const PER_PAGE: u64 = 100;

    impl<F: Fn(u64) -> Option<EventBody> + Send + Sync + 'static> Store for GeneratedLog<F> {
        fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
            Err(StoreError::AlreadyExists(key.clone()))
        }
        fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
            Err(StoreError::InUse(key.clone()))
        }
        fn fork(
            &self,
            key: &SessionKey,
            _: Option<u64>,
            _: &SessionKey,
        ) -> Result<Box<dyn Log>, StoreError> {
            Err(StoreError::NotFound(key.clone()))
        }
        fn read(&self, _: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
            let page = self.read.fetch_add(1, Ordering::Relaxed);
            let numbers = if page < self.pages { after + 1..after + 1 + PER_PAGE } else { 0..0 };
            let event = |sequence| {
                Some(Event { sequence, at: Timestamp(0), body: (self.event)(sequence)? })
            };
            Ok(numbers.filter_map(event).collect())
        }
        fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
            Err(StoreError::NotFound(key.clone()))
        }
        fn list(&self, _: &ListQuery) -> Result<ListPage, StoreError> {
            Ok(ListPage::default())
        }
        fn delete(&self, _: &SessionKey) -> Result<(), StoreError> {
            Ok(())
        }
        fn append(
            &self,
            key: &SessionKey,
            _: Timestamp,
            _: EventBody,
        ) -> Result<Commit, StoreError> {
            Err(StoreError::InUse(key.clone()))
        }
    }

    /// Collects a description of each part.
    struct Descriptions<'m> {
        said: Vec<String>,
        read: Option<&'m AtomicU64>,
    }

    impl PartSink for Descriptions<'_> {
        type Error = StoreError;

        fn part(&mut self, part: Part<'_>) -> Result<(), StoreError> {
            let text = |content: &ContentBlock| content.as_text().unwrap_or_default().to_owned();
            let word = match part {
                Part::Prompt { number, content, .. } => {
                    format!("prompt {number}: {}", text(&content[0]))
                }
                Part::Message(author) => format!("{author:?}"),
                Part::Piece { content, .. } => text(content),
                Part::ToolCall { call, cwd, permission } => {
                    let asked = if permission.is_some() { " asked" } else { "" };
                    format!("call {} {} in {cwd}{asked}", call.title, call.status().as_str())
                }
                Part::Plan(PlanContent::Markdown(text)) => format!("plan {text}"),
                Part::LeftOut(what) => format!("left out {what}"),
                Part::ForkedFrom(id) => format!("from {}", id.as_str()),
                Part::TurnEnded { outcome, .. } => format!("ended {}", ended(outcome)),
                _ => "other".to_owned(),
            };
            self.said.push(match self.read {
                Some(read) => read.load(Ordering::Relaxed).to_string(),
                None => word,
            });
            Ok(())
        }
    }

    fn key() -> SessionKey {
        SessionKey { side: Side::Agent, agent: "a".to_owned(), session_id: "s".into() }
    }

    fn parts_of(bodies: Vec<EventBody>) -> Vec<String> {
        let event =
            move |sequence: u64| bodies.get(usize::try_from(sequence).unwrap() - 1).cloned();
        let store = GeneratedLog { event, pages: 1, read: AtomicU64::new(0) };
        let mut words = Descriptions { said: Vec::new(), read: None };
        replay(&store, &key(), &mut words).unwrap();
        words.said
    }

    fn prompt(text: &str) -> EventBody {
        EventBody::Prompt { content: vec![ContentBlock::text(text)] }
    }

    fn says(author: MessageAuthor, id: Option<&str>, text: &str) -> EventBody {
        EventBody::Message {
            author,
            message_id: id.map(MessageId::from),
            content: ContentBlock::text(text),
        }
    }

    fn settled(id: &str, status: ToolCallStatus) -> EventBody {
        EventBody::ToolCallUpdate(ToolCallPatch::with_status(id, status))
    }

    fn done() -> EventBody {
        EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::EndTurn), usage: None }
    }

    #[test]
    fn calls_are_shown_when_settled_and_plans_at_the_end() {
        let plan = |text: &str| EventBody::Plan {
            id: None,
            content: PlanContent::Markdown(text.to_owned()),
        };
        let opened = EventBody::Opened {
            cwd: "/p".to_owned(),
            additional_directories: Vec::new(),
            origin: Origin::Forked("before".into()),
            agent: None,
        };
        let call = |id: &str| EventBody::ToolCall(ToolCall::new(id, id));
        let said = parts_of(vec![
            opened,
            prompt("go"),
            plan("first"),
            call("a"),
            call("b"),
            settled("b", ToolCallStatus::Completed),
            plan("second"),
            settled("a", ToolCallStatus::Failed),
            settled("a", ToolCallStatus::Completed),
            call("c"),
            done(),
            call("d"),
        ]);
        let expected = [
            "from before",
            "prompt 1: go",
            "call b completed in /p",
            "call a failed in /p",
            "call c pending in /p",
            "plan second",
            "ended done",
            "call d pending in /p",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn a_message_continues_until_another_part() {
        use MessageAuthor::{Agent, Thought};
        let said = parts_of(vec![
            prompt("go"),
            says(Thought, None, "hm"),
            says(Agent, None, "one "),
            says(Agent, None, "two"),
            EventBody::ToolCall(ToolCall::new("a", "a")),
            says(Agent, Some("m"), "three "),
            settled("a", ToolCallStatus::Completed),
            says(Agent, Some("m"), "four"),
            done(),
        ]);
        let expected = [
            "prompt 1: go",
            "Thought",
            "hm",
            "Agent",
            "one ",
            "two",
            "Agent",
            "three ",
            "call a completed in ",
            "Agent",
            "four",
            "ended done",
        ];
        assert_eq!(said, expected);
    }

    /// A log without an end cannot be held in memory: each page is delivered before the next is
    /// read.
    #[test]
    fn a_page_is_delivered_before_the_next_is_read() {
        let event = |sequence: u64| Some(says(MessageAuthor::Agent, None, &sequence.to_string()));
        let store = GeneratedLog { event, pages: 50, read: AtomicU64::new(0) };
        let mut words = Descriptions { said: Vec::new(), read: Some(&store.read) };
        replay(&store, &key(), &mut words).unwrap();
        let on_page =
            |page: u64| words.said.iter().filter(|read| **read == page.to_string()).count() as u64;
        assert!((2..=50).all(|page| on_page(page) == PER_PAGE));
    }

    #[test]
    fn content_over_the_limit_is_left_out_with_a_note() {
        let large = vec![ContentBlock::text("x".repeat(MEMORY)).into()];
        let begun =
            EventBody::ToolCall(ToolCall { content: large.into(), ..ToolCall::new("a", "a") });
        let said = parts_of(vec![begun, says(MessageAuthor::Agent, None, "more"), done()]);
        assert_eq!(said, ["Agent", "more", "left out content too large to show", "ended done"]);
    }

    #[test]
    fn unsettled_calls_are_delivered_at_the_limit() {
        let event = |sequence: u64| {
            Some(EventBody::ToolCall(ToolCall::new(sequence.to_string().as_str(), "t")))
        };
        let store = GeneratedLog { event, pages: 30, read: AtomicU64::new(0) };
        let mut words = Descriptions { said: Vec::new(), read: Some(&store.read) };
        replay(&store, &key(), &mut words).unwrap();
        assert_eq!(words.said.len(), 3000);
        assert_eq!(words.said.iter().filter(|read| *read == "31").count(), UNFINISHED);
    }
}
