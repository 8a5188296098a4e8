//! What a peer supports as tables, in the shape in which people keep them by hand. No number is in them, so that two runs give the same.

use crate::support::{Answering, Support, Topic, gates};
use attache_protocol::method::{Gate, METHODS, Receiver, Row, Side, Stability, UPDATES};
use std::collections::BTreeMap;

/// One table.
pub(super) struct Table {
    pub(super) title: &'static str,
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// What stands in a table.
pub(super) enum Cell {
    /// A name of the protocol, or one that a peer made up.
    Code(String),
    /// Several.
    Codes(Vec<String>),
    Text(String),
    /// Yes or no.
    Mark(bool),
}

/// Something of the protocol that the peer does not support.
pub(super) struct Lack {
    /// What it is about, as the beginning of a sentence.
    pub(super) what: &'static str,
    pub(super) names: Vec<String>,
}

/// The capabilities below this path without it.
const WRAPPERS: [&str; 2] = ["agentCapabilities.", "clientCapabilities."];

/// Every table of what a peer supports.
pub(super) fn tables(support: &Support) -> Vec<Table> {
    let mut tables =
        vec![answered(support), called(support), updates(support), capabilities(support), kinds(support)];
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// What the stable protocol has and this peer does not, as far as it was seen.
pub(super) fn lacks(support: &Support) -> Vec<Lack> {
    let is_stable = |row: &&Row| row.stability == Stability::Stable;
    let code = |name: &str| name.to_owned();
    let names = |rows: Vec<&'static Row>| rows.into_iter().map(|row| code(row.name)).collect();
    let unanswered = received_by(support.side).into_iter().filter(is_stable);
    let unanswered =
        unanswered.filter(|row| !matches!(support.answering(row.name), Answering::Works | Answering::Errors));
    let uncalled = received_by(support.side.other()).into_iter().filter(is_stable);
    let uncalled = uncalled.filter(|row| !support.calls(row.name));
    let seen = seen(support, Topic::Update);
    let updates =
        UPDATES.iter().filter(|row| row.stability == Stability::Stable && !seen.contains_key(row.name));
    let offers = gates(support.side)
        .into_iter()
        .filter(|(path, settled)| *settled == Stability::Stable && !offers(support, path));
    let lacks = [
        Lack { what: "Does not offer", names: offers.map(|(path, _)| code(short(path))).collect() },
        Lack { what: "Does not answer", names: names(unanswered.collect()) },
        Lack { what: "Was not seen to call", names: names(uncalled.collect()) },
        Lack {
            what: if support.side == Side::Agent { "Was not seen to send" } else { "Was not seen to take" },
            names: updates.map(|row| code(row.name)).collect(),
        },
    ];
    lacks.into_iter().filter(|lack| !lack.names.is_empty()).collect()
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

/// The methods that this end receives, each name once, without those of proxies.
fn received_by(side: Side) -> Vec<&'static Row> {
    let mut rows: Vec<&'static Row> = Vec::new();
    for row in METHODS.iter().copied() {
        let is_theirs = match row.receiver {
            Receiver::Agent => side == Side::Agent,
            Receiver::Client => side == Side::Client,
            Receiver::Both => true,
            Receiver::Proxy => false,
        };
        if is_theirs && rows.iter().all(|other| other.name != row.name) {
            rows.push(row);
        }
    }
    rows
}

fn answered(support: &Support) -> Table {
    let rows = received_by(support.side).into_iter();
    let rows =
        rows.filter(|row| row.stability != Stability::Retired || support.answered.contains_key(row.name));
    let known = rows.map(|row| {
        let offered = row.gate.path().filter(|_| is_gated_by(&row.gate, support.side));
        vec![
            Cell::Code(row.name.to_owned()),
            Cell::Text(settled(row.stability).to_owned()),
            offered.map_or_else(|| Cell::Text("always".to_owned()), |path| Cell::Mark(offers(support, path))),
            answer(support, row.name),
        ]
    });
    let others = support.answered.keys().filter(|name| METHODS.iter().all(|row| row.name != name.as_str()));
    let others = others.map(|name| {
        vec![
            Cell::Code(name.clone()),
            Cell::Text("its own".to_owned()),
            Cell::Text(String::new()),
            answer(support, name),
        ]
    });
    Table {
        title: "Methods it answers",
        head: vec!["Method", "Settled", "Offered", "Answered"],
        rows: known.chain(others).collect(),
    }
}

fn answer(support: &Support, method: &str) -> Cell {
    match support.answering(method) {
        Answering::Works => Cell::Mark(true),
        Answering::Errors => {
            let codes = support
                .answered
                .get(method)
                .map(|calls| calls.errors.keys().map(i64::to_string).collect::<Vec<_>>());
            Cell::Text(format!("only errors: {}", codes.unwrap_or_default().join(", ")))
        }
        Answering::Unknown => Cell::Mark(false),
        Answering::Untold => Cell::Text("not asked".to_owned()),
    }
}

fn called(support: &Support) -> Table {
    let rows = received_by(support.side.other()).into_iter();
    let rows = rows.filter(|row| row.stability != Stability::Retired || support.calls(row.name));
    let known = rows.map(|row| {
        let needs = row.gate.path().filter(|_| is_gated_by(&row.gate, support.side.other()));
        vec![
            Cell::Code(row.name.to_owned()),
            Cell::Text(settled(row.stability).to_owned()),
            needs.map_or_else(|| Cell::Text(String::new()), |path| Cell::Code(short(path).to_owned())),
            Cell::Mark(support.calls(row.name)),
        ]
    });
    let others = support.called.keys().filter(|name| METHODS.iter().all(|row| row.name != name.as_str()));
    let others = others.map(|name| its_own(name));
    Table {
        title: "Methods it calls",
        head: vec!["Method", "Settled", "Needs of the other end", "Called"],
        rows: known.chain(others).collect(),
    }
}

fn is_gated_by(gate: &Gate, side: Side) -> bool {
    matches!((gate, side), (Gate::Agent(..), Side::Agent) | (Gate::Client(..), Side::Client))
}

/// The row of a name that no table has.
fn its_own(name: &str) -> Vec<Cell> {
    let (name, whose) = (Cell::Code(name.to_owned()), Cell::Text("its own".to_owned()));
    vec![name, whose, Cell::Text(String::new()), Cell::Mark(true)]
}

fn settled(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Unstable => "unstable",
        Stability::Retired => "retired",
    }
}

fn updates(support: &Support) -> Table {
    let seen = seen(support, Topic::Update);
    let known = UPDATES.iter().map(|row| {
        vec![
            Cell::Code(row.name.to_owned()),
            Cell::Text(settled(row.stability).to_owned()),
            row.gate
                .path()
                .map_or_else(|| Cell::Text(String::new()), |path| Cell::Code(short(path).to_owned())),
            Cell::Mark(seen.contains_key(row.name)),
        ]
    });
    let others = seen.keys().filter(|name| UPDATES.iter().all(|row| row.name != name.as_str()));
    let others = others.map(|name| its_own(name));
    Table {
        title: "Updates",
        head: vec![
            "Update",
            "Settled",
            "Needs of the client",
            if support.side == Side::Agent { "Sent" } else { "Taken" },
        ],
        rows: known.chain(others).collect(),
    }
}

fn capabilities(support: &Support) -> Table {
    let known = gates(support.side);
    let row = |path: &str, settled: &str| {
        vec![
            Cell::Code(short(path).to_owned()),
            Cell::Text(settled.to_owned()),
            Cell::Mark(offers(support, path)),
        ]
    };
    let others = support.capabilities.iter().filter(|path| {
        let is_of = |gate: &str| gate == path.as_str() || gate.starts_with(&format!("{path}."));
        !known.iter().any(|(gate, _)| is_of(gate))
    });
    let others = others.map(|path| row(path, "its own"));
    Table {
        title: "Capabilities",
        head: vec!["Capability", "Settled", "Offered"],
        rows: known.iter().map(|(path, stability)| row(path, settled(*stability))).chain(others).collect(),
    }
}

/// What was seen of a topic, whichever end the peer is: what agents send and clients take.
fn seen(support: &Support, topic: Topic) -> BTreeMap<String, usize> {
    let names =
        |seen: &BTreeMap<Topic, BTreeMap<String, usize>>| seen.get(&topic).cloned().unwrap_or_default();
    let is_of_clients = matches!(topic, Topic::Prompt | Topic::PermissionOutcome | Topic::ElicitationAction);
    match (support.side == Side::Agent) != is_of_clients {
        true => names(&support.sent),
        false => names(&support.taken),
    }
}

fn kinds(support: &Support) -> Table {
    let rows = Topic::ALL.iter().filter(|topic| **topic != Topic::Update).filter_map(|topic| {
        let (seen, known) = (seen(support, *topic), topic.known());
        let not_seen: Vec<String> =
            known.iter().filter(|name| !seen.contains_key(**name)).map(|name| (*name).to_owned()).collect();
        // Those of the protocol in its own order, then those that the peer made up.
        let mut names: Vec<String> =
            known.iter().filter(|name| seen.contains_key(**name)).map(|name| (*name).to_owned()).collect();
        names.extend(seen.into_keys().filter(|name| !known.contains(&name.as_str())));
        if names.is_empty() && known.is_empty() {
            return None;
        }
        Some(vec![Cell::Text(topic.title().to_owned()), Cell::Codes(names), Cell::Codes(not_seen)])
    });
    Table { title: "Kinds", head: vec!["Of", "Seen", "Not seen"], rows: rows.collect() }
}
