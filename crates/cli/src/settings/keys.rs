//! The file of keys, `keys.toml` in the configuration folder, as an alternative to the environment.
//! Only its owner can read it, and its contents are never shown.

use super::file::{LONGEST, not_written, written};
use crate::exit::Failure;
use crate::folder::is_missing;
use attache_protocol::Secret;
use attache_view::sanitize;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use toml_edit::DocumentMut;

/// The name of the file, which has `PROVIDER = "KEY"` on each line.
const FILE: &str = "keys.toml";

/// The stored keys.
#[derive(Debug)]
pub(crate) struct KeysFile {
    path: PathBuf,
    keys: Vec<(String, Secret)>,
    /// Whether the file exists and cannot be used.
    broken: bool,
}

impl KeysFile {
    /// Reads the file, if it exists. Problems are added to `troubles`, without any of its contents.
    pub(super) fn read(troubles: &mut Vec<String>) -> Self {
        let path =
            crate::folder::configuration().map(|folder| folder.join(FILE)).unwrap_or_default();
        let mut file = Self { path, keys: Vec::new(), broken: false };
        let text = match file.text(troubles) {
            Ok(Some(text)) => text,
            Ok(None) => return file,
            Err(why) => {
                file.broken = true;
                troubles.push(why);
                return file;
            }
        };
        let Ok(document) = text.parse::<DocumentMut>() else {
            file.broken = true;
            troubles.push(format!(
                "{} is not valid TOML: expected PROVIDER = \"KEY\" on each line; its keys are ignored",
                file.shown()
            ));
            return file;
        };
        for (provider, key) in document.iter() {
            match key.as_str().map(str::trim).filter(|key| !key.is_empty()) {
                Some(key) => file.keys.push((provider.to_owned(), Secret::from(key))),
                None => troubles.push(format!(
                    "{}: {} must be a quoted string",
                    file.shown(),
                    sanitize::line(provider)
                )),
            }
        }
        file
    }

    /// Returns the text of the file, if it exists.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if another user could have written to it.
    fn text(&self, troubles: &mut Vec<String>) -> Result<Option<String>, String> {
        let cannot = |error: io::Error| format!("{} cannot be read: {error}", self.shown());
        let file = match attache_host::open_plain_file(&self.path) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(cannot(error)),
        };
        let metadata = file.metadata().map_err(cannot)?;
        let mode = metadata.permissions().mode();
        let refused = |why: &str, what: &str| {
            Err(format!("{} {why}: its keys are ignored; {what}", self.shown()))
        };
        // SAFETY: the call takes no arguments and cannot fail.
        let own = unsafe { libc::geteuid() };
        if metadata.uid() != own && metadata.uid() != 0 {
            return refused("belongs to another user", "remove it, or make it yours with chown");
        }
        if mode & 0o002 != 0 {
            return refused(
                "can be changed by other users",
                &format!("check the keys in it, then: chmod 600 {}", self.shown()),
            );
        }
        if mode & 0o077 != 0 {
            troubles
                .push(format!("{0} can be read by other users: run chmod 600 {0}", self.shown()));
        }
        attache_host::read_open_text(&file, LONGEST).map(Some).map_err(cannot)
    }

    /// Returns the key of a provider.
    pub(crate) fn key(&self, provider: &str) -> Option<&Secret> {
        self.keys.iter().find(|(known, _)| known == provider).map(|(_, key)| key)
    }

    /// Returns whether the file exists.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns the file's path in a form that is safe to show to people.
    pub(crate) fn shown(&self) -> String {
        sanitize::visible_line(&self.path.display().to_string())
    }

    /// Stores or removes a key. Returns whether there was a key before.
    ///
    /// # Errors
    /// Returns an error if the file is broken or cannot be written.
    pub(crate) fn keep(&self, provider: &str, key: Option<&Secret>) -> Result<bool, Failure> {
        if self.broken {
            return Err(Failure::usage(format!(
                "{} cannot be used: fix it or remove it",
                self.shown()
            )));
        }
        // A file that cannot be read is broken, and was refused above.
        let text = attache_host::read_plain_text(&self.path, LONGEST).unwrap_or_default();
        let mut document: DocumentMut = text.parse().map_err(|_| {
            Failure::usage(format!("{} is not valid TOML: fix it or remove it", self.shown()))
        })?;
        let before = match key {
            Some(key) => document.insert(provider, toml_edit::value(key.expose())).is_some(),
            None => document.remove(provider).is_some(),
        };
        if key.is_none() && !before {
            return Ok(false);
        }
        // Only the owner can read a temporary file, and a renamed file keeps its mode.
        written(&self.path, &document.to_string())
            .map_err(|error| not_written(&self.shown(), &error))?;
        Ok(before)
    }
}
