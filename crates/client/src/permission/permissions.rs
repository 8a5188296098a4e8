//! The permissions of a session: how to decide whether a tool call may run.

use super::decision::Decision;
use super::request::PermissionRequest;
use attache_protocol::v1::ToolKind;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// Asks the person for permission, for example with a dialog. It is called on the connection's own
/// task: it may await, but must not block.
pub type Asked =
    Arc<dyn Fn(PermissionRequest) -> Pin<Box<dyn Future<Output = Decision> + Send>> + Send + Sync>;

/// Returns whether a rule denies a request. The client calls it where it may block.
pub type Rejects = Arc<dyn Fn(&PermissionRequest) -> bool + Send + Sync>;

/// How to decide whether a tool call may run, and whether this client writes a file, reads a secret
/// or runs a command for the agent. A request that cannot be decided is rejected. Nothing is
/// approved by default.
#[derive(Clone, Default)]
pub enum Permissions {
    /// Rejects everything with the agent's own reject option, so that its turn continues (PERM-11).
    #[default]
    Reject,
    /// Allows calls of these kinds and rejects all others. A call without a kind matches no kind.
    /// Requests that need a person (see [`PermissionRequest::needs_person`]) are rejected.
    AllowKinds(Vec<ToolKind>),
    /// Allows everything except requests that need a person (see
    /// [`PermissionRequest::needs_person`]).
    AllowAll,
    /// Asks a person. Several questions may be open at once (PERM-12). The future is dropped when
    /// the question is withdrawn: the turn was cancelled or ended, or the connection is over.
    Ask(Asked),
    /// Applies rules first. This client reads files that hold no secrets without asking, unless
    /// `rejects` says that a rule denies the read. A denied read, and every other request, goes to
    /// `rest`.
    ByRules {
        /// Whether a rule denies a request.
        rejects: Rejects,
        /// Decides about all other requests: applies the rules too, and reports and logs each
        /// decision.
        rest: Box<Permissions>,
    },
}

impl Permissions {
    /// Makes permissions that call `decide` for each request that no earlier answer covers (see
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

    /// The decision without a question, or the function that asks.
    pub(crate) fn decided(&self, request: &PermissionRequest) -> Result<Decision, Asked> {
        match self {
            Self::Reject => Ok(Decision::Reject),
            Self::AllowKinds(_) | Self::AllowAll if request.needs_person() => Ok(Decision::Reject),
            Self::AllowAll => Ok(Decision::Allow),
            Self::AllowKinds(kinds) => {
                let allowed = request.kind().is_some_and(|kind| kinds.contains(kind));
                Ok(if allowed { Decision::Allow } else { Decision::Reject })
            }
            Self::Ask(asked) => Err(asked.clone()),
            Self::ByRules { rest, .. } => rest.decided(request),
        }
    }

    /// Whether a rule denies a request that otherwise needs no permission. This function may block.
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
