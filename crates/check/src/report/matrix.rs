//! Tables of what peers support: a row per feature or name of the protocol, a column per peer. The
//! tables contain no counts, so that two runs give the same table.

use super::capability_table::{capabilities, short};
use super::feature_table;
use super::method_link::MethodLink;
use super::peer_state::{MethodState, is_offered_for, method_state, offers, receives, seen};
use super::table::{Cell, Table, head, stability_word, versions};
use crate::Judgement;
use crate::judging::support::{
    Answering, Support, Topic, gates, methods as rows_of, updates as updates_of,
};
use attache_protocol::method::{Row, Side, Stability, UpdateRow};
use std::collections::{BTreeMap, BTreeSet};

/// The unsupported or unprovoked names of one part of the protocol.
pub(super) struct Gap {
    /// The topic, as the beginning of a sentence.
    pub(super) what: &'static str,
    pub(super) names: Vec<String>,
}

/// The meaning of the marks, as sentences.
pub(super) const LEGEND: &str = "Yes or ✓: observed to work. Partly: the state names what is missing, or the rules that are broken. No or –: not offered, or answered as unknown. Not provoked: no probe of the judge caused it. Empty: this side or version has no part in it. `attache check rules ID` explains a rule.";

/// The mark for a name that did not occur because no probe provokes it.
const NOT_PROVOKED: &str = "not provoked";

/// Returns every table of the support of these peers, side by side, with links to the code.
pub(super) fn tables(judgements: &[&Judgement], links: &[MethodLink]) -> Vec<Table> {
    let peers: Vec<&Support> = judgements.iter().map(|judgement| &judgement.support).collect();
    let peers = peers.as_slice();
    let mut tables = vec![
        feature_table::table(judgements, links),
        methods(Side::Agent, "Methods of agents", peers),
        methods(Side::Client, "Methods of clients", peers),
        updates(peers),
        capabilities(Side::Agent, "Capabilities of agents", peers),
        capabilities(Side::Client, "Capabilities of clients", peers),
        kinds(peers),
    ];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// Returns the parts of the stable protocol that this peer did not show.
pub(super) fn lacks(support: &Support) -> Vec<Gap> {
    let is_stable = |row: &&Row| row.stability == Stability::Stable;
    let received = || received_by(support.side, &[support]).into_iter().filter(is_stable);
    let is_offered = |row: &Row| is_offered_for(support, &row.gate);
    let answering = |wanted: Answering| {
        received().filter(move |row| support.answering(row.name) == wanted && is_offered(row))
    };
    let uncalled = received_by(support.side.other(), &[support]).into_iter().filter(is_stable);
    let uncalled = uncalled.filter(|row| !support.calls(row.name));
    let seen = seen(support, Topic::Update);
    let updates =
        updates_of(support.protocol).iter().filter(|row| row.stability == Stability::Stable);
    let updates = updates.map(|row| row.name).filter(|name| !seen.contains_key(*name));
    let offers = gates(support.side, support.protocol)
        .into_iter()
        .filter(|(path, settled)| *settled == Stability::Stable && !offers(support, path));
    let unprovoked =
        answering(Answering::Untold).chain(uncalled).map(|row| row.name).chain(updates);
    let lacks = [
        ("Does not offer", offers.map(|(path, _)| short(path).to_owned()).collect()),
        ("Does not answer", answering(Answering::Unknown).map(|row| row.name.to_owned()).collect()),
        ("Was not provoked", unprovoked.map(str::to_owned).collect()),
    ];
    let lacks = lacks.into_iter().map(|(what, names): (_, Vec<String>)| Gap { what, names });
    lacks.filter(|lack| !lack.names.is_empty()).collect()
}

/// Returns the methods that this side receives in the versions of these peers, each name once.
fn received_by(side: Side, peers: &[&Support]) -> Vec<&'static Row> {
    let mut rows: Vec<&'static Row> = Vec::new();
    for row in versions(peers).into_iter().flat_map(rows_of).copied() {
        let is_theirs = receives(side, row);
        if is_theirs && rows.iter().all(|other| other.name != row.name) {
            rows.push(row);
        }
    }
    rows
}

/// Returns a row: the name, its stability, its gate, and a cell per peer.
fn row(name: &str, settled: &str, needs: &str, peers: impl Iterator<Item = Cell>) -> Vec<Cell> {
    let needs = if needs.is_empty() {
        Cell::Text(String::new())
    } else {
        Cell::Code(short(needs).to_owned())
    };
    [Cell::Code(name.to_owned()), Cell::Text(settled.to_owned()), needs]
        .into_iter()
        .chain(peers)
        .collect()
}

/// Returns the table of the methods that one side receives. It shows which peers of that side
/// answer them, and which peers of the other side call them.
fn methods(receiver: Side, title: &'static str, peers: &[&Support]) -> Table {
    let is_used = |name: &str| {
        peers.iter().any(|peer| match peer.side == receiver {
            true => peer.answered.contains_key(name),
            false => peer.calls(name),
        })
    };
    let cell = |support: &Support, name: &str| {
        let mut rows = rows_of(support.protocol).iter();
        match rows.find(|row| row.name == name && receives(receiver, row)) {
            None => Cell::Text(String::new()),
            Some(row) if support.side == receiver => answer(support, row),
            Some(_) => provoked(support.calls(name)),
        }
    };
    let known = received_by(receiver, peers).into_iter();
    let known = known.filter(|row| row.stability != Stability::Retired || is_used(row.name)).map(
        |method| {
            let gate = method.gate.path();
            let cells = peers.iter().map(|peer| cell(peer, method.name));
            row(method.name, stability_word(method.stability), gate.unwrap_or_default(), cells)
        },
    );
    let known_methods: Vec<&Row> = versions(peers).into_iter().flat_map(rows_of).copied().collect();
    let callers = peers.iter().filter(|peer| peer.side != receiver);
    let own: BTreeSet<&str> = callers
        .flat_map(|peer| peer.called.keys())
        .map(String::as_str)
        .filter(|name| known_methods.iter().all(|row| row.name != *name))
        .collect();
    let own = own.into_iter().map(|name| {
        let cells = peers.iter().map(|peer| match peer.side == receiver {
            true => Cell::Text(String::new()),
            false => provoked(peer.calls(name)),
        });
        row(name, "its own", "", cells)
    });
    let does = |support: &Support| if support.side == receiver { "answers" } else { "calls" };
    Table {
        title,
        head: head(&["Method", "Settled", "Needs"], peers, does),
        rows: known.chain(own).collect(),
    }
}

fn provoked(is_seen: bool) -> Cell {
    if is_seen { Cell::Mark(true) } else { Cell::Text(NOT_PROVOKED.to_owned()) }
}

fn answer(support: &Support, row: &Row) -> Cell {
    match method_state(support, row) {
        MethodState::Works => Cell::Mark(true),
        MethodState::OnlyErrors => Cell::Text("only errors".to_owned()),
        MethodState::Missing => Cell::Mark(false),
        MethodState::Unprovoked => provoked(false),
    }
}

fn updates(peers: &[&Support]) -> Table {
    let seen: Vec<_> = peers.iter().map(|peer| (*peer, seen(peer, Topic::Update))).collect();
    let cell = |peer: &Support, is_seen: bool, name: &str| match is_seen {
        false if updates_of(peer.protocol).iter().all(|row| row.name != name) => {
            Cell::Text(String::new())
        }
        _ => provoked(is_seen),
    };
    let cells = |name: &str| {
        let cells = seen.iter().map(|(peer, seen)| cell(peer, seen.contains_key(name), name));
        cells.collect::<Vec<_>>()
    };
    let mut rows: Vec<&UpdateRow> = Vec::new();
    for update in versions(peers).into_iter().flat_map(updates_of) {
        if rows.iter().all(|other| other.name != update.name) {
            rows.push(update);
        }
    }
    let known = rows.iter().map(|update| {
        let needs = update.gate.path().unwrap_or_default();
        row(update.name, stability_word(update.stability), needs, cells(update.name).into_iter())
    });
    let names: BTreeSet<&String> = seen.iter().flat_map(|(_, seen)| seen.keys()).collect();
    let own = names.into_iter().filter(|name| rows.iter().all(|row| row.name != name.as_str()));
    let own = own.map(|name| row(name, "its own", "", cells(name).into_iter()));
    let does = |support: &Support| if support.side == Side::Agent { "sends" } else { "takes" };
    let head = head(&["Update", "Settled", "Needs"], peers, does);
    Table { title: "Updates", head, rows: known.chain(own).collect() }
}

/// Returns the table of the kinds of all topics except updates, including names that a peer
/// invented.
fn kinds(peers: &[&Support]) -> Table {
    let topics = Topic::ALL.iter().filter(|topic| **topic != Topic::Update);
    let rows = topics.flat_map(|topic| {
        let (known, seen) =
            (topic.known(), peers.iter().map(|peer| seen(peer, *topic)).collect::<Vec<_>>());
        let all: BTreeSet<&String> = seen.iter().flat_map(BTreeMap::keys).collect();
        let own = all.into_iter().map(String::as_str).filter(|name| !known.contains(name));
        // The protocol's kinds come first, in its order, then the names that a peer invented.
        let names: Vec<&str> = known.iter().copied().chain(own).collect();
        let row = |name: &&str| {
            let cells = seen.iter().map(|seen| provoked(seen.contains_key(*name)));
            let first = [Cell::Text(topic.title().to_owned()), Cell::Code((*name).to_owned())];
            first.into_iter().chain(cells).collect::<Vec<_>>()
        };
        names.iter().map(row).collect::<Vec<_>>()
    });
    let does = |support: &Support| if support.side == Side::Agent { "uses" } else { "takes" };
    Table { title: "Kinds", head: head(&["Of", "Kind"], peers, does), rows: rows.collect() }
}
