//! `fs/read_text_file` and `fs/write_text_file`, inside a session's folders (FS-01 to FS-12).

use crate::file_uri::file_uri;
use crate::unsaved_text::UnsavedText;
use attache_connection::{Answer, Work};
use attache_host::{FileError, Reason, Roots};
use attache_protocol::Error;
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{
    ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The files of one session. The disk is waited for off the reading task; one request at a time and in wire order, so that a read sees
/// the write before it.
#[derive(Debug, Clone)]
pub(crate) struct Files(Arc<Mutex<Option<Arc<Roots>>>>);

impl Files {
    /// Inside these folders.
    pub(crate) fn new(roots: Arc<Roots>) -> Self {
        Self(Arc::new(Mutex::new(Some(roots))))
    }

    /// Of a session that is not set up yet: none can be used.
    pub(crate) fn none() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn read(
        &self,
        params: ReadTextFileRequest,
        unsaved: Option<Arc<dyn UnsavedText>>,
        answer: Answer<FsReadTextFile>,
    ) -> Work {
        let files = self.clone();
        answer.later(async move {
            let ReadTextFileRequest { path, line, limit, .. } = params;
            let read = move |roots: &Roots, path: &Path| {
                if let Some(unsaved) = unsaved {
                    // Looked up first: a path outside the folders is no question for the editor (FS-10).
                    let real = roots.resolve(path)?.path();
                    if let Some(text) = unsaved.text(&real) {
                        return Ok(lines(&text, line, limit)); // FS-02
                    }
                }
                roots.read_text(path, line, limit)
            };
            let text = files.with(path, read).await?;
            Ok(ReadTextFileResponse::new(text))
        })
    }

    pub(crate) fn write(
        &self,
        params: WriteTextFileRequest,
        unsaved: Option<Arc<dyn UnsavedText>>,
        answer: Answer<FsWriteTextFile>,
    ) -> Work {
        let files = self.clone();
        answer.later(async move {
            let WriteTextFileRequest { path, content, .. } = params;
            let write = move |roots: &Roots, path: &Path| {
                if let Some(unsaved) = unsaved {
                    let real = roots.resolve(path)?.path();
                    if unsaved.replace(&real, &content) {
                        return Ok(());
                    }
                }
                roots.write(path, content)
            };
            files.with(path, write).await?;
            Ok(WriteTextFileResponse::new())
        })
    }

    /// Does `work` where it may block. The turn in the queue is taken at the first poll, which the connection makes in wire order, and
    /// kept until the work is done, even if its caller is gone by then.
    async fn with<T: Send + 'static>(
        self,
        path: String,
        work: impl FnOnce(&Roots, &Path) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, Error> {
        if !Path::new(&path).is_absolute() {
            return Err(Error::invalid_params(format!(
                "the path \"{path}\" is not absolute: give its full path"
            ))); // FS-08
        }
        let roots = self.0.lock_owned().await;
        let done = tokio::task::spawn_blocking(move || Some(work(roots.as_ref()?, Path::new(&path)))).await;
        match done {
            Ok(Some(outcome)) => outcome.map_err(|error| refusal(&error)),
            Ok(None) => Err(Error::invalid_request("the session is not set up yet: wait for it")),
            Err(_) => Err(Error::internal("the file could not be worked on: this program is ending")),
        }
    }
}

/// From `line` on, which is 1 for the first and for 0, at most `limit` lines; nothing past the end (FS-03, FS-04).
fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> String {
    let skipped = line.unwrap_or(1).saturating_sub(1) as usize;
    let rest = text.split_inclusive('\n').skip(skipped);
    rest.take(limit.map_or(usize::MAX, |limit| limit as usize)).collect()
}

/// What the agent is told: a sentence for its model, and the codes of requirements §3.15.
fn refusal(error: &FileError) -> Error {
    match error.reason() {
        Reason::NotFound => {
            Error { message: error.to_string(), ..Error::resource_not_found_file(&file_uri(error.path())) } // FS-09
        }
        Reason::Denied(_) | Reason::Io(_) | Reason::Changed => Error::internal(error.to_string()),
        _ => Error::invalid_params(error.to_string()),
    }
}
