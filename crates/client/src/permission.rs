//! Who decides whether a tool call may run.

use crate::file_action::FileAction;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::{Effect, Guard, Rule};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    SelectedPermissionOutcome, SessionId, ToolCall, ToolCallUpdate, ToolKind,
};
use attache_session::PermissionId;
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
    /// Somebody is asked. Several questions may be open at once (PERM-12). The future is dropped
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

/// The agent asks whether a tool call may run, or for something that this client does for it only
/// with permission: to write a file, to read a file that holds secrets, or to run a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Names the question in the folded session.
    pub id: PermissionId,
    /// The session.
    pub session_id: SessionId,
    /// What the agent said about the call in this request: a patch of the call (PERM-10).
    pub asked: ToolCallUpdate,
    /// The call with that patch applied; `None` if the agent never gave it a title (TOOL-04).
    pub tool_call: Option<ToolCall>,
    /// What can be chosen, in the agent's order. May be empty (PERM-13).
    pub options: Vec<PermissionOption>,
    /// The command, if the question is not the agent's own but this client's: whether a command may
    /// run that the agent wants run in a terminal (see [`crate::Options::terminals`]). Such a
    /// question is of the kind `execute` and is no part of the folded session.
    pub command: Option<TerminalCommand>,
    /// The file, if the question is this client's own: whether it may write a file for the agent,
    /// or read one that holds secrets or that a rule rejects. The diff is part of `asked`. Such a
    /// question is of the kind `edit` or `read` and is no part of the folded session.
    pub file: Option<FileAction>,
    /// Why only a person, or a rule that names this very file or command line, may allow it: it
    /// changes a file that programs or agents obey, or touches one that holds secrets, or it is a
    /// command whose line names such a file. The list is that of [`attache_policy::guard`], and
    /// [`attache_policy::line_guard`] says what is seen of a command.
    pub protected: Option<Guard>,
    /// Whether an earlier answer covers it: the person chose an option that allows always, and what
    /// is asked now is within what that question showed. Only questions of this client's own are
    /// covered. A rule that rejects goes before.
    pub covered: bool,
}

impl PermissionRequest {
    /// A question about a call with these options, of which nothing else is known.
    pub(crate) fn new(
        id: PermissionId,
        session_id: SessionId,
        asked: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) -> Self {
        Self {
            id,
            session_id,
            asked,
            tool_call: None,
            options,
            command: None,
            file: None,
            protected: None,
            covered: false,
        }
    }

    /// The kind of the call, if the agent told it.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.asked.kind().or_else(|| self.tool_call.as_ref().map(ToolCall::kind))
    }

    /// What the call does, for people; its id if the agent never gave a title.
    pub fn title(&self) -> &str {
        let known = self.tool_call.as_ref().map(|call| call.title.as_str());
        known.or(self.asked.title.as_deref()).unwrap_or(self.asked.tool_call_id.as_str())
    }
}

/// What was decided about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// This option. One that was not offered counts as [`Decision::Reject`] (PERM-03).
    Choose(PermissionOptionId),
    /// The option that allows once, else the one that allows always; if the agent offers neither,
    /// this counts as [`Decision::Reject`].
    Allow,
    /// The option that rejects once, else the one that rejects always; if the agent offers neither,
    /// the outcome is `cancelled` (PERM-13).
    Reject,
}

impl Decision {
    /// The decision of a rule that allows or denies.
    pub fn by_rule(rule: &Rule) -> Self {
        match rule.effect {
            Effect::Allow => Self::Allow,
            Effect::Ask | Effect::Deny => Self::Reject,
        }
    }

    /// Whether the agent is told by this that the call may run, with these options: by one that
    /// allows.
    pub fn allows(&self, options: &[PermissionOption]) -> bool {
        let outcome = self.outcome(options);
        let chosen = options.iter().find(|option| Some(&option.option_id) == outcome.selected());
        chosen.is_some_and(|option| {
            matches!(
                option.kind,
                PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways
            )
        })
    }

    /// What the agent is told.
    pub(crate) fn outcome(&self, options: &[PermissionOption]) -> RequestPermissionOutcome {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let of_kind =
            |kind: PermissionOptionKind| options.iter().find(|option| option.kind == kind);
        let chosen = match self {
            Self::Choose(id) => options.iter().find(|option| option.option_id == *id),
            Self::Allow => of_kind(AllowOnce).or_else(|| of_kind(AllowAlways)),
            Self::Reject => None,
        };
        match chosen.or_else(|| of_kind(RejectOnce)).or_else(|| of_kind(RejectAlways)) {
            Some(option) => SelectedPermissionOutcome::new(option.option_id.clone()).into(),
            None => RequestPermissionOutcome::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kinds: &[PermissionOptionKind]) -> Vec<PermissionOption> {
        kinds.iter().map(|kind| PermissionOption::new(kind.as_str(), "x", kind.clone())).collect()
    }

    fn chosen(decision: &Decision, kinds: &[PermissionOptionKind]) -> Option<String> {
        decision.outcome(&options(kinds)).selected().map(ToString::to_string)
    }

    #[test]
    fn a_decision_becomes_an_option_that_was_offered() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let all = [AllowAlways, AllowOnce, RejectAlways, RejectOnce];
        assert_eq!(chosen(&Decision::Allow, &all).as_deref(), Some("allow_once"));
        assert_eq!(
            chosen(&Decision::Allow, &[RejectOnce, AllowAlways]).as_deref(),
            Some("allow_always")
        );
        assert_eq!(chosen(&Decision::Reject, &all).as_deref(), Some("reject_once"));
        assert_eq!(
            chosen(&Decision::Reject, &[AllowOnce, RejectAlways]).as_deref(),
            Some("reject_always")
        );
        assert_eq!(
            chosen(&Decision::Choose("allow_always".into()), &all).as_deref(),
            Some("allow_always")
        );
    }

    #[test]
    fn nothing_is_approved_that_was_not_offered() {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
        assert_eq!(
            chosen(&Decision::Choose("zzz".into()), &[AllowOnce, RejectOnce]).as_deref(),
            Some("reject_once")
        );
        assert_eq!(chosen(&Decision::Choose("zzz".into()), &[AllowOnce, AllowAlways]), None);
        assert_eq!(chosen(&Decision::Allow, &[RejectOnce]).as_deref(), Some("reject_once"));
        assert_eq!(chosen(&Decision::Allow, &[]), None);
        assert_eq!(chosen(&Decision::Reject, &[AllowOnce, AllowAlways]), None);
    }
}
