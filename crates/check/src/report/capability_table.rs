//! The tables of capabilities.

use super::table::{Cell, Table, head, stability_word, versions};
use crate::judging::support::{Support, gates};
use attache_protocol::method::{Side, Stability};
use std::collections::BTreeSet;

/// The prefixes of capabilities, which the tables leave out.
const WRAPPERS: [&str; 3] = ["agentCapabilities.", "clientCapabilities.", "capabilities."];

/// Returns the path of a capability without its prefix.
pub(super) fn short(path: &str) -> &str {
    WRAPPERS.iter().find_map(|wrapper| path.strip_prefix(wrapper)).unwrap_or(path)
}

/// Whether the peer offers the capability with this short path, or one below it.
pub(super) fn is_offered(support: &Support, path: &str) -> bool {
    support.capabilities.iter().any(|offered| is_below(short(offered), path))
}

/// Whether the first path is the second or below it.
fn is_below(below: &str, path: &str) -> bool {
    below.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns the table of the capabilities that the peers of one side offer. Versions share a row if
/// their paths differ only in the prefix.
pub(super) fn capabilities(side: Side, title: &'static str, peers: &[&Support]) -> Table {
    let peers: Vec<&Support> = peers.iter().copied().filter(|peer| peer.side == side).collect();
    let mut known: Vec<(&str, Stability)> = Vec::new();
    for (path, stability) in versions(&peers).into_iter().flat_map(|version| gates(side, version)) {
        if known.iter().all(|(other, _)| *other != short(path)) {
            known.push((short(path), stability));
        }
    }
    let offered: BTreeSet<&str> =
        peers.iter().flat_map(|peer| &peer.capabilities).map(|path| short(path)).collect();
    let own =
        offered.into_iter().filter(|path| !known.iter().any(|(gate, _)| is_below(gate, path)));
    let settled = |path: &str| {
        let gate = known.iter().find(|(gate, _)| is_below(path, gate));
        gate.map_or("its own", |(_, stability)| stability_word(*stability))
    };
    let cell = |peer: &Support, path: &str| {
        let is_gate = gates(side, peer.protocol).iter().any(|(gate, _)| short(gate) == path);
        let same_version = peers.iter().filter(|other| other.protocol == peer.protocol);
        match is_offered(peer, path) {
            true => Cell::Mark(true),
            false if is_gate || same_version.clone().any(|other| is_offered(other, path)) => {
                Cell::Mark(false)
            }
            false => Cell::Text(String::new()),
        }
    };
    let row = |path: &str| {
        let name = [Cell::Code(path.to_owned()), Cell::Text(settled(path).to_owned())];
        name.into_iter().chain(peers.iter().map(|peer| cell(peer, path))).collect()
    };
    let rows = known.iter().map(|(path, _)| *path).chain(own).map(row).collect();
    Table { title, head: head(&["Capability", "Settled"], &peers, |_| "offers"), rows }
}
