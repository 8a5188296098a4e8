//! The interface through which the agents and sessions of a hub report to it.

use super::change_notifier::ChangeMark;
#[cfg(feature = "checkpoints")]
use super::checkpoints::{CheckpointOptions, FolderLocks, RunningTake};
use super::pending_questions::PendingQuestions;
use crate::permission::Permissions;
use attache_protocol::v1::SessionId;
use attache_session::{Event, Store};
#[cfg(feature = "checkpoints")]
use std::future::Future;
use std::path::Path;
#[cfg(feature = "checkpoints")]
use std::pin::Pin;
use std::sync::Arc;

/// The hub as its agents and sessions see it. None of these functions waits.
pub(crate) trait HubEvents: Send + Sync {
    /// Wakes the watchers of the hub because the thing with this mark changed.
    fn notify(&self, mark: &ChangeMark);

    /// Wakes the watchers of every session of this agent.
    fn touch_sessions_of(&self, agent: &str);

    /// Adds what this event of a session cost.
    fn count_spending(&self, agent: &str, session: &SessionId, event: &Event);

    /// Whether the sessions get notices about the size of their context.
    fn gives_context_notices(&self) -> bool;

    /// Returns the store that this hub writes the sessions to, if there is one.
    fn store(&self) -> Option<Arc<dyn Store>>;

    /// Whether another hub keeps the sessions and takes the checkpoints.
    fn is_of_shared_hub(&self) -> bool;

    /// The store of checkpoints, and how they are taken; `None` if none are.
    #[cfg(feature = "checkpoints")]
    fn checkpoint_options(&self) -> Option<CheckpointOptions>;

    /// The locks of the folders of which checkpoints are taken.
    #[cfg(feature = "checkpoints")]
    fn folder_locks(&self) -> Arc<FolderLocks>;

    /// Runs a task that takes a checkpoint, at most as long as the hub exists.
    #[cfg(feature = "checkpoints")]
    fn run_take(&self, take: RunningTake, task: Pin<Box<dyn Future<Output = ()> + Send>>);

    /// Returns the permissions of a session: the rules decide first, then the person.
    fn permissions(&self, agent: &str, cwd: &Path, pending: &Arc<PendingQuestions>) -> Permissions;
}
