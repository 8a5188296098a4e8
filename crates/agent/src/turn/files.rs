//! Files of a session: through the client where it offers that, else through this machine.

use crate::{Error, Result, Turn};
use attache_protocol::method::{FsReadTextFile, FsWriteTextFile};
use attache_protocol::v1::{ReadTextFileRequest, WriteTextFileRequest};
use std::path::{Component, Path, PathBuf};

impl Turn {
    /// Whether the client reads files for the agent, as its editor has them (FS-01).
    pub fn client_reads(&self) -> bool {
        self.client().fs.read_text_file
    }

    /// Whether the client writes files for the agent (FS-01).
    pub fn client_writes(&self) -> bool {
        self.client().fs.write_text_file
    }

    /// Reads a file through the client, unsaved changes included (FS-02): from `line`, the first of
    /// which is 1, at most `limit` lines.
    ///
    /// # Errors
    /// [`Error::Client`] if the client does not offer this or refuses, [`Error::Invalid`] for a
    /// path that is not absolute or a line 0, and as [`Turn::say`].
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

    /// Writes a whole file through the client (FS-06).
    ///
    /// # Errors
    /// As [`Turn::read_text_file`].
    pub async fn write_text_file(&self, path: impl AsRef<Path>, text: &str) -> Result<()> {
        let request =
            WriteTextFileRequest::new(self.session_id().clone(), absolute(path.as_ref())?, text);
        self.call::<FsWriteTextFile>(&request).await.map(drop)
    }

    /// Reads a file inside the session's roots: through the client if it reads files, else, with
    /// the feature `host`, from this machine. A relative path starts at the working directory
    /// (SESS-03, SESS-05).
    ///
    /// Through the client, a path is checked by its words; where symbolic links lead is the
    /// client's to watch (FS-10). On this machine links are followed inside the roots only, and a
    /// file of more than 32 MiB or that is no text is refused.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a path outside of the roots or a line 0, and for a file that cannot
    /// be read; [`Error::Client`] if the client refuses, or if it reads no files and the feature is
    /// off; and as [`Turn::say`].
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

    /// Replaces the text of a file inside the session's roots, or makes the file: through the
    /// client if it writes files, else, with the feature `host`, on this machine, where a file is
    /// replaced whole or not at all. Otherwise as [`Turn::read_file`].
    ///
    /// # Errors
    /// As [`Turn::read_file`].
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

/// The absolute path, if by its words it is inside one of the roots. A relative one starts at the
/// first root; `.` and `..` are taken out.
pub(crate) fn within_roots(path: &Path, roots: &[PathBuf]) -> Result<String> {
    let cwd = roots.first().map_or(Path::new("/"), PathBuf::as_path);
    let plain = plain(&cwd.join(path));
    if !roots.iter().any(|root| plain.starts_with(self::plain(root))) {
        let path = path.display();
        return Err(Error::invalid(format!("the path {path} is outside of the session's folders")));
    }
    absolute(&plain)
}

/// The path without `.` and `..`.
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
    fn paths_stay_inside_the_roots_by_their_words() {
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
