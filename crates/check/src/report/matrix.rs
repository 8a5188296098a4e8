//! Tables of what peers support: a row per name of the protocol, a column per peer. The tables
//! contain no counts, so that two runs give the same table.

use crate::judging::support::{
    Answering, Support, Topic, gates, methods as rows_of, updates as updates_of,
};
use attache_protocol::method::{Receiver, Row, Side, Stability, UpdateRow};
use std::collections::{BTreeMap, BTreeSet};

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
}

/// The unsupported or unprovoked names of one part of the protocol.
pub(super) struct Gap {
    /// The topic, as the beginning of a sentence.
    pub(super) what: &'static str,
    pub(super) names: Vec<String>,
}

/// The meaning of the marks, as a sentence.
pub(super) const LEGEND: &str = "✓: observed to work. –: not offered, or answered as unknown. Not provoked: no probe caused it.";

/// The mark for a name that did not occur because no probe provokes it.
const NOT_PROVOKED: &str = "not provoked";

/// The prefixes of capabilities, which the tables leave out.
const WRAPPERS: [&str; 3] = ["agentCapabilities.", "clientCapabilities.", "capabilities."];

/// Returns every table of the support of these peers, side by side.
pub(super) fn tables(peers: &[&Support]) -> Vec<Table> {
    let mut tables = vec![
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
    let is_offered = |row: &Row| {
        row.gate.path().is_none_or(|path| !is_gate_of(support, path) || offers(support, path))
    };
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

fn short(path: &str) -> &str {
    WRAPPERS.iter().find_map(|wrapper| path.strip_prefix(wrapper)).unwrap_or(path)
}

/// Whether the peer offers this capability, or one below it.
fn offers(support: &Support, path: &str) -> bool {
    let is_below = |offered: &String| {
        offered.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    support.capabilities.iter().any(is_below)
}

/// Whether this is a capability of the peer's side in the peer's version of the protocol.
fn is_gate_of(support: &Support, path: &str) -> bool {
    gates(support.side, support.protocol).iter().any(|(gate, _)| *gate == path)
}

/// Returns the versions of the protocol by which these peers were judged, the lowest first.
fn versions(peers: &[&Support]) -> BTreeSet<u16> {
    peers.iter().map(|peer| peer.protocol).collect()
}

/// Whether this side receives the method. Proxies receive their own methods.
fn receives(side: Side, row: &Row) -> bool {
    match row.receiver {
        Receiver::Agent => side == Side::Agent,
        Receiver::Client => side == Side::Client,
        Receiver::Both => true,
        Receiver::Proxy => false,
    }
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

/// Returns the column headings of a table: its own heading, and one per peer with the peer's role.
fn head(own: &[&str], peers: &[&Support], does: impl Fn(&Support) -> &'static str) -> Vec<String> {
    let peer = |support: &&Support| {
        let does = does(support);
        match (peers.len(), &support.name) {
            (1, _) => does.to_owned(),
            (_, Some(name)) => format!("{name}, {}: {does}", support.side.as_str()),
            (_, None) => format!("{}: {does}", support.side.as_str()),
        }
    };
    own.iter().map(|head| (*head).to_owned()).chain(peers.iter().map(peer)).collect()
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
            Some(row) if support.side == receiver => answer(support, name, row.gate.path()),
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

fn answer(support: &Support, method: &str, gate: Option<&str>) -> Cell {
    let is_offered = gate.is_none_or(|path| !is_gate_of(support, path) || offers(support, path));
    match support.answering(method) {
        Answering::Works => Cell::Mark(true),
        Answering::Errors => {
            let calls = support.answered.get(method);
            let codes =
                calls.map(|calls| calls.errors.keys().map(i64::to_string).collect::<Vec<_>>());
            Cell::Text(format!("only errors: {}", codes.unwrap_or_default().join(", ")))
        }
        Answering::Unknown => Cell::Mark(false),
        Answering::Untold if is_offered => provoked(false),
        Answering::Untold => Cell::Mark(false),
    }
}

fn stability_word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Unstable => "unstable",
        Stability::Retired => "retired",
    }
}

fn updates(peers: &[&Support]) -> Table {
    let seen: Vec<_> = peers.iter().map(|peer| seen(peer, Topic::Update)).collect();
    let cells =
        |name: &str| seen.iter().map(|seen| provoked(seen.contains_key(name))).collect::<Vec<_>>();
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
    let names: BTreeSet<&String> = seen.iter().flat_map(BTreeMap::keys).collect();
    let own = names.into_iter().filter(|name| rows.iter().all(|row| row.name != name.as_str()));
    let own = own.map(|name| row(name, "its own", "", cells(name).into_iter()));
    let does = |support: &Support| if support.side == Side::Agent { "sends" } else { "takes" };
    let head = head(&["Update", "Settled", "Needs"], peers, does);
    Table { title: "Updates", head, rows: known.chain(own).collect() }
}

/// Returns the table of the capabilities that the peers of one side offer.
fn capabilities(side: Side, title: &'static str, peers: &[&Support]) -> Table {
    let peers: Vec<&Support> = peers.iter().copied().filter(|peer| peer.side == side).collect();
    if peers.is_empty() {
        return Table { title, head: Vec::new(), rows: Vec::new() };
    }
    let known: Vec<_> =
        versions(&peers).into_iter().flat_map(|protocol| gates(side, protocol)).collect();
    let row = |path: &str, settled: &str| {
        let offered = peers.iter().map(|peer| Cell::Mark(offers(peer, path)));
        let name = [Cell::Code(short(path).to_owned()), Cell::Text(settled.to_owned())];
        name.into_iter().chain(offered).collect()
    };
    let own: BTreeSet<&String> = peers.iter().flat_map(|peer| &peer.capabilities).collect();
    let own = own.into_iter().filter(|path| {
        let is_of = |gate: &str| gate == path.as_str() || gate.starts_with(&format!("{path}."));
        !known.iter().any(|(gate, _)| is_of(gate))
    });
    let rows = known.iter().map(|(path, stability)| row(path, stability_word(*stability)));
    let rows = rows.chain(own.map(|path| row(path, "its own"))).collect();
    Table { title, head: head(&["Capability", "Settled"], &peers, |_| "offers"), rows }
}

/// Returns the names of a topic with their counts: those that the peer sent or, if only the other
/// side sends names of this topic, those that the peer accepted.
fn seen(support: &Support, topic: Topic) -> BTreeMap<String, usize> {
    let names = |seen: &BTreeMap<Topic, BTreeMap<String, usize>>| {
        seen.get(&topic).cloned().unwrap_or_default()
    };
    let is_of_clients =
        matches!(topic, Topic::Prompt | Topic::PermissionOutcome | Topic::ElicitationAction);
    match (support.side == Side::Agent) != is_of_clients {
        true => names(&support.sent),
        false => names(&support.taken),
    }
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
