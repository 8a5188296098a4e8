//! The file of keys, `keys.toml` in the configuration folder: for those who do not keep them in the environment. Nobody but its owner may
//! read it, and nothing shows what is in it.

use super::file::{not_written, written};
use crate::exit::Failure;
use crate::show::sanitize;
use attache_protocol::Secret;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::{fs, io};
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
    /// Reads the file; without one there are no keys. What is wrong with it is added to `troubles`, without a word of what is in it.
    pub(super) fn read(troubles: &mut Vec<String>) -> Self {
        let path = crate::folder::configuration().map(|folder| folder.join(FILE)).unwrap_or_default();
        let mut file = Self { path, keys: Vec::new(), broken: false };
        let text = match fs::read_to_string(&file.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return file,
            Err(error) => {
                file.broken = true;
                troubles.push(format!("{} cannot be read: {error}", file.shown()));
                return file;
            }
        };
        let others =
            fs::metadata(&file.path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
        if others {
            troubles.push(format!("{0} can be read by others: chmod 600 {0}", file.shown()));
        }
        let Ok(document) = text.parse::<DocumentMut>() else {
            file.broken = true;
            troubles.push(format!(
                "{} is no TOML: expected PROVIDER = \"KEY\" on each line; no key is used",
                file.shown()
            ));
            return file;
        };
        for (provider, key) in document.iter() {
            match key.as_str().map(str::trim).filter(|key| !key.is_empty()) {
                Some(key) => file.keys.push((provider.to_owned(), Secret::from(key))),
                None => troubles.push(format!(
                    "{}: {} must be a text in quotes",
                    file.shown(),
                    sanitize::line(provider)
                )),
            }
        }
        file
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
            return Err(Failure::usage(format!("{} cannot be used: mend it or remove it", self.shown())));
        }
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let mut document: DocumentMut = text
            .parse()
            .map_err(|_| Failure::usage(format!("{} is no TOML: mend it or remove it", self.shown())))?;
        let before = match key {
            Some(key) => document.insert(provider, toml_edit::value(key.expose())).is_some(),
            None => document.remove(provider).is_some(),
        };
        if key.is_none() && !before {
            return Ok(false);
        }
        // A temporary file is its owner's alone, and so is what becomes of it.
        written(&self.path, &document.to_string()).map_err(|error| not_written(&self.shown(), &error))?;
        Ok(before)
    }
}
