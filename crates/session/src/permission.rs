//! Permission requests.

use crate::question::PermissionQuestion;
use crate::transcript::entry::Now;
use crate::{Change, Parts, PermissionId, Timestamp};
use attache_protocol::v1::RequestPermissionOutcome;
use std::sync::Arc;

/// A permission request, open or settled.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    /// The id of the request on this side.
    pub id: PermissionId,
    /// The question. [`crate::Session::tool_call`] has everything that is known about its tool
    /// call.
    pub question: PermissionQuestion,
    /// When the request was made.
    pub asked_at: Timestamp,
    /// The decision. `None` while it is open.
    pub outcome: Option<RequestPermissionOutcome>,
}

impl Permission {
    pub(crate) fn asked(now: Now, id: PermissionId, question: &PermissionQuestion) -> Self {
        Self { id, question: question.clone(), asked_at: now.at, outcome: None }
    }
}

/// How many settled requests are kept.
const SETTLED: usize = 256;

/// Adds a request at the end. If there are too many, the oldest settled one is forgotten.
pub(crate) fn ask(permissions: &mut Vec<Arc<Permission>>, permission: Permission) {
    if permissions.len() >= SETTLED
        && let Some(oldest) = permissions.iter().position(|permission| permission.outcome.is_some())
    {
        permissions.remove(oldest);
    }
    permissions.push(Arc::new(permission));
}

/// Settles a request. Has no effect if the request is already settled or unknown.
pub(crate) fn settle(
    permissions: &mut [Arc<Permission>],
    id: PermissionId,
    outcome: &RequestPermissionOutcome,
) -> Change {
    let open = permissions
        .iter_mut()
        .find(|permission| permission.id == id && permission.outcome.is_none());
    let Some(permission) = open else { return Change::NONE };
    Arc::make_mut(permission).outcome = Some(outcome.clone());
    Change::of(Parts::PERMISSION)
}
