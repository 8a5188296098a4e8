//! Serving `fs/read_text_file` and `fs/write_text_file` inside a session's folders and with
//! permission (FS-01 to FS-12).
//!
//! A write runs if a permission request from the agent approved it; otherwise the session's
//! permissions decide. The same applies to reading a file with secrets, and to a read that a rule
//! denies. Other reads need no permission. Requests run in wire order, so that a read sees the
//! writes before it. Other requests continue while a person decides. Before anything is written,
//! the file is compared with the content that the person saw.

use crate::permission::PermissionRequest;
use crate::permission::file_action::{FileState, Found};
use crate::session::live_session::LiveSession;
use crate::session::live_session::asking::Permitted;
use crate::text_files::file_uri::file_uri;
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{Responder, Work};
use attache_host::{FileError, Reason};
use attache_policy::{Folders, Guard};
use attache_protocol::Error;
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{
    ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of times that a person is asked about one request. They are asked again if
/// the file changes while they decide.
const QUESTIONS: usize = 3;

/// `fs/read_text_file`.
pub(crate) fn read(
    live: Arc<LiveSession>,
    params: ReadTextFileRequest,
    unsaved: Option<Arc<dyn UnsavedText>>,
    answer: Responder<FsReadTextFile>,
) -> Work {
    answer.later(async move {
        let ReadTextFileRequest { path, line, limit, .. } = params;
        let request = Request { live, path: absolute(path)?, unsaved };
        let text = request.permitted(move |attempt| attempt.read(line, limit)).await?;
        Ok(ReadTextFileResponse::new(text))
    })
}

/// `fs/write_text_file`.
pub(crate) fn write(
    live: Arc<LiveSession>,
    params: WriteTextFileRequest,
    unsaved: Option<Arc<dyn UnsavedText>>,
    answer: Responder<FsWriteTextFile>,
) -> Work {
    answer.later(async move {
        let WriteTextFileRequest { path, content, .. } = params;
        let request = Request { live, path: absolute(path)?, unsaved };
        let content: Arc<str> = content.into();
        request.permitted(move |attempt| attempt.write(&content)).await?;
        Ok(WriteTextFileResponse::new())
    })
}

fn absolute(path: String) -> Result<PathBuf, Error> {
    if !Path::new(&path).is_absolute() {
        return Err(Error::invalid_params(format!(
            "the path \"{path}\" is not absolute: give its full path"
        ))); // FS-08
    }
    Ok(path.into())
}

/// A request about one file.
#[derive(Clone)]
struct Request {
    live: Arc<LiveSession>,
    path: PathBuf,
    unsaved: Option<Arc<dyn UnsavedText>>,
}

/// The state of a file that a person decides about: its path and its content.
#[derive(PartialEq)]
struct Seen {
    resolved: PathBuf,
    state: FileState,
}

/// The outcome of one attempt.
enum Tried<T> {
    Done(T),
    /// The person must be asked first.
    Ask(Box<PermissionRequest>, Seen),
}

/// One attempt to serve a request, during the request's turn.
struct Attempt {
    request: Request,
    folders: Arc<Folders>,
    /// The state of the file that a person allowed.
    allowed: Option<Seen>,
}

impl Request {
    /// Runs `work` on a thread that may block, and asks for permission first if necessary. The
    /// request keeps its turn until the work is done, even if its caller is gone. It gives up its
    /// turn while a person is asked.
    async fn permitted<T: Send + 'static>(
        self,
        work: impl Fn(&Attempt) -> Result<Tried<T>, Error> + Clone + Send + 'static,
    ) -> Result<T, Error> {
        let mut allowed = None;
        for _ in 0..=QUESTIONS {
            let turn = self.live.files().turn().await;
            let folders = turn.clone().ok_or_else(not_set_up)?;
            let attempt = Attempt { request: self.clone(), folders, allowed: allowed.take() };
            let work = work.clone();
            let tried = tokio::task::spawn_blocking(move || {
                let tried = work(&attempt);
                drop(turn);
                tried
            });
            match tried.await.map_err(|_| ending())?? {
                Tried::Done(done) => return Ok(done),
                Tried::Ask(request, seen) => match self.live.permits(*request).await {
                    Permitted::Yes => allowed = Some(seen),
                    Permitted::No => return Err(not_allowed(&self.path)),
                    Permitted::Withdrawn => return Err(Error::request_cancelled()),
                },
            }
        }
        let path = self.path.display();
        Err(Error::internal(format!(
            "{path} changed each time while the person decided: try again later"
        )))
    }
}

impl Attempt {
    fn read(&self, line: Option<u32>, limit: Option<u32>) -> Result<Tried<String>, Error> {
        let found = self.found()?;
        if let Some(asks) = self.asks_to_read(&found)? {
            return Ok(asks);
        }
        if let Some(text) = self.unsaved().and_then(|unsaved| unsaved.text(&found.action.resolved))
        {
            return Ok(Tried::Done(lines(&text, line, limit))); // FS-02
        }
        let text = self.folders.roots().read_text_at(&found.resolved, line, limit);
        text.map(Tried::Done).map_err(|error| self.refusal(&error))
    }

    fn write(&self, content: &str) -> Result<Tried<()>, Error> {
        let found = self.found()?;
        if names_folder(&self.request.path) {
            return Err(self.refusal(&FileError::new(&self.request.path, Reason::Folder)));
        }
        let live = &self.request.live;
        let state =
            found.state(&self.folders, self.unsaved()).map_err(|error| self.refusal(&error))?;
        let seen = Seen { resolved: found.action.resolved.clone(), state };
        let is_allowed = self.allowed.as_ref() == Some(&seen)
            || live.approved(|approvals| {
                approvals.take_write(&seen.resolved, &seen.state, content.as_bytes())
            });
        if !is_allowed {
            let protected = found.guard(&self.folders);
            let mut request =
                found.action.write(live.next_question(), &seen.state, content, protected);
            request.covered = protected.is_none()
                && live.approved(|approvals| approvals.covers_write(&seen.resolved));
            if let Some(asks) = self.decide(request, seen)? {
                return Ok(asks);
            }
        }
        if self.unsaved().is_some_and(|unsaved| unsaved.replace(&found.action.resolved, content)) {
            return Ok(Tried::Done(()));
        }
        let written = self.folders.roots().write_at(&found.resolved, content);
        written.map(Tried::Done).map_err(|error| self.refusal(&error))
    }

    /// Asks before a read if the file holds secrets or if a rule denies the read.
    fn asks_to_read<T>(&self, found: &Found) -> Result<Option<Tried<T>>, Error> {
        let live = &self.request.live;
        let seen = Seen { resolved: found.action.resolved.clone(), state: FileState::Missing };
        if self.allowed.as_ref() == Some(&seen) {
            return Ok(None);
        }
        let protected = found.guard(&self.folders).filter(|guard| *guard == Guard::Secret);
        let question = || found.action.read(live.next_question(), protected);
        let needs_a_question = match protected {
            Some(_) => !live.approved(|approvals| approvals.take_read(&seen.resolved)),
            None => live.permissions().rejects(&found.action.read(live.no_question(), None)),
        };
        if needs_a_question { self.decide(question(), seen) } else { Ok(None) }
    }

    /// Decides whether the work may begin: the person must be asked if the permissions do not
    /// decide at once.
    fn decide<T>(&self, request: PermissionRequest, seen: Seen) -> Result<Option<Tried<T>>, Error> {
        match self.request.live.permits_at_once(&request) {
            Some(Permitted::Yes) => Ok(None),
            Some(Permitted::No) => Err(not_allowed(&self.request.path)),
            Some(Permitted::Withdrawn) => Err(Error::request_cancelled()),
            None => Ok(Some(Tried::Ask(Box::new(request), seen))),
        }
    }

    /// A path outside of the folders is refused before any other check (FS-10).
    fn found(&self) -> Result<Found, Error> {
        Found::at(&self.folders, &self.request.path).map_err(|error| self.refusal(&error))
    }

    fn unsaved(&self) -> Option<&dyn UnsavedText> {
        self.request.unsaved.as_deref()
    }

    fn refusal(&self, error: &FileError) -> Error {
        refusal(&self.request.path, error)
    }
}

/// Whether the path is written as that of a folder: whether it ends with `/` or `/.`.
fn names_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// The text from `line` on, at most `limit` lines. 0 and 1 mean the first line. Past the end the
/// text is empty (FS-03, FS-04).
fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> String {
    let skipped = line.unwrap_or(1).saturating_sub(1) as usize;
    let rest = text.split_inclusive('\n').skip(skipped);
    rest.take(limit.map_or(usize::MAX, |limit| limit as usize)).collect()
}

fn not_set_up() -> Error {
    Error::invalid_request("the session is not set up yet: wait for it")
}

fn ending() -> Error {
    Error::internal("the file could not be read or written: this program is ending")
}

fn not_allowed(path: &Path) -> Error {
    Error::internal(format!(
        "this client does not let you use {}: no person, rule or setting allows it, and nothing was done",
        path.display()
    ))
}

/// The error for the agent: a sentence for its model, and the codes of requirements §3.15.
fn refusal(path: &Path, error: &FileError) -> Error {
    match error.reason() {
        Reason::NotFound => {
            // FS-09.
            Error { message: error.to_string(), ..Error::resource_not_found_file(&file_uri(path)) }
        }
        Reason::Denied(_) | Reason::Io(_) | Reason::Changed => Error::internal(error.to_string()),
        _ => Error::invalid_params(error.to_string()),
    }
}
