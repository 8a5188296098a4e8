//! The thread that writes.

use crate::file::connect::{Access, connect};
use crate::file::lock::SessionLock;
use crate::file::store_files::StoreFiles;
use crate::write::live_log::{Batch, LiveLog};
use crate::write::promise::{Promise, promise};
use crate::write::transaction::{Faults, delete, store};
use attache_session::StoreError;
use rusqlite::{Connection, TransactionBehavior};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest time from append to write.
const SOON: Duration = Duration::from_millis(50);

/// The writer thread. It ends when the last handle of the store is dropped, and that drop waits for
/// it.
pub(crate) struct Writer {
    pub(crate) place: Arc<StoreFiles>,
    pub(crate) queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

/// The tasks of the thread. The queue holds each log once, and callers of [`Queue::run`] wait, so
/// its length is bounded by the number of logs and threads.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<Tasks>,
    wake: Condvar,
}

#[derive(Default)]
struct Tasks {
    logs: Vec<Arc<LiveLog>>,
    jobs: Vec<Job>,
    /// When the first of the logs was added.
    since: Option<Instant>,
    /// Whether a caller waits for the tasks.
    urgent: bool,
    /// Whether the thread is writing.
    busy: bool,
    /// Whether all handles to the store were dropped.
    ended: bool,
    /// Whether the thread has ended.
    gone: bool,
}

enum Job {
    /// Does nothing itself, but completes only after all earlier tasks.
    Flush(Promise<Result<(), StoreError>>),
    /// Deletes the session in this row.
    Delete(i64, SessionLock, Promise<Result<(), StoreError>>),
}

impl Writer {
    pub(crate) fn start(
        place: Arc<StoreFiles>,
        connection: Connection,
        faults: Faults,
    ) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let mut thread =
            Thread { place: Arc::clone(&place), queue: Arc::clone(&queue), connection, faults };
        let handle = std::thread::Builder::new()
            .name("session store".to_owned())
            .spawn(move || thread.run())?;
        Ok(Self { place, queue, thread: Some(handle) })
    }

    /// Waits until everything appended before is written or has failed.
    pub(crate) fn flush(&self) {
        if self.queue.is_idle() {
            return;
        }
        // The commit of a log reports what could not be written.
        let _ = self.run(Job::Flush);
    }

    /// Deletes the session in row `id`.
    pub(crate) fn delete(&self, id: i64, lock: SessionLock) -> Result<(), StoreError> {
        self.run(|promise| Job::Delete(id, lock, promise))
    }

    fn run(
        &self,
        job: impl FnOnce(Promise<Result<(), StoreError>>) -> Job,
    ) -> Result<(), StoreError> {
        let (promise, outcome) = promise();
        let mut tasks = self.queue.tasks();
        if !tasks.gone {
            tasks.jobs.push(job(promise));
        }
        drop(tasks);
        self.queue.wake.notify_one();
        outcome.wait().unwrap_or_else(|| Err(self.place.ended()))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue.tasks().ended = true;
        self.queue.wake.notify_one();
        let Some(thread) = self.thread.take() else { return };
        // A waker can drop the last handle on this thread itself, which is about to end anyway.
        if thread.thread().id() != std::thread::current().id() {
            let _ = thread.join();
        }
    }
}

impl Queue {
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the thread that there is something to write: at once if `urgent`, otherwise soon.
    /// `log` joins the queue; it is `None` if the log is already in it. Returns false if the thread
    /// has ended.
    pub(crate) fn add(&self, log: Option<&Arc<LiveLog>>, urgent: bool) -> bool {
        let mut tasks = self.tasks();
        if tasks.gone {
            return false;
        }
        tasks.logs.extend(log.cloned());
        let first = tasks.since.is_none();
        tasks.since.get_or_insert_with(Instant::now);
        let wake = first || (urgent && !tasks.urgent);
        tasks.urgent |= urgent;
        drop(tasks);
        if wake {
            self.wake.notify_one();
        }
        true
    }

    fn is_idle(&self) -> bool {
        let tasks = self.tasks();
        tasks.logs.is_empty() && tasks.jobs.is_empty() && !tasks.busy
    }

    /// Waits for tasks. Returns `None` when there will be no more.
    fn next(&self) -> Option<(Vec<Arc<LiveLog>>, Vec<Job>)> {
        let mut tasks = self.tasks();
        tasks.busy = false;
        loop {
            let waited = tasks.since.map(|since| since.elapsed());
            let due = waited.is_some_and(|waited| waited >= SOON);
            if due || tasks.urgent || !tasks.jobs.is_empty() || (tasks.ended && waited.is_some()) {
                break;
            }
            if tasks.ended {
                return None;
            }
            tasks = match waited {
                None => self.wake.wait(tasks).unwrap_or_else(PoisonError::into_inner),
                Some(waited) => {
                    let rest = SOON.saturating_sub(waited);
                    self.wake.wait_timeout(tasks, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        (tasks.busy, tasks.urgent, tasks.since) = (true, false, None);
        Some((std::mem::take(&mut tasks.logs), std::mem::take(&mut tasks.jobs)))
    }

    /// Fails everything that waits for the thread.
    fn close(&self) {
        let (logs, jobs) = {
            let mut tasks = self.tasks();
            tasks.gone = true;
            (std::mem::take(&mut tasks.logs), std::mem::take(&mut tasks.jobs))
        };
        logs.iter().for_each(|log| log.give_up());
        drop(jobs);
    }
}

struct Thread {
    place: Arc<StoreFiles>,
    queue: Arc<Queue>,
    connection: Connection,
    faults: Faults,
}

impl Thread {
    fn run(&mut self) {
        while let Some((logs, jobs)) = self.queue.next() {
            self.write(logs.iter().map(LiveLog::take).collect());
            for job in jobs {
                match job {
                    Job::Flush(promise) => promise.settle(Ok(())),
                    Job::Delete(id, lock, promise) => {
                        let outcome = self.in_transaction(|place, connection, faults| {
                            delete(connection, faults, id).map_err(|error| place.failure(error))
                        });
                        if outcome.is_ok() {
                            // Deleted data leaves the write-ahead log too, unless a reader still
                            // needs it.
                            let _ = self.connection.query_row(
                                "PRAGMA wal_checkpoint(TRUNCATE)",
                                [],
                                |_| Ok(()),
                            );
                        }
                        drop(lock);
                        promise.settle(outcome);
                    }
                }
            }
        }
    }

    /// Writes all batches in one transaction. If that fails, each batch gets its own transaction,
    /// so that none fails because of another.
    fn write(&mut self, batches: Vec<Batch>) {
        let (idle, full): (Vec<_>, Vec<_>) = batches.into_iter().partition(Batch::is_empty);
        for batch in idle {
            let id = batch.id;
            batch.succeed(id);
        }
        if full.is_empty() {
            return;
        }
        match self.try_to_write(&full) {
            Ok(ids) => full.into_iter().zip(ids).for_each(|(batch, id)| batch.succeed(Some(id))),
            Err(error) if full.len() == 1 => {
                full.into_iter().for_each(|mut batch| match batch.checkpoint.take() {
                    // The log has everything, so a checkpoint must not fail its events.
                    Some(_) => self.write(vec![batch]),
                    None => batch.fail(&error),
                });
            }
            Err(_) => full.into_iter().for_each(|batch| self.write(vec![batch])),
        }
    }

    fn try_to_write(&mut self, batches: &[Batch]) -> Result<Vec<i64>, StoreError> {
        self.in_transaction(|place, connection, faults| {
            batches.iter().map(|batch| store(place, connection, faults, batch)).collect()
        })
    }

    fn in_transaction<T>(
        &mut self,
        write: impl FnOnce(&StoreFiles, &Connection, &mut Faults) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let Self { place, connection, faults, .. } = self;
        let failed = |error| place.failure(error);
        if !connection.is_autocommit() && connection.execute_batch("ROLLBACK").is_err() {
            // A transaction that cannot be rolled back ends with its connection.
            *connection = connect(place, Access::Write).map_err(failed)?;
        }
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = write(place, &transaction, faults)?;
        faults.step().map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.queue.close();
    }
}
