//! Access to the current files of a session. Reads and writes go through the client if it supports
//! them, so that its editor sees changes and the agent sees unsaved text. Otherwise they go to the
//! disk.
//!
//! Text that is not in UTF-8 is always read from and written to the disk, because a client would
//! convert it to UTF-8. The same applies to a file whose path is not UTF-8, because the protocol
//! cannot name it.

use crate::models::Picture;
use crate::tools::files::binary;
use crate::tools::files::document::{Document, Encoding};
use crate::tools::thread::{CancelFlag, blocking};
use attache_agent::{Error, Result, Turn};
use attache_host::{FileError, Reason};
use attache_policy::{Folders, Place};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;

/// The maximum size of a file to read, in bytes. A client's response with the escaped text must fit
/// on one line of the protocol.
const MAX_SIZE: u64 = 4 * 1024 * 1024;

/// How many bytes of a larger file are examined to describe it.
const START: u64 = 8 * 1024;

/// The state of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Nothing,
    Folder,
    Text(Document),
    /// A picture that models accept.
    Picture(Picture, Vec<u8>),
    /// Any other file.
    Other {
        /// A description for people: `a gzip archive`, `too large: …`.
        what: String,
        stamp: Stamp,
    },
}

/// The length, modification time and inode of a file that is not read. If the file changes, so does
/// this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) length: u64,
    changed: (i64, i64),
    number: u64,
}

/// The fingerprint of a file. If the file changes, so does its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fingerprint {
    Nothing,
    Folder,
    /// The length and the hash.
    Held(u64, u64),
    Stamped(Stamp),
}

impl State {
    /// The reason why the file has no text. The participle `done`, such as `changed`, says what was
    /// to happen to the text.
    pub(crate) fn no_text(&self, shown: &str, done: &str) -> String {
        match self {
            Self::Nothing => format!("{shown} does not exist: check the path"),
            Self::Folder => format!("{shown} is a folder: give a file in it"),
            Self::Text(_) => format!("{shown} is a text file"),
            Self::Picture(picture, _) => {
                format!("{shown} is {}: only text can be {done}", picture.words())
            }
            Self::Other { what, .. } => format!("{shown} is {what}"),
        }
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Nothing => Fingerprint::Nothing,
            Self::Folder => Fingerprint::Folder,
            Self::Text(document) => fingerprint(document.text.as_bytes()),
            Self::Picture(_, bytes) => fingerprint(bytes),
            Self::Other { stamp, .. } => Fingerprint::Stamped(*stamp),
        }
    }
}

/// The fingerprint of bytes or text.
pub(crate) fn fingerprint(bytes: &[u8]) -> Fingerprint {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Fingerprint::Held(bytes.len() as u64, hasher.finish())
}

/// The files of a session during a turn. An inner error is a sentence for the model and the person;
/// an outer error ends the turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileAccess<'t> {
    pub(crate) turn: &'t Turn,
    pub(crate) folders: &'t Folders,
    /// Whether to use only the disk, never the client.
    pub(crate) disk_only: bool,
}

impl FileAccess<'_> {
    /// Returns the state of `place`: on the disk, or in the client for text in UTF-8 (FS-02). The
    /// disk is checked first, so that the client is not asked for a huge or binary file.
    pub(crate) async fn state(&self, place: &Place) -> Result<std::result::Result<State, String>> {
        let here = place.clone();
        let on_disk = match run_reading(self.turn, move |_| on_disk(&here)).await? {
            Ok(state) => state,
            Err(error) => return Ok(Err(sentence(place, &error))),
        };
        let by_client = match &on_disk {
            State::Nothing => true,
            State::Text(document) => document.encoding == Encoding::Utf8,
            State::Folder | State::Picture(..) | State::Other { .. } => false,
        };
        if !by_client || !self.asks(place, self.turn.client().fs.read_text_file) {
            return Ok(Ok(on_disk));
        }
        match self.turn.read_text_file(&place.absolute, None, None).await {
            Ok(text) if text.len() as u64 > MAX_SIZE => {
                Ok(Err(too_large(place, text.len() as u64)))
            }
            Ok(text) if lacks_only_its_end(&text, &on_disk) => Ok(Ok(on_disk)),
            Ok(text) => Ok(Ok(State::Text(Document::new(text)))),
            Err(Error::Client(_)) if on_disk == State::Nothing => Ok(Ok(on_disk)),
            Err(Error::Client(error)) => {
                Ok(Err(format!("the client could not read {}: {error}", place.shown)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the text at `place`. `done` says what is to happen to it, such as `changed`.
    pub(crate) async fn text(
        &self,
        place: &Place,
        done: &str,
    ) -> Result<std::result::Result<Document, String>> {
        Ok(match self.state(place).await? {
            Ok(State::Text(document)) => Ok(document),
            Ok(other) => Err(other.no_text(&place.shown, done)),
            Err(why) => Err(why),
        })
    }

    /// Whether to access this place through the client. `offers` says whether the client supports
    /// it.
    fn asks(&self, place: &Place, offers: bool) -> bool {
        offers && !self.disk_only && place.absolute.to_str().is_some()
    }

    /// Replaces or creates a file with this text.
    pub(crate) async fn write(
        &self,
        place: &Place,
        document: &Document,
    ) -> Result<std::result::Result<(), String>> {
        if document.encoding == Encoding::Utf8
            && self.asks(place, self.turn.client().fs.write_text_file)
        {
            // The client gets only the path, so it would follow a link that another program has
            // just created there.
            let check =
                |folders: &Folders, place: &Place| folders.roots().check_unchanged(&place.resolved);
            if let Err(why) = self.on_disk(place, check).await? {
                return Ok(Err(why));
            }
            return match self.turn.write_text_file(&place.absolute, &document.text).await {
                Err(Error::Client(error)) => {
                    Ok(Err(format!("the client could not write {}: {error}", place.shown)))
                }
                written => written.map(Ok),
            };
        }
        match document.bytes() {
            Ok(bytes) => self.write_bytes(place, bytes).await,
            Err(character) => Ok(Err(missing_character(place, document, character))),
        }
    }

    /// Replaces or creates a file on the disk atomically.
    pub(crate) async fn write_bytes(
        &self,
        place: &Place,
        bytes: Vec<u8>,
    ) -> Result<std::result::Result<(), String>> {
        self.on_disk(place, move |_, place| place.resolved.write(bytes)).await
    }

    /// Removes a file or an empty folder.
    pub(crate) async fn remove(
        &self,
        place: &Place,
        is_folder: bool,
    ) -> Result<std::result::Result<(), String>> {
        self.on_disk(place, move |_, place| match is_folder {
            true => place.resolved.remove_folder(),
            false => place.resolved.remove_file(),
        })
        .await
    }

    /// Moves a file to an unused path.
    pub(crate) async fn move_file(
        &self,
        from: &Place,
        to: &Place,
    ) -> Result<std::result::Result<(), String>> {
        let target = to.clone();
        let moved = self.on_disk(from, move |_, from| from.resolved.move_to(&target.resolved));
        let named = |why: String| why.replace(&to.resolved.path().display().to_string(), &to.shown);
        Ok(moved.await?.map_err(named))
    }

    /// Runs `work`, which may change the disk. It runs to its end even if the turn is cancelled.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        place: &Place,
        work: impl FnOnce(&Folders, &Place) -> std::result::Result<T, FileError> + Send + 'static,
    ) -> Result<std::result::Result<T, String>> {
        let (folders, here) = (self.folders.clone(), place.clone());
        let done = blocking(move |_| work(&folders, &here)).await?;
        Ok(done.map_err(|error| sentence(place, &error)))
    }
}

/// Runs `work`, which only reads. A cancelled turn does not wait for it.
pub(crate) async fn run_reading<T: Send + 'static>(
    turn: &Turn,
    work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
) -> Result<T> {
    tokio::select! {
        biased;
        () = turn.cancelled() => Err(Error::Cancelled),
        done = blocking(work) => done,
    }
}

/// Returns whether a client's text is that of the file on the disk without the last line end. Some
/// clients read a file line by line and return it so. The file would lose the line end with every
/// edit.
fn lacks_only_its_end(text: &str, on_disk: &State) -> bool {
    let State::Text(document) = on_disk else { return false };
    document.text.strip_prefix(text).is_some_and(|rest| matches!(rest, "\n" | "\r\n"))
}

fn on_disk(place: &Place) -> std::result::Result<State, FileError> {
    let path = place.resolved.path();
    let file = match place.resolved.open_read() {
        Ok(file) => file,
        Err(error) => {
            return match error.reason() {
                Reason::NotFound => Ok(State::Nothing),
                Reason::Folder => Ok(State::Folder),
                _ => Err(error),
            };
        }
    };
    let io = |error: std::io::Error| FileError::new(&path, error.into());
    let found = file.metadata().map_err(io)?;
    let most = if found.len() > MAX_SIZE { START } else { MAX_SIZE + 1 };
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(io)?;
    let length = found.len().max(bytes.len() as u64);
    let other = |what: String| State::Other { what, stamp: stamp(&found) };
    if let Some(picture) = Picture::of(&bytes) {
        return Ok(match picture.refused(length) {
            Some(why) => other(why),
            None => State::Picture(picture, bytes),
        });
    }
    let start: Vec<u8> = bytes.iter().take(START as usize).copied().collect();
    let binary = || other(format!("{}: only text and pictures can be read", binary::what(&start)));
    if length > MAX_SIZE {
        // The bytes may end in the middle of a character.
        let is_text =
            std::str::from_utf8(&start).map_or_else(|error| error.error_len().is_none(), |_| true);
        return Ok(match is_text && !start.contains(&0) {
            true => other(large(length)),
            false => binary(),
        });
    }
    Ok(Document::of(bytes).map_or_else(binary, State::Text))
}

fn stamp(found: &Metadata) -> Stamp {
    Stamp { length: found.len(), changed: (found.mtime(), found.mtime_nsec()), number: found.ino() }
}

fn large(length: u64) -> String {
    format!("too large: it has {length} bytes and the limit is {MAX_SIZE}; use a search instead")
}

fn too_large(place: &Place, length: u64) -> String {
    format!("{} is {}", place.shown, large(length))
}

/// The message about a character that does not exist in the file's encoding.
pub(crate) fn missing_character(place: &Place, document: &Document, character: char) -> String {
    format!(
        "{} is in {}, which has no {character:?}: leave that character out, or convert the file first",
        place.shown,
        document.encoding.name()
    )
}

/// The error, with the display name of the file.
pub(crate) fn sentence(place: &Place, error: &FileError) -> String {
    error.to_string().replace(&error.path().display().to_string(), &place.shown)
}
