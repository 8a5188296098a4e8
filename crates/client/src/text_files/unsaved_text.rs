//! Text that an editor has open and not saved.

use std::path::Path;

/// The texts that an editor has open, so that the agent reads and changes what the person sees.
///
/// The client calls the methods only for files inside the session's folders, and passes paths
/// without symbolic links. It makes one call at a time, in the order of the agent's requests, on a
/// thread that may block.
///
/// ```
/// use attache_client::{Options, UnsavedText};
/// use std::{collections::HashMap, path::{Path, PathBuf}, sync::Mutex};
///
/// #[derive(Default)]
/// struct Buffers(Mutex<HashMap<PathBuf, String>>);
///
/// impl UnsavedText for Buffers {
///     fn text(&self, path: &Path) -> Option<String> {
///         self.0.lock().ok()?.get(path).cloned()
///     }
///     fn replace(&self, path: &Path, text: &str) -> bool {
///         let Ok(mut buffers) = self.0.lock() else { return false };
///         buffers.get_mut(path).map(|buffer| *buffer = text.to_owned()).is_some()
///     }
/// }
///
/// let options = Options::default().unsaved_text(Buffers::default());
/// # drop(options);
/// ```
pub trait UnsavedText: Send + Sync + 'static {
    /// Returns the text of a file that the editor has open; `None` if the editor does not have it
    /// open, so that the text on disk counts.
    fn text(&self, path: &Path) -> Option<String>;

    /// Replaces the text of a file. Returns `true` if the editor took the text and will save it,
    /// `false` if the client must write it to disk.
    fn replace(&self, path: &Path, text: &str) -> bool {
        let _ = (path, text);
        false
    }
}
