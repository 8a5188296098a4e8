//! The judges of version 2, one per topic (V2).

mod authenticate;
mod capability;
mod handshake;
mod session;

use super::finding::Report;
use super::path;
use super::seen::Seen;

/// The judges of version 2.
#[derive(Debug, Default)]
pub(super) struct Judge {
    handshake: handshake::Judge,
    capability: capability::Judge,
    session: session::Judge,
}

impl Judge {
    /// Follows the choice of the version. This must be called for every message, whatever its
    /// version.
    pub(super) fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.handshake.follow(seen, report);
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
        self.session.replied(seen, report);
    }
}
