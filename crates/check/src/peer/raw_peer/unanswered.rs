//! Calls that a peer left unanswered at the end of a connection.

use super::{RawPeer, STARTING};
use crate::Finding;
use attache_protocol::method::{Deadline, Kind, Row, v2};
use std::time::Duration;

impl RawPeer {
    /// Returns findings on calls that the peer left unanswered (RPC-15), and on cancelled calls if
    /// the peer has shown that it cancels such calls (CANCEL-14). A call counts if the judge
    /// listened for `patience` after it, or three times as long after the first call. Otherwise the
    /// reply may still be on its way. Calls that wait for turns, people or running commands do not
    /// count, because they may take any time.
    pub(crate) fn unanswered_calls(&mut self, patience: Duration) -> Vec<Finding> {
        let judged = self.judged();
        let mut owed = self.observer.left_open(judged);
        owed.retain(|finding| finding.rule.id == "PERM-02" || self.is_overdue(finding, patience));
        owed
    }

    fn is_overdue(&self, finding: &Finding, patience: Duration) -> bool {
        let Some(number) = finding.earlier else { return false };
        let line = number.checked_sub(1).and_then(|index| self.lines.get(index));
        let Some(method) = line.and_then(|line| line.get("method")?.as_str()) else { return false };
        let row = Row::received_by(self.judged(), method, Kind::Call)
            .or_else(|| v2::received_by(self.judged(), method, Kind::Call));
        let may_take = match (finding.rule.id, row) {
            // A cancelled call no longer waits for a person or a command.
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
