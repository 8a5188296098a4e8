//! `fs/read_text_file` and `fs/write_text_file` on real files inside the session's folders.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol::v1::schema::{
    ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest, WriteTextFileResponse,
};
use agent_client_protocol::{Error, ErrorCode, Result};
use serde_json::json;

use official_peers::client::events::Events;

pub(crate) struct Files {
    /// Canonical paths; only files inside them are read or written.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) events: Arc<Events>,
}

impl Files {
    pub(crate) fn read(&self, request: &ReadTextFileRequest) -> Result<ReadTextFileResponse> {
        self.events.print("read", json!({"path": request.path}));
        let path = self.inside(&request.path)?;
        // Reading a pipe could block forever.
        if !std::fs::metadata(&path).map_err(|error| io_error(&path, &error))?.is_file() {
            return Err(Error::new(
                ErrorCode::INTERNAL_ERROR,
                format!("{} is not a file", path.display()),
            ));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| io_error(&path, &error))?;
        let skipped = request.line.unwrap_or(1).saturating_sub(1) as usize;
        let lines = text.split_inclusive('\n').skip(skipped);
        Ok(ReadTextFileResponse::new(match request.limit {
            Some(limit) => lines.take(limit as usize).collect::<String>(),
            None => lines.collect(),
        }))
    }

    pub(crate) fn write(&self, request: &WriteTextFileRequest) -> Result<WriteTextFileResponse> {
        self.events.print("write", json!({"path": request.path}));
        let path = self.inside(&request.path)?;
        std::fs::write(&path, &request.content).map_err(|error| io_error(&path, &error))?;
        Ok(WriteTextFileResponse::new())
    }

    /// Returns the real path. For a missing file, the real path of its folder counts; a dangling
    /// link is refused.
    fn inside(&self, path: &Path) -> Result<PathBuf> {
        let real = match (path.canonicalize(), path.parent(), path.file_name()) {
            (Ok(real), ..) => real,
            (Err(_), Some(folder), Some(name)) if path.symlink_metadata().is_err() => {
                folder.canonicalize().map_err(|error| io_error(path, &error))?.join(name)
            }
            (Err(error), ..) => return Err(io_error(path, &error)),
        };
        if path.is_absolute() && self.roots.iter().any(|root| real.starts_with(root)) {
            return Ok(real);
        }
        let reason =
            format!("{} is not an absolute path inside the session's folders", path.display());
        Err(Error::invalid_params().data(reason))
    }
}

/// The error for a missing file names its URI (FS-09).
fn io_error(path: &Path, error: &std::io::Error) -> Error {
    let words = format!("{}: {error}", path.display());
    if error.kind() == ErrorKind::NotFound {
        let uri = format!("file://{}", path.display());
        return Error::new(ErrorCode::RESOURCE_NOT_FOUND, words).data(json!({"uri": uri}));
    }
    Error::new(ErrorCode::INTERNAL_ERROR, words)
}
