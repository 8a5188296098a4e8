//! A table of a report, with a column per peer.

use crate::judging::support::Support;
use attache_protocol::method::{Side, Stability};
use std::collections::BTreeSet;

/// One table.
pub(super) struct Table {
    pub(super) title: &'static str,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A table cell.
pub(super) enum Cell {
    /// A name of the protocol or of a peer.
    Code(String),
    Text(String),
    /// Yes or no.
    Mark(bool),
    /// Names of the protocol, each with labels and addresses of its code.
    Names(Vec<(&'static str, Vec<(&'static str, String)>)>),
}

/// Returns the versions of the protocol by which these peers were judged, the lowest first.
pub(super) fn versions(peers: &[&Support]) -> BTreeSet<u16> {
    peers.iter().map(|peer| peer.protocol).collect()
}

/// Returns the column headings of a table: its own heading, and one per peer with the peer's role.
/// The name of the peers is left out if they share it and differ in side or version.
pub(super) fn head(
    own: &[&str],
    peers: &[&Support],
    does: impl Fn(&Support) -> &'static str,
) -> Vec<String> {
    let names: BTreeSet<_> = peers.iter().map(|peer| &peer.name).collect();
    let kinds: BTreeSet<_> =
        peers.iter().map(|peer| (peer.side == Side::Agent, peer.protocol)).collect();
    let is_one_program = names.len() == 1 && kinds.len() == peers.len();
    let has_versions = versions(peers).len() > 1;
    let peer = |support: &&Support| {
        let (does, side) = (does(support), support.side.as_str());
        let side = match has_versions {
            true => format!("{side} v{}", support.protocol),
            false => side.to_owned(),
        };
        let who = match &support.name {
            _ if peers.len() == 1 && !does.is_empty() => return does.to_owned(),
            Some(name) if !is_one_program => format!("{name}, {side}"),
            _ => side,
        };
        if does.is_empty() { who } else { format!("{who}: {does}") }
    };
    own.iter().map(|head| (*head).to_owned()).chain(peers.iter().map(peer)).collect()
}

pub(super) fn stability_word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Unstable => "unstable",
        Stability::Retired => "retired",
    }
}
