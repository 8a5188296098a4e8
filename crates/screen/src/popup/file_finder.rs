//! The files of a folder, found and matched on threads of their own.

use super::fuzzy::{Matcher, Pattern};
use ignore::{DirEntry, WalkBuilder};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The maximum number of files; others are not found.
const FILES: usize = 500_000;

/// The number of files that the walker hands over at once.
const BATCH: usize = 2_000;

/// The number of files that are matched between two looks at a newer query.
const SLICE: usize = 2_000;

/// The maximum number of results.
const RESULTS: usize = 100;

/// The time between two reports of one search.
const REPORT: Duration = Duration::from_millis(50);

/// Finds files of a folder by fuzzy search. Ignore files are honoured, and `.git` is left out.
///
/// One thread walks the folder and another one matches, so that no call waits for the disk or for
/// a long list. The threads end when the finder is dropped, which waits for the walker's current
/// folder.
pub struct FileFinder {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// A file that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The path, relative to the folder, with `/`.
    pub path: Arc<str>,
    /// The byte positions of the characters that match.
    pub matched: Vec<usize>,
}

/// The result of a search, which can be incomplete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundFiles {
    /// The query that was searched.
    pub query: String,
    /// The best matches, the best first; at most 100.
    pub files: Vec<FoundFile>,
    /// The number of matches.
    pub matches: usize,
    /// The number of files that are known.
    pub known: usize,
    /// Whether more files can follow.
    pub searching: bool,
    /// The number of the report; a newer one has a larger number.
    pub report: u64,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// The number of the newest query, so that an older search can stop.
    newest: AtomicU64,
    ended: AtomicBool,
    notify: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The query; `None` before the first search.
    query: Option<String>,
    files: Arc<Vec<Arc<str>>>,
    /// The number of changes of the query and of the files.
    changes: u64,
    /// Whether the folder is to be walked.
    walk: bool,
    /// Whether the folder will be or is being walked.
    walking: bool,
    found: FoundFiles,
}

impl fmt::Debug for FileFinder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileFinder").finish_non_exhaustive()
    }
}

impl FileFinder {
    /// Returns a finder for the files of `folder`, which it lists from the first search on. Calls
    /// `notify` on a thread of the finder when [`found_since`](Self::found_since) returns something
    /// new; `notify` must not wait.
    ///
    /// # Errors
    /// Returns an error if a thread cannot be started.
    pub fn start(folder: &Path, notify: Arc<dyn Fn() + Send + Sync>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            newest: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            notify,
        });
        let mut finder = Self { shared: shared.clone(), threads: Vec::new() };
        let (walker, folder) = (shared.clone(), folder.to_owned());
        finder.run("files", move || walker.walk_on_request(&folder))?;
        finder.run("file-search", move || shared.search_on_request())?;
        Ok(finder)
    }

    fn run(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(std::thread::Builder::new().name(name.to_owned()).spawn(work)?);
        Ok(())
    }

    /// Searches for files; an earlier search stops. Returns at once.
    pub fn search(&self, query: &str) {
        let mut state = self.shared.lock();
        if state.query.is_none() {
            (state.walk, state.walking) = (true, true);
        }
        state.query = Some(query.to_owned());
        state.changes += 1;
        self.shared.newest.fetch_add(1, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }

    /// Lists the files of the folder once more if there was a search before, because files can be
    /// new. The known files stay until the new list is complete.
    pub fn refresh(&self) {
        let mut state = self.shared.lock();
        if !state.walking && state.query.is_some() {
            (state.walk, state.walking) = (true, true);
            self.shared.changed.notify_all();
        }
    }

    /// Returns the result of the newest search that has one, if it is newer than this report.
    pub fn found_since(&self, report: u64) -> Option<FoundFiles> {
        let state = self.shared.lock();
        (state.found.report > report).then(|| state.found.clone())
    }
}

impl Drop for FileFinder {
    fn drop(&mut self) {
        {
            // Under the lock, so that a thread that is about to wait sees the end.
            let _state = self.shared.lock();
            self.shared.ended.store(true, Ordering::Relaxed);
            self.shared.newest.fetch_add(1, Ordering::Relaxed);
            self.shared.changed.notify_all();
        }
        for thread in self.threads.drain(..) {
            // The panic hook has reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready`. Returns `None` at the end of the finder.
    fn wait(&self, ready: impl Fn(&State) -> bool) -> Option<MutexGuard<'_, State>> {
        let mut state = self.lock();
        while !ready(&state) && !self.ended.load(Ordering::Relaxed) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!self.ended.load(Ordering::Relaxed)).then_some(state)
    }

    fn walk_on_request(&self, folder: &Path) {
        let mut is_first = true;
        while let Some(mut state) = self.wait(|state| state.walk) {
            state.walk = false;
            drop(state);
            let files = self.walk(folder, is_first);
            is_first = false;
            self.hand_over(files, false);
        }
    }

    /// Returns the files of the folder. Hands a first list over in batches.
    fn walk(&self, folder: &Path, in_batches: bool) -> Vec<Arc<str>> {
        let mut walk = WalkBuilder::new(folder);
        walk.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
        walk.sort_by_file_name(Ord::cmp);
        let (mut files, mut handed) = (Vec::new(), 0);
        for entry in walk.build() {
            if self.ended.load(Ordering::Relaxed) || files.len() >= FILES {
                break;
            }
            files.extend(entry.ok().and_then(|entry| path(folder, &entry)));
            // Batches grow, so that the copies of the list and the searches stay cheap.
            if in_batches && files.len() >= handed + BATCH.max(handed / 2) {
                handed = files.len();
                self.hand_over(files.clone(), true);
            }
        }
        files
    }

    fn hand_over(&self, files: Vec<Arc<str>>, walking: bool) {
        let mut state = self.lock();
        state.files = Arc::new(files);
        state.walking = walking;
        state.changes += 1;
        self.changed.notify_all();
    }

    fn search_on_request(&self) {
        let mut matcher = Matcher::default();
        let mut seen = 0;
        let news = |seen| move |state: &State| state.query.is_some() && state.changes != seen;
        while let Some(state) = self.wait(news(seen)) {
            seen = state.changes;
            let query = state.query.clone().unwrap_or_default();
            let (files, searching) = (state.files.clone(), state.walking);
            let number = self.newest.load(Ordering::Relaxed);
            drop(state);
            self.match_files(query, &files, searching, number, &mut matcher);
        }
    }

    /// Searches the files for a query until there is a newer one. Reports what it found so far
    /// from time to time.
    fn match_files(
        &self,
        query: String,
        files: &[Arc<str>],
        walking: bool,
        number: u64,
        matcher: &mut Matcher,
    ) {
        let pattern = Pattern::new(&query);
        let (mut best, mut matches) = (Best::default(), 0);
        let mut reported = Instant::now();
        for (part, slice) in files.chunks(SLICE).enumerate() {
            if self.newest.load(Ordering::Relaxed) != number {
                return;
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                let found = best.files(files, &pattern, matcher);
                self.report(&query, found, matches, files.len(), true);
            }
            for (at, path) in slice.iter().enumerate() {
                if let Some(score) = rank(&pattern, path, matcher) {
                    matches += 1;
                    best.add(score, part * SLICE + at);
                }
            }
        }
        if self.newest.load(Ordering::Relaxed) == number {
            let found = best.files(files, &pattern, matcher);
            self.report(&query, found, matches, files.len(), walking);
        }
    }

    fn report(
        &self,
        query: &str,
        files: Vec<FoundFile>,
        matches: usize,
        known: usize,
        searching: bool,
    ) {
        let query = query.to_owned();
        let mut state = self.lock();
        let report = state.found.report + 1;
        state.found = FoundFiles { query, files, matches, known, searching, report };
        drop(state);
        (self.notify)();
    }
}

/// Returns the path of a file relative to the folder, if it is UTF-8. A symbolic link counts if it
/// leads to a file below the folder, because others cannot be attached.
fn path(folder: &Path, entry: &DirEntry) -> Option<Arc<str>> {
    let kind = entry.file_type()?;
    let is_file = match kind.is_symlink() {
        true => {
            let target = entry.path().canonicalize().ok()?;
            target.is_file() && target.starts_with(folder.canonicalize().ok()?)
        }
        false => kind.is_file(),
    };
    let path = entry.path().strip_prefix(folder).ok()?.to_str()?;
    is_file.then(|| Arc::from(path))
}

/// Returns how well a path matches. Without a pattern, files near the folder come first.
fn rank(pattern: &Pattern, path: &str, matcher: &mut Matcher) -> Option<i32> {
    match pattern.is_empty() {
        true => i32::try_from(path.matches('/').count()).ok().map(|depth| -depth),
        false => matcher.score(pattern, path),
    }
}

/// The best matches so far, by their scores; of equal ones, the first.
#[derive(Default)]
struct Best {
    heap: BinaryHeap<Reverse<(i32, Reverse<usize>)>>,
}

impl Best {
    fn add(&mut self, score: i32, index: usize) {
        self.heap.push(Reverse((score, Reverse(index))));
        if self.heap.len() > RESULTS {
            self.heap.pop();
        }
    }

    fn files(
        &self,
        files: &[Arc<str>],
        pattern: &Pattern,
        matcher: &mut Matcher,
    ) -> Vec<FoundFile> {
        let mut best: Vec<_> = self.heap.iter().map(|Reverse(entry)| *entry).collect();
        best.sort_unstable_by(|one, other| other.cmp(one));
        let found = best.into_iter().filter_map(|(_, Reverse(index))| files.get(index));
        let file = |path: &Arc<str>| FoundFile {
            path: path.clone(),
            matched: matcher.positions(pattern, path),
        };
        found.map(file).collect()
    }
}
