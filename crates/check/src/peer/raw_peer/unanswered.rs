//! What a peer owes at the end of a connection.

use super::{RawPeer, STARTING};
use crate::Finding;
use attache_protocol::method::{Deadline, Kind, Row};
use std::time::Duration;

impl RawPeer {
    /// The connection is over: findings on the calls that the peer left without an answer (RPC-15),
    /// and on those that were cancelled where it has shown that it cancels such calls (CANCEL-14),
    /// although it was listened to for `patience` after them, and for three times as long after the
    /// first. What came later may have been on its way, and a turn, a person and a command that
    /// runs take as long as they take.
    pub(crate) fn owed(&mut self, patience: Duration) -> Vec<Finding> {
        let judged = self.judged();
        let mut owed = self.observer.left_open(judged);
        owed.retain(|finding| finding.rule.id == "PERM-02" || self.is_overdue(finding, patience));
        owed
    }

    fn is_overdue(&self, finding: &Finding, patience: Duration) -> bool {
        let Some(number) = finding.earlier else { return false };
        let line = number.checked_sub(1).and_then(|index| self.lines.get(index));
        let Some(method) = line.and_then(|line| line.get("method")?.as_str()) else { return false };
        let may_take = match (finding.rule.id, Row::received_by(self.judged(), method, Kind::Call))
        {
            // A call that was cancelled waits for nobody any more.
            ("CANCEL-14", _) => patience,
            ("RPC-15", Some(Row { deadline: Deadline::Open, .. })) => return false,
            ("RPC-15", Some(Row { deadline: Deadline::Handshake, .. })) => patience * STARTING,
            ("RPC-15", _) => patience,
            _ => return false,
        };
        let listened = self.sent.get(&number).and_then(|before| self.listened.checked_sub(*before));
        listened.is_some_and(|listened| listened >= may_take)
    }
}
