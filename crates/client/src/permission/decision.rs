//! The decision about one request.

use attache_policy::{Effect, Rule};
use attache_protocol::v1::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    SelectedPermissionOutcome,
};
use std::collections::HashSet;

/// The decision about one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Chooses this option. An option that was not offered counts as [`Decision::Reject`]
    /// (PERM-03).
    Choose(PermissionOptionId),
    /// Chooses the option that allows once, else the one that allows always. If the agent offers
    /// neither, this counts as [`Decision::Reject`].
    Allow,
    /// Chooses the option that rejects once, else the one that rejects always. If the agent offers
    /// neither, the outcome is `cancelled` (PERM-13).
    Reject,
}

impl Decision {
    /// Returns the decision of a rule that allows or denies.
    pub fn by_rule(rule: &Rule) -> Self {
        match rule.effect {
            Effect::Allow => Self::Allow,
            Effect::Ask | Effect::Deny => Self::Reject,
        }
    }

    /// Whether the decision allows a call with these options: whether it chooses an option that
    /// allows the call.
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

    /// Returns the outcome that the agent receives. If two options have the same id, the answer
    /// with that id could mean either of them, so the outcome is `cancelled`.
    pub(crate) fn outcome(&self, options: &[PermissionOption]) -> RequestPermissionOutcome {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        if has_repeated_ids(options) {
            return RequestPermissionOutcome::Cancelled;
        }
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

/// Whether two options have the same id.
fn has_repeated_ids(options: &[PermissionOption]) -> bool {
    let ids: HashSet<_> = options.iter().map(|option| option.option_id.as_str()).collect();
    ids.len() < options.len()
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
    fn a_decision_chooses_an_offered_option() {
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
    fn only_offered_options_are_approved() {
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

    #[test]
    fn options_with_one_id_are_never_chosen() {
        use PermissionOptionKind::{AllowAlways, RejectOnce};
        for kinds in [[AllowAlways, RejectOnce], [RejectOnce, AllowAlways]] {
            let options = kinds.map(|kind| PermissionOption::new("x", "x", kind));
            for decision in [Decision::Choose("x".into()), Decision::Allow, Decision::Reject] {
                assert_eq!(decision.outcome(&options), RequestPermissionOutcome::Cancelled);
                assert!(!decision.allows(&options), "{decision:?}");
            }
        }
    }
}
