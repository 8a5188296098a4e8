//! Reads what a session no longer has in memory from its log.

use super::hub_shared::HubShared;
use super::session_entry::SessionEntry;
use super::stored_session::read_whole;
use crate::lock::lock;
use attache_session::{EntryPage, Session, StoreError};

impl HubShared {
    /// Returns the last entries that began before the event with the number `before`.
    pub(crate) async fn earlier_entries(
        &self,
        entry: &SessionEntry,
        before: u64,
        limit: usize,
    ) -> Result<EntryPage, StoreError> {
        commit(entry).await?;
        let (index, key) = (entry.index.clone(), self.key(&entry.agent.name, &entry.id));
        let page = self.with_store(move |store| {
            let mut index = lock(&index);
            index.update(store, &key)?;
            index.page(store, &key, before, limit)
        });
        let generation = || entry.fold.with(Session::generation);
        Ok(page
            .await?
            .unwrap_or_else(|| EntryPage { generation: generation(), ..EntryPage::default() }))
    }

    /// Returns the session with the entries that are no longer in memory, as far as the store has
    /// them and the memory limit of a session allows.
    pub(crate) async fn whole_session(&self, entry: &SessionEntry) -> Session {
        let session = entry.fold.session();
        if session.truncated_before() == 0 || commit(entry).await.is_err() {
            return session;
        }
        let key = self.key(&entry.agent.name, &entry.id);
        match self.with_store(move |store| read_whole(store, &key)).await {
            Ok(Some(whole)) => whole,
            Ok(None) | Err(_) => session,
        }
    }
}

/// Waits until the store has all events so far.
async fn commit(entry: &SessionEntry) -> Result<(), StoreError> {
    let commit = entry.fold.commit();
    match commit {
        Some(commit) => commit.await,
        None => Ok(()),
    }
}
