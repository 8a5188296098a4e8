//! The settings file, `config.toml` in the configuration folder.

use super::setting::Setting;
use crate::exit::{Exit, Failure};
use crate::folder::is_missing;
use attache_view::sanitize;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toml_edit::{Document, DocumentMut, Item, TableLike};

/// The name of the file.
const FILE: &str = "config.toml";

/// The maximum size of a file of settings or keys, in bytes.
pub(super) const LONGEST: u64 = 1 << 20;

/// The contents of the file. The person's comments and the order of lines are kept.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    text: String,
    /// Key, value and line of each setting.
    values: Vec<(String, String, usize)>,
    /// The reason why the whole file cannot be used.
    broken: Option<String>,
}

impl SettingsFile {
    /// Reads the file, if it exists. Problems are added to `troubles`.
    pub(super) fn read(known: &[Setting], troubles: &mut Vec<String>) -> Self {
        let path =
            crate::folder::configuration().map(|folder| folder.join(FILE)).unwrap_or_default();
        let mut file = Self { path, text: String::new(), values: Vec::new(), broken: None };
        match attache_host::read_plain_text(&file.path, LONGEST) {
            Ok(text) => file.text = text,
            Err(error) if is_missing(&error) => return file,
            Err(error) => {
                file.broken = Some(format!("{} cannot be read: {error}", file.shown()));
                troubles.extend(file.broken.clone());
                return file;
            }
        }
        match Document::parse(file.text.as_str()) {
            Ok(document) => {
                for found in values("", document.as_table(), known, &file.text) {
                    match found {
                        Ok(value) => file.values.push(value),
                        Err((line, why)) => {
                            troubles.push(format!("{}, line {line}: {why}", file.shown()))
                        }
                    }
                }
            }
            Err(error) => {
                let line = error.span().map_or(1, |span| line_at(&file.text, span.start));
                let why = sanitize::line(error.message());
                file.broken =
                    Some(format!("{}, line {line}: {why}; the file is ignored", file.shown()));
                troubles.extend(file.broken.clone());
            }
        }
        file
    }

    /// Returns the value of a setting, and its line.
    pub(crate) fn value(&self, key: &str) -> Option<(&str, usize)> {
        self.values
            .iter()
            .find(|(known, ..)| known == key)
            .map(|(_, value, line)| (value.as_str(), *line))
    }

    /// Returns whether the file exists.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns the path of the file for people.
    pub(crate) fn shown(&self) -> String {
        sanitize::visible_line(&self.path.display().to_string())
    }

    /// Sets a value in the file.
    ///
    /// # Errors
    /// Returns an error if the file is broken or cannot be written.
    pub(crate) fn set(&self, key: &str, value: &str) -> Result<(), Failure> {
        let mut document = self.document()?;
        match key.split_once('.') {
            Some((table, name)) => {
                let table =
                    document.entry(table).or_insert_with(|| Item::Table(toml_edit::Table::new()));
                let table = table.as_table_like_mut().ok_or_else(|| self.no_table(key))?;
                put(table, name, value);
            }
            None => put(document.as_table_mut(), key, value),
        }
        self.write(&document)
    }

    /// Removes a value from the file. Returns whether it existed.
    ///
    /// # Errors
    /// The same as for [`SettingsFile::set`].
    pub(crate) fn unset(&self, key: &str) -> Result<bool, Failure> {
        let mut document = self.document()?;
        let removed = match key.split_once('.') {
            Some((table, name)) => document
                .get_mut(table)
                .and_then(Item::as_table_like_mut)
                .and_then(|table| table.remove(name)),
            None => document.remove(key),
        };
        if removed.is_some() {
            self.write(&document)?;
        }
        Ok(removed.is_some())
    }

    fn document(&self) -> Result<DocumentMut, Failure> {
        let broken = |why: &str| Failure::usage(format!("{why}; fix the file or remove it"));
        match &self.broken {
            Some(why) => Err(broken(why)),
            None => self
                .text
                .parse()
                .map_err(|_| broken(&format!("{} is not valid TOML", self.shown()))),
        }
    }

    fn no_table(&self, key: &str) -> Failure {
        let table = key.split('.').next().unwrap_or(key);
        Failure::usage(format!(
            "{}: {table} must be a table to contain {key}; fix the file",
            self.shown()
        ))
    }

    fn write(&self, document: &DocumentMut) -> Result<(), Failure> {
        written(&self.path, &document.to_string())
            .map_err(|error| not_written(&self.shown(), &error))
    }
}

/// Replaces an existing value, and keeps the text around it.
fn put(table: &mut dyn TableLike, name: &str, value: &str) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(before) => {
            let decor = before.decor().clone();
            *before = value.into();
            *before.decor_mut() = decor;
        }
        None => drop(table.insert(name, toml_edit::value(value))),
    }
}

/// A setting in the file, as its key, value and line, or the line and the problem of an unusable
/// one.
type Found = Result<(String, String, usize), (usize, String)>;

/// Reads the settings of a table and of its subtables.
fn values(above: &str, table: &dyn TableLike, known: &[Setting], text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (name, item) in table.iter() {
        let key = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let span = item.span().or_else(|| table.key(name).and_then(toml_edit::Key::span));
        let line = span.map_or(1, |span| line_at(text, span.start));
        if let Some(inner) = item.as_table_like().filter(|_| above.is_empty()) {
            found.extend(values(&key, inner, known, text));
            continue;
        }
        let shown = sanitize::line(&key);
        let Some(setting) = known.iter().find(|setting| setting.key == key) else {
            found.push(Err((line, format!("unknown setting {shown}: `attache config` lists all"))));
            continue;
        };
        found.push(match item.as_str() {
            Some(value) => match setting.shape.check(value) {
                Ok(()) => Ok((key, value.to_owned(), line)),
                Err(expected) => Err((line, format!("{shown} must be {expected}; it is ignored"))),
            },
            None => Err((line, format!("{shown} must be a quoted string; it is ignored"))),
        });
    }
    found
}

/// Returns the line number of a position in the text, counted from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Writes a settings file atomically. Only its owner can read it.
pub(super) fn written(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("HOME is not set"))?;
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

pub(super) fn not_written(shown: &str, error: &io::Error) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("{shown} cannot be written: {error}; set XDG_CONFIG_HOME to use another folder"),
    )
}
