//! What a peer showed of one method, capability or kind.

use crate::judging::support::{Answering, Support, Topic, gates};
use attache_protocol::method::{Gate, Receiver, Row, Side};
use std::collections::BTreeMap;

/// How a peer answers a method that it receives.
pub(super) enum MethodState {
    Works,
    OnlyErrors,
    /// Not offered, or answered as unknown.
    Missing,
    Unprovoked,
}

/// Whether the peer offers this capability, or one below it.
pub(super) fn offers(support: &Support, path: &str) -> bool {
    let is_below = |offered: &String| {
        offered.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    support.capabilities.iter().any(is_below)
}

/// Whether this is a capability of the peer's side in the peer's version of the protocol.
fn is_gate_of(support: &Support, path: &str) -> bool {
    gates(support.side, support.protocol).iter().any(|(gate, _)| *gate == path)
}

/// Whether the peer offers what this gate demands of its side.
pub(super) fn is_offered_for(support: &Support, gate: &Gate) -> bool {
    gate.path().is_none_or(|path| !is_gate_of(support, path) || offers(support, path))
}

/// Whether this side receives the method. Proxies receive their own methods.
pub(super) fn receives(side: Side, row: &Row) -> bool {
    match row.receiver {
        Receiver::Agent => side == Side::Agent,
        Receiver::Client => side == Side::Client,
        Receiver::Both => true,
        Receiver::Proxy => false,
    }
}

/// Returns how the peer answers a method that its side receives.
pub(super) fn method_state(support: &Support, row: &Row) -> MethodState {
    match support.answering(row.name) {
        Answering::Works => MethodState::Works,
        Answering::Errors => MethodState::OnlyErrors,
        Answering::Unknown => MethodState::Missing,
        Answering::Untold if is_offered_for(support, &row.gate) => MethodState::Unprovoked,
        Answering::Untold => MethodState::Missing,
    }
}

/// Returns the names of a topic with their counts: those that the peer sent or, if only the other
/// side sends names of this topic, those that the peer accepted.
pub(super) fn seen(support: &Support, topic: Topic) -> BTreeMap<String, usize> {
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
