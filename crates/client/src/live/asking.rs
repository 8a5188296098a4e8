//! Asking about something that is no permission request of the agent's: a command for a terminal, a form, a page.

use super::{Live, Stage};
use crate::first::{First, first};
use crate::permission::PermissionRequest;
use attache_session::PermissionId;
use tokio::sync::oneshot;

/// What came of asking whether a command may run.
pub(crate) enum Permitted {
    Yes,
    No,
    /// Nobody needs to know any more.
    Withdrawn,
}

impl Live {
    /// Resolves when the turn in flight is cancelled or ends, or the connection does: nobody needs an answer then. `None` if the turn is
    /// being cancelled already (CANCEL-05, ELIC-26).
    pub(crate) fn until_withdrawn(&self) -> Option<oneshot::Receiver<()>> {
        let mut state = self.state();
        if state.turn.as_ref().is_some_and(|turn| matches!(*turn.stage.borrow(), Stage::Cancelling)) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        state.asked_aside.retain(|asked| !asked.is_closed());
        state.asked_aside.push(sender);
        Some(receiver)
    }

    /// Whether the session's rules allow something, as if the agent had asked for permission. The question is no part of the session, since
    /// it is not the agent's.
    pub(crate) async fn permits(&self, request: impl FnOnce(PermissionId) -> PermissionRequest) -> Permitted {
        let Some(withdrawn) = self.until_withdrawn() else { return Permitted::Withdrawn };
        let (request, decided) = {
            let mut state = self.state();
            state.questions += 1;
            let request = request(PermissionId(state.questions));
            let decided = state.permissions.decided(&request);
            (request, decided)
        };
        use attache_protocol::v1::PermissionOptionKind::{AllowAlways, AllowOnce};
        let options = request.options.clone();
        let decision = match decided {
            Ok(decision) => decision,
            Err(asked) => match first(asked(request), withdrawn).await {
                First::One(decision) => decision,
                First::Other(_) => return Permitted::Withdrawn,
            },
        };
        let outcome = decision.outcome(&options);
        let chosen = options.iter().find(|option| Some(&option.option_id) == outcome.selected());
        match chosen {
            Some(option) if matches!(option.kind, AllowOnce | AllowAlways) => Permitted::Yes,
            _ => Permitted::No,
        }
    }
}
