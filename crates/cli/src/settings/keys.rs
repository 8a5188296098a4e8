//! The file of keys, `keys.toml` in the configuration folder: for those who do not keep them in the
//! environment. Nobody but its owner may read it, and nothing shows what is in it.

use super::file::{LONGEST, not_written, written};
use crate::exit::Failure;
use crate::folder::is_missing;
use crate::show::sanitize;
use attache_protocol::Secret;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use toml_edit::DocumentMut;

/// The file, in the configuration folder: `PROVIDER = "KEY"` on each line.
const FILE: &str = "keys.toml";

/// The keys that are kept.
#[derive(Debug)]
pub(crate) struct KeysFile {
    path: PathBuf,
    keys: Vec<(String, Secret)>,
    /// Whether the file is there and cannot be read.
    broken: bool,
}

impl KeysFile {
    /// Reads the file; without one there are no keys. What is wrong with it is added to `troubles`,
    /// without a word of what is in it.
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

    /// The text of the file, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or another user could have put a key into it.
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
        // SAFETY: the call takes nothing and cannot fail.
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

    /// The key of a provider.
    pub(crate) fn key(&self, provider: &str) -> Option<&Secret> {
        self.keys.iter().find(|(known, _)| known == provider).map(|(_, key)| key)
    }

    /// Whether the file is there.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Where the file is, for people.
    pub(crate) fn shown(&self) -> String {
        sanitize::visible_line(&self.path.display().to_string())
    }

    /// Keeps a key, or forgets it. Whether there was one before.
    ///
    /// # Errors
    /// The file is broken or cannot be written.
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
        // A temporary file is its owner's alone, and so is what becomes of it.
        written(&self.path, &document.to_string())
            .map_err(|error| not_written(&self.shown(), &error))?;
        Ok(before)
    }
}
