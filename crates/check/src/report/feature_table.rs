//! The table of features: the state of each peer, the names and rules of the feature, and what a
//! person loses without it.

use super::feature::{Feature, Name, features};
use super::feature_state::{rule_ids, state};
use super::method_link::MethodLink;
use super::table::{Cell, Table, head};
use crate::{Judgement, Support};
use attache_protocol::method::Side;

/// Returns the table of these peers, side by side.
pub(super) fn table(judgements: &[&Judgement], links: &[MethodLink]) -> Table {
    let peers: Vec<&Support> = judgements.iter().map(|judgement| &judgement.support).collect();
    let sides: Vec<Side> = [Side::Agent, Side::Client]
        .into_iter()
        .filter(|side| peers.iter().any(|peer| peer.side == *side))
        .collect();
    let mut heads = head(&["Part", "Feature"], &peers, |_| "");
    heads.extend(["Names", "Rules"].map(str::to_owned));
    heads.extend(sides.iter().map(|side| format!("If the {} lacks it", side.as_str())));
    let row = |feature: &Feature| {
        let title = [feature.part, feature.title].map(|text| Cell::Text(text.to_owned()));
        let states = judgements.iter().map(|judgement| Cell::Text(state(feature, judgement)));
        let without = sides.iter().map(|side| match side {
            Side::Agent => feature.without_in_agent,
            Side::Client => feature.without_in_client,
        });
        title
            .into_iter()
            .chain(states)
            .chain([names(feature, links), Cell::Text(rule_ids(feature, &sides))])
            .chain(without.map(|text| Cell::Text(text.to_owned())))
            .collect()
    };
    let rows = features().iter().map(row).collect();
    Table { title: "Features", head: heads, rows }
}

/// Lists the methods and updates of a feature, with links to the code of each side and version.
fn names(feature: &Feature, links: &[MethodLink]) -> Cell {
    let names = feature.names.iter().filter_map(|name| match name {
        Name::Method(name) => {
            let links = links.iter().filter(|link| link.method == *name);
            Some((*name, links.map(|link| (label(link), link.target.clone())).collect()))
        }
        Name::Update(name) => Some((*name, Vec::new())),
        Name::Kind(..) | Name::Capability(..) => None,
    });
    Cell::Names(names.collect())
}

fn label(link: &MethodLink) -> &'static str {
    match (link.receiver, link.protocol) {
        (Side::Agent, 1) => "agent v1",
        (Side::Agent, _) => "agent v2",
        (Side::Client, 1) => "client v1",
        (Side::Client, _) => "client v2",
    }
}
