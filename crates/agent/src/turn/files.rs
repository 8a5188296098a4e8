//! The files of a session: through the client if it supports that, else on this machine.

use crate::{Error, Result, Turn};
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{ReadTextFileRequest, WriteTextFileRequest};
use std::path::{Component, Path, PathBuf};

impl Turn {
    /// Returns whether the client can read files for the agent, including unsaved changes in its
    /// editor.
    // FS-01.
    pub fn client_reads(&self) -> bool {
        self.client().fs.read_text_file
    }

    /// Returns whether the client can write files for the agent.
    // FS-01.
    pub fn client_writes(&self) -> bool {
        self.client().fs.write_text_file
    }

    /// Reads a file through the client, including unsaved changes: at most `limit` lines from
    /// `line` on. The first line is 1.
    ///
    /// # Errors
    /// Returns [`Error::Client`] if the client does not support this or refuses; [`Error::Invalid`]
    /// if the path is not absolute or the line is 0; or the same errors as [`Turn::say`].
    // FS-02.
    pub async fn read_text_file(
        &self,
        path: impl AsRef<Path>,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String> {
        if line == Some(0) {
            return Err(Error::invalid("a file has no line 0: the first line is 1"));
        }
        let mut request =
            ReadTextFileRequest::new(self.session_id().clone(), absolute(path.as_ref())?);
        (request.line, request.limit) = (line, limit);
        Ok(self.call::<FsReadTextFile>(&request).await?.content)
    }

    /// Writes a whole file through the client.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::read_text_file`].
    // FS-06.
    pub async fn write_text_file(&self, path: impl AsRef<Path>, text: &str) -> Result<()> {
        let request =
            WriteTextFileRequest::new(self.session_id().clone(), absolute(path.as_ref())?, text);
        self.call::<FsWriteTextFile>(&request).await.map(drop)
    }

    /// Reads a file inside the session's roots: through the client if it can read files, else, with
    /// the feature `host`, on this machine. A relative path starts at the working directory.
    ///
    /// Through the client, only the text of the path is checked; the client must check symbolic
    /// links. On this machine, links are followed inside the roots only, and a file that is larger
    /// than 32 MiB or not text is refused.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if the path is outside of the roots, the line is 0, or the file
    /// cannot be read; [`Error::Client`] if the client refuses, or if it cannot read files and the
    /// feature is off; or the same errors as [`Turn::say`].
    // SESS-03, SESS-05, FS-10.
    pub async fn read_file(
        &self,
        path: impl AsRef<Path>,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String> {
        let path = within_roots(path.as_ref(), self.roots())?;
        #[cfg(feature = "host")]
        if !self.client_reads() {
            return self.read_here(path, line, limit).await;
        }
        self.read_text_file(path, line, limit).await
    }

    /// Creates a file inside the session's roots or replaces its text: through the client if it can
    /// write files, else, with the feature `host`, on this machine, where the replacement is
    /// atomic. Otherwise like [`Turn::read_file`].
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::read_file`].
    pub async fn write_file(&self, path: impl AsRef<Path>, text: &str) -> Result<()> {
        let path = within_roots(path.as_ref(), self.roots())?;
        #[cfg(feature = "host")]
        if !self.client_writes() {
            return self.write_here(path, text.to_owned()).await;
        }
        self.write_text_file(path, text).await
    }
}

fn absolute(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) if path.is_absolute() => Ok(text.to_owned()),
        Some(_) => Err(Error::invalid(format!("the path {} is not absolute", path.display()))),
        None => Err(Error::invalid(format!("the path {} is not UTF-8", path.display()))),
    }
}

/// Returns the absolute path if its text is inside one of the roots. A relative path starts at the
/// first root; `.` and `..` are resolved.
pub(crate) fn within_roots(path: &Path, roots: &[PathBuf]) -> Result<String> {
    let cwd = roots.first().map_or(Path::new("/"), PathBuf::as_path);
    let plain = plain(&cwd.join(path));
    if !roots.iter().any(|root| plain.starts_with(self::plain(root))) {
        let path = path.display();
        return Err(Error::invalid(format!("the path {path} is outside of the session's folders")));
    }
    absolute(&plain)
}

/// Returns the path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::within_roots;
    use std::path::{Path, PathBuf};

    /// SESS-03, SESS-05.
    #[test]
    fn paths_stay_inside_the_roots() {
        let roots = [PathBuf::from("/work/x/../a/"), PathBuf::from("/more")];
        for (path, inside) in [
            ("b/c.rs", Some("/work/a/b/c.rs")),
            ("/work/a/./x/../y", Some("/work/a/y")),
            ("/more/z", Some("/more/z")),
            (".", Some("/work/a")),
            ("../b", None),
            ("/work/ab", None),
            ("/work/a/../../etc/passwd", None),
            ("/etc/passwd", None),
        ] {
            assert_eq!(within_roots(Path::new(path), &roots).ok().as_deref(), inside, "{path}");
        }
    }
}
