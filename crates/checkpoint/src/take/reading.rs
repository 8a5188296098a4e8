//! Reads a file that other programs may change meanwhile.

use crate::snapshot::content_id::{ContentId, Hasher};
use crate::snapshot::entry::NotKeptReason;
use crate::take::budget::Budget;
use crate::take::folder::OpenRoot;
use crate::take::stamp::{Stamp, nanos};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::time::SystemTime;

/// How often a file is read that changes while it is read.
const ATTEMPTS: u32 = 3;

/// How many bytes of a large file are hashed before the time is checked again.
const PART: usize = 256 * 1024;

/// What was read of a file.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) id: ContentId,
    /// The bytes, unless the file is larger than the limit.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) stamp: Stamp,
    /// Whether the file may change without a new time, because the clock has made no step yet.
    pub(crate) is_racy: bool,
}

/// Why there is nothing of a file.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// It does not exist any more.
    Gone,
    Because(NotKeptReason, Stamp),
}

/// Reads a file. Its size, times and identity are the same before and after.
pub(crate) fn read(
    root: &OpenRoot,
    path: &[u8],
    file_limit: u64,
    budget: &Budget,
) -> Result<Contents, NotRead> {
    let mut last = Stamp::default();
    for _ in 0..ATTEMPTS {
        let file = match root.file(path) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::NOTDIR) => return Err(NotRead::Gone),
            Err(_) => return Err(NotRead::Because(NotKeptReason::Unreadable, last)),
        };
        let unreadable = move |_| NotRead::Because(NotKeptReason::Unreadable, last);
        let started = nanos(SystemTime::now());
        let before = fstat(&file).map_err(unreadable)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            // Another file took its place.
            return Err(NotRead::Because(NotKeptReason::ChangedWhileRead, last));
        }
        let stamp = Stamp::of(&before);
        last = stamp;
        let read = match stamp.size <= file_limit {
            true => whole(&file, stamp.size),
            false => hash(&file, budget),
        };
        let (id, bytes, length) = match read {
            Ok(Some(read)) => read,
            Ok(None) => return Err(NotRead::Because(NotKeptReason::Large, stamp)),
            Err(_) => return Err(NotRead::Because(NotKeptReason::Unreadable, stamp)),
        };
        let after = fstat(&file).map_err(unreadable)?;
        if Stamp::of(&after) == stamp && length == stamp.size {
            return Ok(Contents { id, bytes, stamp, is_racy: stamp.may_change_unseen(started) });
        }
    }
    Err(NotRead::Because(NotKeptReason::ChangedWhileRead, last))
}

type Part = (ContentId, Option<Vec<u8>>, u64);

/// Reads at most one byte more than the size, which shows that the file grew.
fn whole(file: &File, size: u64) -> io::Result<Option<Part>> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    file.take(size + 1).read_to_end(&mut bytes)?;
    let length = bytes.len() as u64;
    Ok(Some((ContentId::of(&bytes), Some(bytes), length)))
}

/// Hashes a file. Returns `None` if the time runs out.
fn hash(mut file: &File, budget: &Budget) -> io::Result<Option<Part>> {
    let mut hasher = Hasher::default();
    let mut part = vec![0; PART];
    let mut length = 0;
    loop {
        if budget.is_over() {
            return Ok(None);
        }
        let read = file.read(&mut part)?;
        if read == 0 {
            return Ok(Some((hasher.finish(), None, length)));
        }
        hasher.update(part.get(..read).unwrap_or_default());
        length += read as u64;
    }
}
