//! What an agent of version 2 reports about the turn in flight. Version 1 reports nothing until the
//! reply to the prompt.

use attache_protocol::v1::MessageId;
use attache_protocol::v2::{IdleStateUpdate, StateUpdate};
use attache_session::{EventBody, MessageAuthor};

/// The number of ids of user messages that are kept until the reply to the prompt: the last ones.
const MESSAGES: usize = 16;

/// The work of an agent of version 2 as its last state reported it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ReportedWork {
    /// The agent does not work.
    #[default]
    None,
    /// The agent works.
    Running,
    /// The agent works for a turn that the client has ended by itself, for example because a cancel
    /// was not answered.
    LeftTurn,
}

impl ReportedWork {
    /// Takes a state of the session.
    pub(super) fn hear_state(&mut self, state: &StateUpdate) {
        match state {
            StateUpdate::Running(_) | StateUpdate::RequiresAction(_) if *self == Self::None => {
                *self = Self::Running;
            }
            StateUpdate::Idle(_) => *self = Self::None,
            _ => {}
        }
    }

    /// Notes that the client ends the turn by itself.
    pub(super) fn leave_turn(&mut self) {
        if *self == Self::Running {
            *self = Self::LeftTurn;
        }
    }
}

/// What an agent of version 2 reports about the turn in flight.
///
/// The agent replies to the prompt once the prompt is in the conversation, and the turn ends with
/// the state `idle` after that. Some agents reply later than that state. An agent may also have
/// worked before the prompt came, and then reports the end of that work first.
#[derive(Debug, Default)]
pub(super) struct AgentTurn {
    /// The id of the prompt, from the reply.
    prompt: Option<MessageId>,
    /// Whether the agent already worked when the prompt was sent.
    was_busy: bool,
    /// Whether the first state `idle` is the end of an earlier turn.
    follows_left_turn: bool,
    /// Whether the agent reported work since the prompt.
    has_run: bool,
    /// The last messages of the user since the prompt, until the reply.
    messages: Vec<MessageId>,
    /// A state `idle` that is the end of the turn if the reply says so.
    held: Option<HeldIdle>,
}

#[derive(Debug)]
struct HeldIdle {
    idle: IdleStateUpdate,
    /// Whether it is the end of the turn for every reply. Otherwise work that began before the
    /// prompt may have ended, unless the prompt was in the conversation by then.
    is_end: bool,
    /// The messages of the user that came before it.
    messages: Vec<MessageId>,
}

/// What a state means for the turn in flight.
#[derive(Debug, PartialEq)]
pub(super) enum StateMeaning {
    /// The turn goes on, and the state is folded.
    GoesOn,
    /// The turn ends.
    Ends,
    /// Work that began before the prompt ended. The turn goes on.
    EarlierWorkEnded,
    /// The state repeats what was known before the prompt. The turn goes on.
    Repeated,
    /// The reply to the prompt decides.
    Held,
}

impl AgentTurn {
    /// Begins with a prompt. `earlier` is the work before it.
    pub(super) fn new(earlier: ReportedWork) -> Self {
        Self {
            was_busy: earlier != ReportedWork::None,
            follows_left_turn: earlier == ReportedWork::LeftTurn,
            ..Self::default()
        }
    }

    /// Whether work from before the prompt still goes on.
    pub(super) fn was_busy(&self) -> bool {
        self.was_busy
    }

    /// Takes a state of the session. `is_cancelling` says whether the turn is being cancelled.
    pub(super) fn hear_state(&mut self, state: &StateUpdate, is_cancelling: bool) -> StateMeaning {
        match state {
            StateUpdate::Running(_) | StateUpdate::RequiresAction(_) => {
                self.has_run = true;
                self.held = None;
                StateMeaning::GoesOn
            }
            StateUpdate::Idle(idle) => self.hear_idle(idle, is_cancelling),
            StateUpdate::Unconfirmed(_) | StateUpdate::Unknown(_) => StateMeaning::GoesOn,
        }
    }

    fn hear_idle(&mut self, idle: &IdleStateUpdate, is_cancelling: bool) -> StateMeaning {
        if is_cancelling {
            // The state confirms the cancel, even if the agent never reported that it works.
            return match &self.prompt {
                Some(_) => StateMeaning::Ends,
                None => self.hold(idle, true),
            };
        }
        if std::mem::take(&mut self.follows_left_turn) {
            (self.was_busy, self.has_run) = (false, false);
            return StateMeaning::EarlierWorkEnded;
        }
        let has_reason = idle.stop_reason.is_some();
        match (&self.prompt, self.has_run) {
            (Some(_), true) => StateMeaning::Ends,
            // An agent that never reports that it works still ends a turn with a reason. A
            // repeated state has none, or comes before the reply.
            (Some(_), false) if has_reason => StateMeaning::Ends,
            (None, true) => self.hold(idle, !self.was_busy),
            // The prompt may be one of the messages, although the agent reports no work.
            (None, false) if has_reason && !self.messages.is_empty() => self.hold(idle, false),
            (None, false) if self.was_busy => {
                self.was_busy = false;
                StateMeaning::EarlierWorkEnded
            }
            _ => StateMeaning::Repeated,
        }
    }

    fn hold(&mut self, idle: &IdleStateUpdate, is_end: bool) -> StateMeaning {
        self.held = Some(HeldIdle { idle: idle.clone(), is_end, messages: self.messages.clone() });
        StateMeaning::Held
    }

    /// Takes the reply to the prompt. Returns the end of the turn if it came before the reply.
    pub(super) fn acknowledge(&mut self, prompt: MessageId) -> Option<IdleStateUpdate> {
        let held = self.held.take();
        let held = held.filter(|held| held.is_end || held.messages.contains(&prompt));
        self.messages = Vec::new();
        self.prompt = Some(prompt);
        held.map(|held| held.idle)
    }

    /// Whether the update is the prompt, which the session already has. Keeps the id of another
    /// message of the user until the reply.
    pub(super) fn is_prompt(&mut self, body: &EventBody) -> bool {
        let id = match body {
            EventBody::WholeMessage { author: MessageAuthor::User, message_id, .. } => message_id,
            EventBody::Message {
                author: MessageAuthor::User,
                message_id: Some(message_id),
                ..
            } => message_id,
            _ => return false,
        };
        match &self.prompt {
            Some(prompt) => prompt == id,
            None => {
                if !self.messages.contains(id) {
                    self.messages.push(id.clone());
                    self.messages.drain(..self.messages.len().saturating_sub(MESSAGES));
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests;
