//! What a path has, or should have, during a restore.

use crate::changes::contents::Contents;
use crate::changes::state::State;
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::store::error::StoreError;

/// A state, with the content of a file that the store does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) state: State,
    pub(crate) merged: Option<Vec<u8>>,
}

impl From<State> for Value {
    fn from(state: State) -> Value {
        Value { state, merged: None }
    }
}

impl Value {
    /// A file whose content was merged.
    pub(crate) fn file(content: Vec<u8>, mode: u32) -> Value {
        let (id, size) = (ContentId::of(&content), content.len() as u64);
        let state = State::Present(Entry::File { content: id, size, mode });
        Value { state, merged: Some(content) }
    }

    /// The kept content of the file.
    pub(crate) fn content(&self, contents: &dyn Contents) -> Result<Vec<u8>, StoreError> {
        match (&self.merged, self.state.entry().and_then(Entry::content)) {
            (Some(content), _) => Ok(content.clone()),
            (None, Some(id)) => contents.content(id),
            (None, None) => Err(StoreError::NoContent { id: "of an entry that is no file".into() }),
        }
    }

    /// The same file with other permissions.
    pub(crate) fn with_mode(mut self, new: u32) -> Value {
        if let State::Present(
            Entry::File { mode, .. } | Entry::Folder { mode } | Entry::FileNotKept { mode, .. },
        ) = &mut self.state
        {
            *mode = new;
        }
        self
    }
}
