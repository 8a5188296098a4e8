//! The file of the log of decisions, written by its own thread.

use attache_host::lock_folder_of;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The maximum size of the file in bytes. A larger file is renamed and replaces the older file.
const FILE: u64 = 1 << 20;

/// The largest number of decisions that may wait for the file. Further ones are not written.
const WAITING: usize = 1024;

/// How long to wait for pending lines before reporting errors.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long to wait before trying a refused lock again.
const AGAIN: Duration = Duration::from_secs(60);

/// Completes when a decision is in the file, or cannot be written.
pub(super) type Written = oneshot::Receiver<()>;

/// The file of the log. Cheap to clone. Dropping the last clone waits for the thread, which never
/// blocks for long.
#[derive(Debug, Clone)]
pub(super) struct AuditLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    file: PathBuf,
    /// The queue of lines; `None` while the log is being dropped, or if there is no thread.
    lines: Option<SyncSender<Line>>,
    thread: Option<JoinHandle<()>>,
    trouble: Arc<Mutex<Option<io::Error>>>,
}

/// A line to write, and the sender that reports the end of the write.
struct Line {
    text: Option<String>,
    written: oneshot::Sender<()>,
}

impl AuditLog {
    /// Makes a log in this file, and starts the thread that writes it.
    pub(super) fn new(file: PathBuf) -> Self {
        let (lines, waiting) = mpsc::sync_channel(WAITING);
        let trouble = Arc::<Mutex<Option<io::Error>>>::default();
        let (path, troubled) = (file.clone(), trouble.clone());
        let thread = std::thread::Builder::new().name("attache-audit".to_owned());
        let started = thread.spawn(move || write_all(&path, waiting, &troubled));
        let (lines, thread) = match started {
            Ok(thread) => (Some(lines), Some(thread)),
            Err(error) => {
                *held(&trouble) = Some(error);
                (None, None)
            }
        };
        Self(Arc::new(Shared { file, lines, thread, trouble }))
    }

    pub(super) fn file(&self) -> &Path {
        &self.0.file
    }

    /// Queues a line.
    pub(super) fn add(&self, line: String) -> Written {
        let (written, wait) = oneshot::channel();
        self.send(Line { text: Some(line), written });
        wait
    }

    /// Waits briefly for pending lines. Returns an error if any line since the last call is not in
    /// the file.
    pub(super) fn take_trouble(&self) -> Option<io::Error> {
        let (written, mut wait) = oneshot::channel();
        self.send(Line { text: None, written });
        let deadline = Instant::now() + PATIENCE;
        while matches!(wait.try_recv(), Err(oneshot::error::TryRecvError::Empty)) {
            if Instant::now() >= deadline {
                return Some(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        held(&self.0.trouble).take()
    }

    fn send(&self, line: Line) {
        let Some(lines) = &self.0.lines else { return };
        let is_text = line.text.is_some();
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = lines.try_send(line)
            && is_text
        {
            let why = "decisions arrive faster than they can be written";
            held(&self.0.trouble)
                .get_or_insert_with(|| io::Error::new(io::ErrorKind::WouldBlock, why));
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.lines = None;
        // The thread writes the queued lines and ends. It does not panic.
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

/// Adds lines until all senders are dropped.
fn write_all(file: &Path, lines: Receiver<Line>, trouble: &Mutex<Option<io::Error>>) {
    let mut rotation = None;
    for Line { text, written } in lines {
        let added = text.map_or(Ok(()), |text| append(file, &text, &mut rotation));
        if let Err(error) = added {
            *held(trouble) = Some(error);
        }
        // The receiver may have given up.
        let _ = written.send(());
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file with the older part of a log, which the next full file replaces.
pub(super) fn older(file: &Path) -> PathBuf {
    let mut name = file.to_owned().into_os_string();
    name.push(".1");
    name.into()
}

/// Adds a line in one write, so that two programs can write to the file at once. While another
/// program holds the lock of the file, the file can grow beyond its bound. The next attempt to take
/// the lock is made after `not_before`.
fn append(file: &Path, line: &str, not_before: &mut Option<Instant>) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let is_full = || fs::metadata(file).is_ok_and(|found| found.len() >= FILE);
    let mut trouble = None;
    if is_full() && not_before.is_none_or(|moment| Instant::now() >= moment) {
        match lock_folder_of(file) {
            // Another program may have renamed the file first.
            Ok(_held) if is_full() => fs::rename(file, older(file))?,
            Ok(_) => {}
            Err(error) => {
                *not_before = Some(Instant::now() + AGAIN);
                trouble = Some(error);
            }
        }
    }
    // Opening a pipe without a reader, for example, would block.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    trouble.map_or(Ok(()), Err)
}
