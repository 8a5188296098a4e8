//! Permissions: the agent's requests, the decisions about them, and the actions that they approve.

pub(crate) mod approvals;
pub(crate) mod asked_action;
pub(crate) mod broker;
mod decision;
mod effect;
pub(crate) mod file_action;
mod hard_links;
mod permissions;
pub(crate) mod questions;
mod request;

pub use decision::Decision;
pub use permissions::{Asked, Permissions, Rejects};
pub use request::{AnsweredBy, PermissionRequest};
