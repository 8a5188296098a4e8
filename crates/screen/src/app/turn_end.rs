//! What the screen says about a turn that did not end as the person expects.

use crate::app::state::App;
use attache_client::SessionState;
use attache_protocol::v1::StopReason;
use attache_protocol::{Error, ErrorCode};
use attache_session::TurnOutcome;
use attache_view::{NoticeLevel, sanitize};

impl App {
    /// Says once how the last turn of the session that is shown ended, if the conversation does not
    /// show it.
    pub(crate) fn say_turn_end(&mut self) {
        let Some(slot) = self.slots.get_mut(self.focus) else { return };
        let Some(session) = slot.session().cloned() else { return };
        let is_to_send = !session.queue().is_empty() && session.held().is_none();
        let has_ended = matches!(
            session.state(),
            SessionState::Idle | SessionState::Unresponsive | SessionState::Gone { .. }
        );
        if is_to_send || !has_ended {
            slot.awaits_end |= has_turn(&session.state());
            return;
        }
        if !std::mem::take(&mut slot.awaits_end) {
            return;
        }
        let said = session.snapshot().last_outcome().and_then(trouble);
        if let Some((level, text)) = said {
            self.notices.add(level, &text);
        }
    }
}

fn has_turn(state: &SessionState) -> bool {
    matches!(state, SessionState::Running { .. } | SessionState::WaitingForPerson { .. })
}

/// Returns why a turn did not end normally.
fn trouble(outcome: &TurnOutcome) -> Option<(NoticeLevel, String)> {
    let text = match outcome {
        TurnOutcome::Failed(error) => return Some((NoticeLevel::Error, failure(error))),
        TurnOutcome::Stopped(StopReason::MaxTokens) => {
            "the model reached its limit of tokens: ask it to continue, or ask for less"
        }
        TurnOutcome::Stopped(StopReason::MaxTurnRequests) => {
            "the agent reached its limit of model calls in a turn: ask it to continue"
        }
        TurnOutcome::Stopped(StopReason::Refusal) => {
            "the agent refused to continue: write the prompt in another way"
        }
        TurnOutcome::Stopped(_) => return None,
    };
    Some((NoticeLevel::Warning, text.to_owned()))
}

fn failure(error: &Error) -> String {
    let cause = error.cause().map(|cause| format!(": {cause}")).unwrap_or_default();
    let what = sanitize::visible(&format!("{}{cause}", error.message)).to_string();
    match error.code {
        ErrorCode::AUTH_REQUIRED => {
            format!("the agent needs a login: {what}\n/agents logs in; then send the prompt again")
        }
        _ => format!("the turn failed: {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unexpected_end_is_said() {
        for reason in [StopReason::EndTurn, StopReason::Cancelled] {
            assert_eq!(trouble(&TurnOutcome::Stopped(reason)), None);
        }
        let said = |error| trouble(&TurnOutcome::Failed(error)).map(|(_, text)| text).unwrap();
        assert_eq!(said(Error::internal("no\x1b[2J key")), "the turn failed: no␛[2J key");
        assert!(said(Error::auth_required("log in")).contains("/agents logs in"));
        let limit = TurnOutcome::Stopped(StopReason::MaxTokens);
        assert_eq!(trouble(&limit).map(|(level, _)| level), Some(NoticeLevel::Warning));
    }
}
