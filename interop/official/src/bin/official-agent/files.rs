//! Files of a session: through the client if it supports them, otherwise from disk, and only inside
//! the session's folders.

use std::io;
use std::path::{Component, Path, PathBuf};

use agent_client_protocol::v1::schema::{ReadTextFileRequest, WriteTextFileRequest};
use agent_client_protocol::{Error, Result};

use crate::turn::Turn;

/// Returns the real path. The path of a missing file is based on the nearest folder that exists.
fn real(path: &Path) -> io::Result<PathBuf> {
    match (path.symlink_metadata().is_ok(), path.parent(), path.file_name()) {
        (false, Some(folder), Some(name)) => Ok(real(folder)?.join(name)),
        _ => path.canonicalize(),
    }
}

/// Removes `.` and `..` without reading the disk.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Returns the absolute path. Relative paths belong to the session's folder (DIR-07); paths outside
/// of its folders are refused (SESS-05).
pub(crate) fn resolve(turn: &Turn, path: &str) -> Result<PathBuf> {
    let (cwd, directories) = {
        let record = turn.session.record();
        (record.cwd.clone(), record.directories.clone())
    };
    let path = plain(&cwd.join(path));
    let leads = real(&path).map_err(Error::into_internal_error)?;
    let mut roots = directories.iter().chain([&cwd]).filter_map(|root| root.canonicalize().ok());
    if roots.any(|root| leads.starts_with(root)) {
        return Ok(path);
    }
    Err(Error::invalid_params()
        .data(format!("{} is outside of the session's folders", path.display())))
}

pub(crate) async fn read(turn: &Turn, path: &Path) -> Result<String> {
    if !turn.session.offered.fs.read_text_file {
        return std::fs::read_to_string(path).map_err(Error::into_internal_error);
    }
    Ok(turn.request(ReadTextFileRequest::new(turn.session.id.clone(), path)).await?.content)
}

/// Returns the text of a file; `None` if it does not exist.
pub(crate) async fn read_if_there(turn: &Turn, path: &Path) -> Result<Option<String>> {
    let text = read(turn, path).await;
    turn.go_on()?;
    Ok(text.ok())
}

pub(crate) async fn write(turn: &Turn, path: &Path, content: &str) -> Result<()> {
    if turn.session.offered.fs.write_text_file {
        turn.request(WriteTextFileRequest::new(turn.session.id.clone(), path, content)).await?;
        return Ok(());
    }
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(path, content));
    written.map_err(Error::into_internal_error)
}
