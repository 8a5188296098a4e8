//! The judges of version 2, one per topic (V2).

mod authenticate;
mod background;
mod capability;
mod config_option;
mod diff;
mod elicitation;
mod encoding;
mod entity;
mod error_data;
mod handshake;
mod limit;
mod list;
mod message;
mod permission;
mod session;
mod state;

use super::finding::Report;
use super::path;
use super::seen::Seen;

/// The judges of version 2.
#[derive(Debug, Default)]
pub(super) struct Judge {
    handshake: handshake::Judge,
    capability: capability::Judge,
    session: session::Judge,
    message: message::Judge,
    state: state::Judge,
    entity: entity::Judge,
    background: background::Judge,
    config_option: config_option::Judge,
    permission: permission::Judge,
    elicitation: elicitation::Judge,
    list: list::Judge,
}

impl Judge {
    /// Follows the choice of the version. This must be called for every message, whatever its
    /// version.
    pub(super) fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.handshake.follow(seen, report);
        error_data::judge_refused_version(seen, report);
    }

    /// Judges a message of version 2. `misses_calls` states whether the agent has answered a call
    /// that the recording lacks.
    pub(super) fn judge(&mut self, seen: &Seen<'_>, misses_calls: bool, report: &mut Report) {
        self.handshake.judge(seen, report);
        authenticate::judge(seen, &self.handshake, report);
        self.capability.judge(seen, &self.handshake, report);
        path::judge_v2(seen, report);
        // A reply may open or close a session, so the other judges read it before.
        self.session.asked(seen, misses_calls, report);
        self.message.judge(seen, report);
        self.state.judge(seen, &self.session, report);
        self.entity.judge(seen, &self.session, report);
        self.background.judge(seen, &self.session, &self.entity, report);
        encoding::judge(seen, report);
        diff::judge(seen, report);
        limit::judge(seen, report);
        self.config_option.judge(seen, report);
        self.permission.judge(seen, report);
        self.elicitation.judge(seen, report);
        self.list.judge(seen, report);
        error_data::judge(seen, report);
        self.session.replied(seen, report);
    }
}
