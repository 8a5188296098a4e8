//! The fold of one session, with its log, shared by its writers and its watchers.

use crate::lock::lock;
use crate::terminals::editor_terminals::EditorTerminals;
use crate::text_files::unsaved_text::UnsavedText;
use attache_session::{Change, Commit, Event, EventBody, Log, Session, StoreError, Timestamp};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};
use tokio::sync::watch;

/// The number of unstored bytes above which the reading task waits for the disk.
const BACKLOG: usize = 1 << 20;

/// The fold of one session. It outlives the connection over which its events come, and continues
/// over the next one.
pub(crate) struct SessionFold {
    state: Mutex<Folded>,
    /// Counts the wake-ups of watchers.
    seen: watch::Sender<u64>,
    /// Whether watchers were woken and have not looked since. A flood of updates therefore wakes
    /// them only once.
    told: AtomicBool,
    observer: OnceLock<Arc<dyn Observer>>,
    /// The texts of the editor that has the session open, if that is another than the program's.
    unsaved: Mutex<Option<Arc<dyn UnsavedText>>>,
    /// The terminals of the editor in which the agent's commands run, if there is one.
    editor_terminals: Mutex<Option<Arc<dyn EditorTerminals>>>,
}

/// Observes every event of a fold. Both functions are called in order, and must neither wait nor
/// touch the fold.
pub(crate) trait Observer: Send + Sync {
    /// An event was folded.
    fn applied(&self, session: &Session, event: &Event, change: Change);

    /// Something changed.
    fn changed(&self);
}

struct Folded {
    session: Session,
    sink: LogSink,
    /// When the agent last sent something.
    heard: Instant,
}

/// The log of a fold.
enum LogSink {
    /// No log.
    None,
    /// A buffer until there is a log: the events since the session began, joined, and their size in
    /// bytes.
    Waiting { events: Vec<Event>, bytes: usize, begun: watch::Sender<()> },
    /// A log. `waited_for` is set while a task waits for it.
    Log { log: Box<dyn Log>, waited_for: bool },
    /// The log failed.
    Failed(StoreError),
}

/// Completes once there is room in the log.
pub(crate) type LogRoom = Pin<Box<dyn Future<Output = ()> + Send>>;

impl SessionFold {
    /// Makes a fold without a log.
    pub(crate) fn new(session: Session) -> Self {
        Self::with_sink(session, LogSink::None)
    }

    /// Makes a fold that buffers its events until [`SessionFold::log_to`] is called.
    pub(crate) fn awaiting_log(session: Session) -> Self {
        let begun = watch::Sender::new(());
        Self::with_sink(session, LogSink::Waiting { events: Vec::new(), bytes: 0, begun })
    }

    /// Makes a fold that continues its log; with `None`, nothing is stored.
    pub(crate) fn logged(session: Session, log: Option<Box<dyn Log>>) -> Self {
        Self::with_sink(
            session,
            log.map_or(LogSink::None, |log| LogSink::Log { log, waited_for: false }),
        )
    }

    fn with_sink(session: Session, sink: LogSink) -> Self {
        let state = Folded { session, sink, heard: Instant::now() };
        Self {
            state: Mutex::new(state),
            seen: watch::Sender::default(),
            told: AtomicBool::new(false),
            observer: OnceLock::new(),
            unsaved: Mutex::default(),
            editor_terminals: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, Folded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session as it is now.
    pub(crate) fn session(&self) -> Session {
        self.state().session.clone()
    }

    /// Reads the session without a copy.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(&self.state().session)
    }

    /// Sets the observer. Only the first call has an effect.
    pub(crate) fn observe(&self, observer: Arc<dyn Observer>) {
        let _ = self.observer.set(observer);
    }

    /// Folds an event that happens now, and logs it.
    pub(crate) fn apply(&self, body: EventBody) {
        self.apply_at(now(), body);
    }

    /// Folds an event that happened at another time, and logs it.
    pub(crate) fn apply_at(&self, at: Timestamp, body: EventBody) {
        let mut state = self.state();
        let event = state.session.next(at, body);
        let change = state.session.apply(&event);
        if let Some(observer) = self.observer.get() {
            observer.applied(&state.session, &event, change);
        }
        state.sink.append(event);
    }

    /// Notes that the agent sent something.
    pub(crate) fn hear(&self) {
        self.state().heard = Instant::now();
    }

    /// When the agent last sent something.
    pub(crate) fn heard(&self) -> Instant {
        self.state().heard
    }

    /// The texts of the editor that has the session open.
    pub(crate) fn unsaved_text(&self) -> Option<Arc<dyn UnsavedText>> {
        lock(&self.unsaved).clone()
    }

    pub(crate) fn set_unsaved_text(&self, unsaved: Option<Arc<dyn UnsavedText>>) {
        *lock(&self.unsaved) = unsaved;
    }

    /// The terminals of the editor in which the agent's commands run.
    pub(crate) fn editor_terminals(&self) -> Option<Arc<dyn EditorTerminals>> {
        lock(&self.editor_terminals).clone()
    }

    pub(crate) fn set_editor_terminals(&self, terminals: Option<Arc<dyn EditorTerminals>>) {
        *lock(&self.editor_terminals) = terminals;
    }

    pub(crate) fn seen(&self) -> watch::Receiver<u64> {
        self.seen.subscribe()
    }

    /// Wakes the watchers, unless they were woken and have not looked since.
    pub(crate) fn wake(&self) {
        if !self.told.swap(true, Ordering::AcqRel) {
            self.rouse();
        }
        if let Some(observer) = self.observer.get() {
            observer.changed();
        }
    }

    /// Wakes the watchers in any case.
    pub(crate) fn rouse(&self) {
        self.seen.send_modify(|seen| *seen += 1);
    }

    /// Notes that a watcher is about to read the session: the next change wakes it again. Both
    /// sides swap the flag, so either the watcher reads the change or it is woken.
    pub(crate) fn looking(&self) {
        self.told.swap(false, Ordering::AcqRel);
    }

    /// Sends the buffered and all later events to this log, or drops them if there is none. Has no
    /// effect on a fold that does not wait for a log.
    pub(crate) fn log_to(&self, log: Option<Box<dyn Log>>) {
        let mut state = self.state();
        let LogSink::Waiting { events, .. } = &mut state.sink else { return };
        let events = std::mem::take(events);
        state.sink = match log {
            None => LogSink::None,
            Some(mut log) => {
                events.iter().for_each(|event| log.append(event));
                LogSink::Log { log, waited_for: false }
            }
        };
    }

    /// Sends the buffered and all later events to the log of an earlier session with the same id,
    /// whose history they replace. Has no effect on a fold that does not wait for a log.
    pub(crate) fn log_after(&self, log: Box<dyn Log>, earlier: Session) {
        let mut state = self.state();
        let Folded { session, sink, .. } = &mut *state;
        let LogSink::Waiting { events, .. } = sink else { return };
        let events = std::mem::take(events);
        *sink = LogSink::Log { log, waited_for: false };
        let archived = earlier.is_archived();
        // The log ignores events whose numbers it already has.
        *session = earlier;
        let begun = [EventBody::Replaced].into_iter();
        let begun = begun.chain(archived.then_some(EventBody::Archived(false)));
        let begun = begun.map(|body| (now(), body));
        for (at, body) in begun.chain(events.into_iter().map(|event| (event.at, event.body))) {
            let event = session.next(at, body);
            session.apply(&event);
            sink.append(event);
        }
    }

    /// Sends the buffered and all later events to the log of a fork, whose copied history comes
    /// first. Has no effect on a fold that does not wait for a log.
    #[cfg(feature = "checkpoints")]
    pub(crate) fn log_fork(&self, log: Box<dyn Log>, history: Session) {
        let mut state = self.state();
        let Folded { session, sink, .. } = &mut *state;
        let LogSink::Waiting { events, .. } = sink else { return };
        let events = std::mem::take(events);
        *sink = LogSink::Log { log, waited_for: false };
        *session = history;
        let ended = session.recovery_events().into_iter().map(|body| (now(), body));
        for (at, body) in ended.chain(events.into_iter().map(|event| (event.at, event.body))) {
            let event = session.next(at, body);
            session.apply(&event);
            sink.append(event);
        }
    }

    /// Takes over the buffered events of another fold of the same session, which is no longer used.
    pub(crate) fn take_over(&self, other: &Self) {
        let events = match &mut other.state().sink {
            LogSink::Waiting { events, .. } => std::mem::take(events),
            _ => Vec::new(),
        };
        events.into_iter().for_each(|event| self.apply_at(event.at, event.body));
    }

    /// Returns a future if too much waits to be stored. It completes when the reading task may take
    /// more from the agent.
    pub(crate) fn room(self: &Arc<Self>) -> Option<LogRoom> {
        let mut state = self.state();
        match &mut state.sink {
            LogSink::Waiting { bytes, begun, .. } if *bytes > BACKLOG => {
                let mut begun = begun.subscribe();
                // The wait ends when the sender is dropped: once there is a log, or with the fold.
                Some(Box::pin(async move { drop(begun.changed().await) }))
            }
            LogSink::Log { log, waited_for } if !*waited_for && log.backlog() > BACKLOG => {
                *waited_for = true;
                let (commit, fold) = (log.commit(), Arc::downgrade(self));
                Some(Box::pin(async move {
                    let outcome = commit.await;
                    if let Some(fold) = fold.upgrade() {
                        fold.stored(outcome);
                    }
                }))
            }
            _ => None,
        }
    }

    /// Records the outcome of storing. After a failure, no more events are logged, because they
    /// would stay in memory.
    fn stored(&self, outcome: Result<(), StoreError>) {
        let mut state = self.state();
        if let LogSink::Log { waited_for, .. } = &mut state.sink {
            *waited_for = false;
        }
        if let Err(error) = outcome {
            tracing::warn!(session = %state.session.id(), "the session is no longer stored");
            state.sink = LogSink::Failed(error);
            drop(state);
            self.wake();
        }
    }

    /// Stores all events so far; `None` if there is no log.
    pub(crate) fn commit(&self) -> Option<Commit> {
        match &self.state().sink {
            LogSink::Log { log, .. } => Some(log.commit()),
            _ => None,
        }
    }

    /// Stores a checkpoint, if the log has grown enough since the last one. `records` returns the
    /// numbers of the private records that still apply.
    pub(crate) fn keep_checkpoint(&self, records: impl FnOnce() -> Vec<u64>) {
        let mut state = self.state();
        let Folded { session, sink, .. } = &mut *state;
        if let LogSink::Log { log, .. } = sink {
            attache_session::keep_checkpoint(&mut **log, session, records);
        }
    }

    /// Ends the log, which stores the rest and lets other programs write.
    pub(crate) fn end_log(&self) {
        let mut state = self.state();
        if !matches!(state.sink, LogSink::Failed(_)) {
            state.sink = LogSink::None;
        }
    }

    /// Why events are no longer stored; `None` if they are.
    pub(crate) fn log_failure(&self) -> Option<StoreError> {
        match &self.state().sink {
            LogSink::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }
}

impl std::fmt::Debug for SessionFold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionFold").field("id", self.state().session.id()).finish_non_exhaustive()
    }
}

impl LogSink {
    fn append(&mut self, event: Event) {
        match self {
            Self::None | Self::Failed(_) => {}
            Self::Log { log, .. } => log.append(&event),
            Self::Waiting { events, bytes, .. } => keep(events, bytes, event),
        }
    }
}

/// Adds an event to a buffer, joined with the last one if the result has the same meaning. `bytes`
/// is the approximate size of the buffer.
pub(crate) fn keep(events: &mut Vec<Event>, bytes: &mut usize, event: Event) {
    *bytes += weight(&event);
    if !events.last_mut().is_some_and(|last| last.join(&event)) {
        events.push(event);
    }
}

/// The approximate size of an event in bytes.
fn weight(event: &Event) -> usize {
    match &event.body {
        EventBody::Message { content, .. } => {
            16 + content.as_text().map_or_else(|| event.encode().len(), str::len)
        }
        _ => event.encode().len(),
    }
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::ContentBlock;
    use attache_session::{Commit, MessageAuthor};
    use std::sync::atomic::AtomicUsize;

    /// A log on a disk that the test stops and starts.
    struct SlowLog {
        backlog: Arc<AtomicUsize>,
        written: watch::Receiver<Option<bool>>,
    }

    impl Log for SlowLog {
        fn append(&mut self, event: &Event) {
            self.backlog.fetch_add(event.encode().len(), Ordering::SeqCst);
        }

        fn commit(&self) -> Commit {
            let (mut written, backlog) = (self.written.clone(), self.backlog.clone());
            Box::pin(async move {
                let done =
                    written.wait_for(Option::is_some).await.is_ok_and(|done| *done == Some(true));
                backlog.store(0, Ordering::SeqCst);
                if done {
                    Ok(())
                } else {
                    Err(StoreError::DiskFull { path: "the disk".to_owned() })
                }
            })
        }

        fn backlog(&self) -> usize {
            self.backlog.load(Ordering::SeqCst)
        }
    }

    fn say(fold: &SessionFold, text: &str) {
        let content = ContentBlock::text(text);
        fold.apply(EventBody::Message { author: MessageAuthor::Agent, message_id: None, content });
    }

    fn slow() -> (Arc<SessionFold>, watch::Sender<Option<bool>>) {
        let (disk, written) = watch::channel(None);
        let log = SlowLog { backlog: Arc::default(), written };
        (Arc::new(SessionFold::logged(Session::new("s"), Some(Box::new(log)))), disk)
    }

    #[tokio::test]
    async fn the_reader_waits_for_a_slow_disk_only_when_it_must() {
        let (fold, disk) = slow();
        let text = "x".repeat(1000);
        let mut said = 0;
        let room = loop {
            if let Some(room) = fold.room() {
                break room;
            }
            say(&fold, &text);
            said += 1;
        };
        assert!((900..1100).contains(&said), "{said} KB");
        assert!(fold.room().is_none(), "one wait is enough");
        disk.send_replace(Some(true));
        room.await;
        say(&fold, &text);
        assert!(fold.room().is_none() && fold.log_failure().is_none());
    }

    #[tokio::test]
    async fn a_full_disk_is_reported_and_memory_stays_bounded() {
        let (fold, disk) = slow();
        let mut seen = fold.seen();
        (0..2000).for_each(|_| say(&fold, &"x".repeat(1000)));
        let room = fold.room().unwrap();
        disk.send_replace(Some(false));
        room.await;
        assert!(seen.has_changed().unwrap());
        seen.mark_unchanged();
        assert!(matches!(fold.log_failure(), Some(StoreError::DiskFull { .. })));
        (0..2000).for_each(|_| say(&fold, &"x".repeat(1000)));
        assert!(fold.room().is_none());
        assert_eq!(fold.with(|session| session.entries()[0].text().len()), 4_000_000);
    }

    #[tokio::test]
    async fn events_before_the_log_are_buffered_within_bounds_and_logged() {
        let fold = Arc::new(SessionFold::awaiting_log(Session::new("s")));
        say(&fold, "early");
        assert!(fold.room().is_none());
        say(&fold, &"x".repeat(BACKLOG));
        let room = fold.room().unwrap();
        let log = SlowLog { backlog: Arc::default(), written: watch::channel(None).1 };
        let backlog = log.backlog.clone();
        fold.log_to(Some(Box::new(log)));
        room.await;
        assert!(backlog.load(Ordering::SeqCst) > BACKLOG);
    }
}
