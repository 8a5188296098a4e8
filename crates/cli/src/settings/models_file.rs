//! The person's own list of models and providers, `models.json` in the configuration folder.

use crate::folder::is_missing;
use attache_view::sanitize;
use std::path::PathBuf;

/// The name of the file.
const FILE: &str = "models.json";

/// The maximum size of the list, in bytes. The built-in list is less than a tenth of that.
const LONGEST: u64 = 4 << 20;

/// Returns the text of the list, if the file exists.
pub(crate) fn text() -> Result<Option<String>, String> {
    let Some(path) = path() else { return Ok(None) };
    match attache_host::read_plain_text(&path, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(format!("{} cannot be read: {error}", shown())),
    }
}

fn path() -> Option<PathBuf> {
    crate::folder::configuration().map(|folder| folder.join(FILE))
}

/// Returns whether the file exists.
pub(crate) fn exists() -> bool {
    path().is_some_and(|path| path.exists())
}

/// Returns the path of the file for people.
pub(crate) fn shown() -> String {
    path().map_or_else(
        || FILE.to_owned(),
        |path| sanitize::visible(&path.display().to_string()).into_owned(),
    )
}
