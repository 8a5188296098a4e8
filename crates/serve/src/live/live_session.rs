//! A session as all clients see it, kept up to date while any of them watches it.

use super::live_rows::{LiveChanges, LivePosition, LiveRows, PARTS, ROWS_LIMIT, read_page};
use super::lock::locked;
use super::part::Part;
use crate::ClientId;
use crate::extension::messages::{Draft, QueueItem};
use attache_client::{HubSession, Question, QuestionId, SessionState};
use attache_protocol::v1::ContentBlock;
use attache_session::{EntryContent, Session, StoreError};
use attache_view::{
    CommandItem, Line, OptionItem, QuestionView, Role, SessionList, StatusLine, StatusParts,
    ToolCallRow, sanitize,
};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// The shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(16);

/// How often output of terminals, and words that depend on the time, are read.
const POLL: Duration = Duration::from_millis(250);

/// The number of entries of a page of the log.
const PAGE: usize = 512;

/// The largest number of pages whose rows are in one answer.
const PAGES: usize = 8;

/// The number of bytes before and after a text that are shown.
const AROUND: usize = 120;

/// A session as all clients see it.
pub(crate) struct LiveSession {
    state: Arc<State>,
    /// Keeps the rows up to date while clients watch.
    updater: Mutex<Weak<Updater>>,
}

struct State {
    session: HubSession,
    rows: Mutex<LiveRows>,
    /// The open questions, as they were shown.
    shown: Mutex<BTreeMap<u64, Arc<QuestionView>>>,
    /// Which client wrote the draft last, and what it wrote.
    drafted: Mutex<Option<(ClientId, String)>>,
    list: Arc<Mutex<SessionList>>,
    position: watch::Sender<LivePosition>,
    /// Held while pages are read, so that clients do not forget each other's pages.
    reading: tokio::sync::Mutex<()>,
}

/// The task that keeps the rows up to date. Ends when it is dropped.
struct Updater {
    _task: JoinSet<()>,
}

/// A client that follows a session.
pub(crate) struct Following {
    state: Arc<State>,
    changed: watch::Receiver<LivePosition>,
    _updater: Arc<Updater>,
}

impl LiveSession {
    pub(super) fn new(
        session: HubSession,
        generations: Arc<AtomicU64>,
        list: Arc<Mutex<SessionList>>,
    ) -> Self {
        let rows = LiveRows::new(&session, generations);
        let position = watch::Sender::new(rows.position());
        let state = State {
            session,
            rows: Mutex::new(rows),
            shown: Mutex::default(),
            drafted: Mutex::default(),
            list,
            position,
            reading: tokio::sync::Mutex::default(),
        };
        Self { state: Arc::new(state), updater: Mutex::default() }
    }

    pub(crate) fn session(&self) -> &HubSession {
        &self.state.session
    }

    pub(super) fn is_closed(&self) -> bool {
        self.session().state() == SessionState::Closed
    }

    /// Follows the session. When this returns, the latest rows are up to date.
    pub(crate) async fn follow(&self) -> Following {
        self.state.update_some().await;
        let mut updater = locked(&self.updater);
        let running = updater.upgrade().unwrap_or_else(|| {
            let mut task = JoinSet::new();
            task.spawn(keep_up(self.state.clone()));
            let running = Arc::new(Updater { _task: task });
            *updater = Arc::downgrade(&running);
            running
        });
        let changed = self.state.position.subscribe();
        Following { state: self.state.clone(), changed, _updater: running }
    }

    /// Returns a question as clients saw it, and what the agent asked; `None` if it is not open or
    /// was not shown.
    pub(crate) fn shown(&self, id: u64) -> Option<(Arc<QuestionView>, Question)> {
        let view = locked(&self.state.shown).get(&id).cloned()?;
        let mut open = self.session().questions().into_iter();
        Some((view, open.find(|question| question.id == QuestionId(id))?))
    }

    /// Stores the text that is not sent yet, for a client.
    pub(crate) fn set_draft(&self, by: ClientId, text: String) {
        *locked(&self.state.drafted) = Some((by, text.clone()));
        self.session().set_draft(text);
    }

    /// Returns the tool call of a row with its whole output; `None` if the row is no tool call.
    pub(crate) fn whole_call(&self, index: usize) -> Option<ToolCallRow> {
        locked(&self.state.rows).whole_call(index, self.session())
    }

    /// Returns the last of these rows, as many as fit into a message. Reads those that are in the
    /// log and not in memory.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(crate) async fn read(&self, range: Range<usize>) -> Result<Vec<Arc<RawValue>>, StoreError> {
        let state = &self.state;
        let _alone = state.reading.lock().await;
        let mut start = range.start.max(range.end.saturating_sub(ROWS_LIMIT));
        let mut pages = 0;
        state.update().await;
        loop {
            let unread = locked(&state.rows).unread(&(start..range.end));
            let Some(part) = unread.filter(|_| pages < PAGES) else { break };
            // The log is read backwards, so that later pages can be on the way.
            pages += usize::from(part.rows.end <= range.end);
            if !read_page(&state.rows, &state.session, &part, PAGE).await? {
                break;
            }
            locked(&state.rows).forget_pages(start);
            state.update().await;
        }
        let mut rows = locked(&state.rows);
        if let Some(part) = rows.unread(&(start..range.end)) {
            start = part.rows.end.min(range.end);
        }
        Ok(rows.latest(start..range.end).0)
    }

    /// Finds the rows with this text, the latest first, among those in memory.
    pub(crate) fn find(&self, text: &str, limit: usize) -> Vec<(usize, Line)> {
        let text = text.to_lowercase();
        let snapshot = self.session().snapshot();
        let entries = (0..snapshot.entries().len()).rev().zip(snapshot.entries().iter().rev());
        let found = entries.filter_map(|(row, entry)| {
            let whole = match &entry.content {
                EntryContent::ToolCall(call) => call.title.clone(),
                _ => entry.text(),
            };
            let line = whole.lines().find(|line| line.to_lowercase().contains(&text))?;
            Some((row, Line::of(excerpt(line, &text), Role::Text)))
        });
        found.take(limit).collect()
    }
}

impl Following {
    /// Waits until something changed after this position.
    pub(crate) async fn changed(&mut self, since: LivePosition) {
        // The sender lives as long as `self`.
        drop(self.changed.wait_for(|position| *position != since).await);
    }

    /// Returns what changed since a position: see [`LiveRows::changes`].
    pub(crate) fn changes(
        &self,
        since: Option<LivePosition>,
        latest: usize,
        floor: usize,
    ) -> Option<LiveChanges> {
        locked(&self.state.rows).changes(since, latest, floor)
    }
}

/// Returns the part of a line around a text, on one line.
fn excerpt(line: &str, text: &str) -> String {
    let at = line.to_lowercase().find(text).unwrap_or(0).min(line.len());
    let start = line.floor_char_boundary(at.saturating_sub(AROUND));
    let end = line.floor_char_boundary((at + text.len() + AROUND).min(line.len()));
    sanitize::line(line.get(start..end).unwrap_or(line))
}

/// Returns a prompt that waits.
fn queue_item(id: u64, content: &[ContentBlock]) -> QueueItem {
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    let attachments = content.len() - texts.len();
    QueueItem { id, text: sanitize::text(&texts.join("\n")).into_owned(), attachments }
}

/// Updates the rows as long as the session is open.
async fn keep_up(state: Arc<State>) {
    let mut watch = state.session.watch();
    loop {
        state.update().await;
        let is_open = tokio::select! {
            update = watch.next_within(INTERVAL) => update.is_some(),
            () = tokio::time::sleep(POLL) => true,
        };
        if !is_open {
            state.update().await;
            return;
        }
    }
}

impl State {
    /// Updates all rows and everything else that is shown.
    async fn update(&self) {
        while self.update_some().await {
            tokio::task::yield_now().await;
        }
    }

    /// Updates everything that is shown, of the rows the latest ones. Returns whether more wait.
    async fn update_some(&self) -> bool {
        self.show_questions().await;
        let (has_more, position) = {
            // What is read under the lock is never older than what the rows show.
            let mut rows = locked(&self.rows);
            let snapshot = self.session.snapshot();
            let mut questions = self.session.questions();
            let count = questions.len();
            let shown = locked(&self.shown).clone();
            questions.retain(|question| shown.contains_key(&question.id.0));
            let has_more = rows.update(&self.session, &snapshot, |parts, number| {
                self.set_parts(parts, number, &snapshot, &questions)
            });
            locked(&self.list).mark_seen(self.session.agent().name(), &snapshot);
            (has_more || questions.len() < count, rows.position())
        };
        self.position.send_if_modified(|known| std::mem::replace(known, position) != position);
        has_more
    }

    /// Shows the open questions. Each is shown once, so that its answers stay what they were.
    async fn show_questions(&self) {
        let open = self.session.questions();
        let new: Vec<Question> = {
            let mut shown = locked(&self.shown);
            shown.retain(|id, _| open.iter().any(|question| question.id.0 == *id));
            open.into_iter().filter(|question| !shown.contains_key(&question.id.0)).collect()
        };
        if new.is_empty() {
            return;
        }
        let (agent, cwd) = (self.session.agent().name().to_owned(), self.session.cwd().to_owned());
        let making = tokio::task::spawn_blocking(move || {
            let view = |it: &Question| (it.id.0, Arc::new(QuestionView::new(it, &agent, &cwd)));
            new.iter().map(view).collect::<Vec<_>>()
        });
        // An error means that this program ends.
        let made = making.await.unwrap_or_default();
        let mut shown = locked(&self.shown);
        for (id, view) in made {
            shown.entry(id).or_insert(view);
        }
    }

    fn set_parts(
        &self,
        parts: &mut [Part; PARTS],
        number: u64,
        snapshot: &Session,
        questions: &[Question],
    ) -> bool {
        let session = &self.session;
        let (state, queue, held) = (session.state(), session.queue(), session.held());
        let agent = session.agent();
        let status = StatusLine::new(&StatusParts {
            agent: agent.name(),
            session: snapshot,
            state: &state,
            questions,
            queued: queue.len(),
            held: held.as_ref(),
            not_stored: session.log_failure().map(|error| error.to_string()),
        });
        let shown = locked(&self.shown);
        let asked: Vec<&QuestionView> =
            questions.iter().filter_map(|it| shown.get(&it.id.0)).map(|it| &**it).collect();
        let queue: Vec<QueueItem> =
            queue.iter().map(|it| queue_item(it.id.0, &it.prompt.0)).collect();
        let closed = match &state {
            SessionState::Closed | SessionState::ReadOnly { .. } => {
                Some(Line::of(sanitize::visible_line(&state.to_string()), Role::Warning))
            }
            _ => None,
        };
        let images = agent.connection().map(|it| it.capabilities().prompt_capabilities.image);
        let [
            of_status,
            of_questions,
            of_options,
            of_commands,
            of_queue,
            of_draft,
            of_images,
            of_closed,
        ] = parts;
        // Each part is set, whether or not another one changed.
        let changed = [
            of_status.set(&status, number),
            of_questions.set(&asked, number),
            of_options.set(&OptionItem::of(snapshot), number),
            of_commands.set(&CommandItem::of(snapshot), number),
            of_queue.set(&queue, number),
            of_draft.set(&self.draft(), number),
            of_images.set(&images, number),
            of_closed.set(&closed, number),
        ];
        changed.contains(&true)
    }

    fn draft(&self) -> Draft {
        let text = self.session.draft();
        let drafted = locked(&self.drafted);
        let by = drafted.as_ref().filter(|(_, written)| *written == text);
        let by = by.map_or(0, |(client, _)| client.0);
        Draft { text: sanitize::text(&text).into_owned(), by }
    }
}
