//! One checkpoint at a time for each folder and the folders below it.

use crate::lock::lock;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// The locks of folders, so that a hub takes or restores at most one checkpoint of a folder at a
/// time. A locked folder also excludes the folders below and above it. Restores of several programs
/// exclude each other in the store.
#[derive(Debug, Default)]
pub(crate) struct FolderLocks {
    calls: Mutex<Calls>,
    /// Changes whenever folders are released.
    released: watch::Sender<()>,
}

/// The calls that hold folders or wait for some, in their order. A call waits only for earlier
/// ones, so no two wait for each other.
#[derive(Debug, Default)]
struct Calls {
    last_number: u64,
    folders: Vec<(u64, Vec<PathBuf>)>,
}

/// Folders that a call holds or waits for. They are released when this is dropped.
#[derive(Debug)]
pub(crate) struct LockedFolders {
    locks: Arc<FolderLocks>,
    number: u64,
}

impl FolderLocks {
    /// Locks all these folders, in the order of the calls. Dropping the future gives up.
    pub(crate) async fn lock(self: &Arc<Self>, folders: &[PathBuf]) -> LockedFolders {
        let number = lock(&self.calls).add(folders);
        let locked = LockedFolders { locks: self.clone(), number };
        let mut released = self.released.subscribe();
        // The sender lives as long as `locked`, so the wait does not fail.
        drop(released.wait_for(|()| lock(&self.calls).is_next(number)).await);
        locked
    }
}

impl Calls {
    /// Adds a call, and returns its number.
    fn add(&mut self, folders: &[PathBuf]) -> u64 {
        self.last_number += 1;
        self.folders.push((self.last_number, folders.to_vec()));
        self.last_number
    }

    /// Whether no earlier call needs one of the folders of this call.
    fn is_next(&self, number: u64) -> bool {
        let mut calls = self.folders.iter();
        let Some((_, wanted)) = calls.find(|call| call.0 == number) else { return true };
        let earlier = self.folders.iter().take_while(|call| call.0 != number);
        let mut held = earlier.flat_map(|(_, folders)| folders);
        !held.any(|held| wanted.iter().any(|wanted| overlap(held, wanted)))
    }
}

impl Drop for LockedFolders {
    fn drop(&mut self) {
        lock(&self.locks.calls).folders.retain(|call| call.0 != self.number);
        self.locks.released.send_replace(());
    }
}

/// Whether one of the folders contains the other, or both are the same.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

#[cfg(test)]
mod tests {
    use super::FolderLocks;
    use crate::hub::checkpoints::RunningTake;
    use crate::hub::hub_events::HubEvents as _;
    use crate::hub::{Hub, HubOptions};
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::time::timeout;

    fn paths(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    /// Whether the folders can be locked at once.
    async fn is_free(locks: &Arc<FolderLocks>, folders: &[&str]) -> bool {
        timeout(Duration::from_secs(1), locks.lock(&paths(folders))).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_folder_and_one_below_it_exclude_each_other() {
        let locks = Arc::<FolderLocks>::default();
        for (held, wanted) in [("/p", "/p"), ("/p", "/p/sub"), ("/p/sub", "/p"), ("/", "/q")] {
            let guard = locks.lock(&paths(&["/other", held])).await;
            assert!(!is_free(&locks, &[wanted]).await, "{held} {wanted}");
            drop(guard);
            assert!(is_free(&locks, &[wanted]).await, "{held} {wanted}");
        }
        let _guard = locks.lock(&paths(&["/p/sub"])).await;
        assert!(is_free(&locks, &["/p/other", "/p/subject"]).await);
    }

    #[tokio::test(start_paused = true)]
    async fn folders_are_locked_in_the_order_of_the_calls() {
        let locks = Arc::<FolderLocks>::default();
        let first = locks.lock(&paths(&["/p/one"])).await;
        let later = locks.clone();
        let mut all = tokio::task::JoinSet::new();
        all.spawn(async move { later.lock(&paths(&["/p"])).await });
        tokio::task::yield_now().await;
        assert!(!is_free(&locks, &["/p/two"]).await, "the call for all of it was earlier");
        drop(first);
        drop(all.join_next().await.unwrap());
        assert!(is_free(&locks, &["/p/two"]).await);
    }

    #[tokio::test(start_paused = true)]
    async fn closing_stops_a_checkpoint_that_waits_for_a_folder() {
        let hub = Hub::new(HubOptions::default());
        let locks = hub.shared.folder_locks();
        let _held = locks.lock(&paths(&["/p"])).await;
        let (take, ended) = RunningTake::new();
        let this = take.clone();
        let task = async move {
            this.unless_stopped(locks.lock(&paths(&["/p/sub"]))).await;
            drop(ended);
        };
        hub.shared.run_take(take.clone(), Box::pin(task));
        timeout(Duration::from_secs(30), hub.close()).await.unwrap();
        assert!(take.has_ended());
    }
}
