//! Where contents come from.

use crate::snapshot::content_id::ContentId;
use crate::store::error::StoreError;

/// Returns contents by their ids.
pub(crate) trait Contents {
    /// Returns a kept content.
    fn content(&self, id: ContentId) -> Result<Vec<u8>, StoreError>;
}

#[cfg(test)]
impl Contents for std::collections::HashMap<ContentId, Vec<u8>> {
    fn content(&self, id: ContentId) -> Result<Vec<u8>, StoreError> {
        self.get(&id).cloned().ok_or_else(|| StoreError::NoContent { id: id.to_string() })
    }
}
