//! Subagents: child sessions that the agent runs in addition to the client's session. Unstable;
//! only with `clientCapabilities.subagents`.

use super::{IdleStopReason, SessionId, SubagentSessionCapabilities, Usage};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Meta, Patch};

wire_struct! {
    /// A patch of a child session. The first patch announces the child, on the session of its
    /// direct parent, before all other updates about it.
    pub plain struct SubagentUpdate {
        /// The child.
        must session_id: SessionId = "sessionId",
        /// Its title.
        patch title: Patch<String> = "title",
        /// Its purpose.
        patch description: Patch<String> = "description",
        /// The allowed operations. If this is cleared or was never set, none are allowed.
        patch capabilities: Patch<SubagentSessionCapabilities> = "capabilities",
        /// Its state. If it is cleared, the state is unconfirmed, not idle.
        patch state: Patch<StateUpdate> = "state",
        /// Its working directory, absolute; cleared means that of its parent.
        patch_strict cwd: Patch<String> = "cwd",
        /// Its additional directories, absolute; cleared means those of its parent, and an empty
        /// list means none.
        patch_strict additional_directories: Patch<Vec<String>> = "additionalDirectories",
        /// Extension data, patched as a whole.
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_union! {
    /// The state of a child: a whole snapshot, not a patch.
    pub enum StateUpdate by "state" open {
        /// It is working.
        Running(RunningStateUpdate) = "running",
        /// It is waiting for a prompt.
        Idle(IdleStateUpdate) = "idle",
        /// It is waiting for the user to act.
        RequiresAction(RequiresActionStateUpdate) = "requires_action",
        /// The agent does not know the state, so an earlier state is no longer confirmed. On the
        /// wire this is `unknown`. A state that this version does not know is
        /// [`StateUpdate::Unknown`].
        Unconfirmed(UnknownStateUpdate) = "unknown",
    }
}

wire_struct! {
    /// The child is working.
    pub struct RunningStateUpdate {
    }
}

wire_struct! {
    /// The child is waiting for a prompt.
    pub struct IdleStateUpdate {
        /// Why it stopped. A malformed value counts as not reported.
        flat_lenient stop_reason: Option<IdleStopReason> = "stopReason",
        /// Its token usage.
        lenient usage: Option<Usage> = "usage",
    }
}

wire_struct! {
    /// The child is waiting for the user to act.
    pub struct RequiresActionStateUpdate {
    }
}

wire_struct! {
    /// The child's state is unknown.
    pub struct UnknownStateUpdate {
    }
}
