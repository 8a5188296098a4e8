//! Who decides whether a tool call may run.

use super::decision::Decision;
use super::request::PermissionRequest;
use attache_protocol::v1::ToolKind;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Someone who is asked for each permission, such as a dialog. It is called on the connection's own
/// task: it may await, but not block.
pub type Asked =
    Arc<dyn Fn(PermissionRequest) -> Pin<Box<dyn Future<Output = Decision> + Send>> + Send + Sync>;

/// Says at once whether a rule rejects a request. It is called where it may block.
pub type Rejects = Arc<dyn Fn(&PermissionRequest) -> bool + Send + Sync>;

/// Who decides whether a tool call may run, and whether this client writes a file, reads a secret
/// or runs a command for the agent. Whatever cannot be decided is rejected; nothing is ever
/// approved by default.
#[derive(Clone, Default)]
pub enum Permissions {
    /// Everything is rejected, with the agent's own reject option, so that its turn goes on
    /// (PERM-11).
    #[default]
    Reject,
    /// Calls of these kinds are allowed, others rejected. A call whose kind the agent never told is
    /// of no kind. What needs a person (see [`PermissionRequest::protected`]) is rejected.
    AllowKinds(Vec<ToolKind>),
    /// Everything is allowed, except what needs a person (see [`PermissionRequest::protected`]).
    AllowAll,
    /// A person is asked. Several questions may be open at once (PERM-12). The future is dropped
    /// when the question is withdrawn: the turn was cancelled or ended, or the connection is over.
    Ask(Asked),
    /// Rules go first. This client reads a file that holds no secrets without a question, and only
    /// a rule that rejects stops it: `rejects` looks for one. A read that it rejects is put to
    /// `rest`, as every other request is.
    ByRules {
        /// Whether a rule rejects a request.
        rejects: Rejects,
        /// What decides, and says and logs what it decided. The rule is part of it.
        rest: Box<Permissions>,
    },
}

impl Permissions {
    /// Asks `decide` for each permission that no earlier answer covers (see
    /// [`PermissionRequest::covered`]).
    pub fn ask<F, D>(decide: F) -> Self
    where
        F: Fn(PermissionRequest) -> D + Send + Sync + 'static,
        D: Future<Output = Decision> + Send + 'static,
    {
        Self::Ask(Arc::new(move |request| match request.covered {
            true => Box::pin(std::future::ready(Decision::Allow)),
            false => Box::pin(decide(request)),
        }))
    }

    /// What holds without asking anybody, or who must be asked.
    pub(crate) fn decided(&self, request: &PermissionRequest) -> Result<Decision, Asked> {
        match self {
            Self::Reject => Ok(Decision::Reject),
            Self::AllowKinds(_) | Self::AllowAll if request.protected.is_some() => {
                Ok(Decision::Reject)
            }
            Self::AllowAll => Ok(Decision::Allow),
            Self::AllowKinds(kinds) => {
                let allowed = request.kind().is_some_and(|kind| kinds.contains(kind));
                Ok(if allowed { Decision::Allow } else { Decision::Reject })
            }
            Self::Ask(asked) => Err(asked.clone()),
            Self::ByRules { rest, .. } => rest.decided(request),
        }
    }

    /// Whether a rule rejects what needs no permission otherwise. May block.
    pub(crate) fn rejects(&self, request: &PermissionRequest) -> bool {
        match self {
            Self::ByRules { rejects, rest } => rejects(request) || rest.rejects(request),
            Self::Reject | Self::AllowKinds(_) | Self::AllowAll | Self::Ask(_) => false,
        }
    }
}

impl std::fmt::Debug for Permissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reject => f.write_str("Reject"),
            Self::AllowKinds(kinds) => f.debug_tuple("AllowKinds").field(kinds).finish(),
            Self::AllowAll => f.write_str("AllowAll"),
            Self::Ask(_) => f.write_str("Ask"),
            Self::ByRules { rest, .. } => f.debug_tuple("ByRules").field(rest).finish(),
        }
    }
}
