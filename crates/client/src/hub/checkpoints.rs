//! Checkpoints of the folders of sessions: when they are taken, and what a person can do with them.

mod checkpoint_error;
mod checkpoint_options;
mod closing;
mod conversation;
mod folder_locks;
mod owner;
mod recovery_report;
mod requested_undo;
mod restoring;
mod reviewing;
mod running_take;
mod session_checkpoints;
pub(crate) mod taking;
mod undo_command;
mod undo_turn;

pub use checkpoint_error::CheckpointError;
pub use checkpoint_options::CheckpointOptions;
pub use conversation::{RewindMethod, RewoundConversation};
pub(crate) use folder_locks::FolderLocks;
pub use owner::{checkpoint_owner, checkpoint_session};
pub use recovery_report::RecoveryReport;
pub(crate) use requested_undo::RequestedUndo;
pub(crate) use running_take::RunningTake;
pub(crate) use session_checkpoints::SessionCheckpoints;
pub(crate) use undo_command::undo_handler;
pub use undo_turn::UndoneTurn;
