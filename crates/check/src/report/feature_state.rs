//! How far a peer supports a feature, judged by its capabilities, its answers, the names that it
//! uses and the rules that it breaks.

use super::capability_table::is_offered;
use super::feature::{Feature, Name};
use super::peer_state::{MethodState, is_offered_for, method_state, receives, seen};
use crate::judging::support::{Topic, methods, updates};
use crate::{Judgement, Outcome, Strength, Support};
use attache_protocol::method::Side;

/// How far a peer supports one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    /// The peer knows the method, but every call of the judge got an error.
    OnlyErrors,
    No,
    /// No probe caused it.
    Unprovoked,
}

/// Returns the state of the feature as a sentence without its dot, empty if the peer's version has
/// no such feature: `yes`, `partly`, `no` or `not provoked`, and what is missing.
pub(super) fn state(feature: &Feature, judgement: &Judgement) -> String {
    let support = &judgement.support;
    let names = feature.names.iter();
    let shown: Vec<(Name, Shown)> =
        names.filter_map(|name| Some((*name, shown(*name, support)?))).collect();
    let broken = broken(feature, judgement);
    if shown.is_empty() {
        return match feature.names.is_empty() {
            true => state_by_rules(feature, judgement, &broken),
            false => String::new(),
        };
    }
    let list = |wanted: Shown| {
        listed(shown.iter().filter(|(_, shown)| *shown == wanted).map(|(name, _)| *name))
    };
    let (missing, errors, unprovoked) =
        (list(Shown::No), list(Shown::OnlyErrors), list(Shown::Unprovoked));
    let notes = [("only errors from", &errors), ("not provoked:", &unprovoked)];
    let notes = notes.into_iter().filter(|(_, names)| !names.is_empty());
    let notes: String = notes.map(|(what, names)| format!("; {what} {names}")).collect();
    let is_shown = |wanted: Shown| shown.iter().any(|(_, shown)| *shown == wanted);
    if is_shown(Shown::Yes) {
        let gaps = [("no", missing), ("breaks", broken)];
        let gaps = gaps.into_iter().filter(|(_, names)| !names.is_empty());
        let gaps: Vec<String> = gaps.map(|(what, names)| format!("{what} {names}")).collect();
        return match gaps.is_empty() {
            true => format!("yes{notes}"),
            false => format!("partly: {}{notes}", gaps.join("; ")),
        };
    }
    match (is_shown(Shown::No), is_shown(Shown::OnlyErrors), broken.is_empty()) {
        (_, true, _) => format!("partly{notes}"),
        (true, ..) => "no".to_owned(),
        (false, _, true) => "not provoked".to_owned(),
        (false, _, false) => format!("not provoked; breaks {broken}"),
    }
}

/// A feature without names is supported if the peer keeps its rules.
fn state_by_rules(feature: &Feature, judgement: &Judgement, broken: &str) -> String {
    let passes = feature.rules.iter().any(|rule| {
        judgement.verdict(rule.id).is_some_and(|verdict| verdict.outcome == Outcome::Pass)
    });
    match (broken.is_empty(), passes) {
        (false, _) => format!("partly: breaks {broken}"),
        (true, true) => "yes".to_owned(),
        (true, false) => "not provoked".to_owned(),
    }
}

/// Lists the rules of the feature that the peer breaks without being free to do so.
fn broken(feature: &Feature, judgement: &Judgement) -> String {
    let rules = feature.rules.iter().filter(|rule| {
        let binds = rule.must_hold() || rule.strength == Strength::Should;
        binds && judgement.verdict(rule.id).is_some_and(|verdict| verdict.outcome.is_fail())
    });
    rules.map(|rule| rule.id).collect::<Vec<_>>().join(", ")
}

/// Returns how far the peer supports this name, or `None` if its version or its side has no part in
/// it.
fn shown(name: Name, support: &Support) -> Option<Shown> {
    let provoked = |is_seen: bool| if is_seen { Shown::Yes } else { Shown::Unprovoked };
    match name {
        Name::Method(name) => {
            let mut rows = methods(support.protocol).iter().filter(|row| row.name == name);
            let of_side = rows.clone().find(|row| receives(support.side, row));
            Some(match of_side {
                Some(row) => match method_state(support, row) {
                    MethodState::Works => Shown::Yes,
                    MethodState::OnlyErrors => Shown::OnlyErrors,
                    MethodState::Missing => Shown::No,
                    MethodState::Unprovoked => provoked(support.calls(name)),
                },
                None => rows.next().map(|row| provoked(support.calls(row.name)))?,
            })
        }
        Name::Update(name) => {
            let row = updates(support.protocol).iter().find(|row| row.name == name)?;
            let is_seen = seen(support, Topic::Update).contains_key(name);
            let may_come = is_seen || is_offered_for(support, &row.gate);
            Some(if may_come { provoked(is_seen) } else { Shown::No })
        }
        Name::Kind(topic, kind) => Some(provoked(seen(support, topic).contains_key(kind))),
        Name::Capability(side, protocol, path) => {
            let is_theirs = side == support.side && protocol == support.protocol;
            is_theirs.then(|| match is_offered(support, path) {
                true => Shown::Yes,
                false => Shown::No,
            })
        }
    }
}

/// Joins names. Kinds of one topic share its title: ``content of prompts `image`, `audio` ``.
fn listed(names: impl Iterator<Item = Name>) -> String {
    let mut out = String::new();
    let mut last = None;
    for name in names {
        let (topic, text) = match name {
            Name::Method(text) | Name::Update(text) | Name::Capability(_, _, text) => (None, text),
            Name::Kind(topic, text) => (Some(topic), text),
        };
        if !out.is_empty() {
            out.push_str(", ");
        }
        if let Some(topic) = topic.filter(|_| topic != last) {
            out.push_str(&format!("{} ", topic.title().to_lowercase()));
        }
        out.push_str(text);
        last = topic;
    }
    out
}

/// The judged rules of a feature that bind one of these sides, with ranges such as `CONF-01–07`.
pub(super) fn rule_ids(feature: &Feature, sides: &[Side]) -> String {
    let is_judged = |id: &str| {
        crate::faults().iter().any(|fault| fault.rule == id && sides.contains(&fault.by))
    };
    let mut ranges: Vec<(&str, &str, u32)> = Vec::new();
    for rule in feature.rules.iter().filter(|rule| is_judged(rule.id)) {
        let number = rule.id.rsplit_once('-').and_then(|(_, number)| number.parse().ok());
        let number: u32 = number.unwrap_or_default();
        match ranges.last_mut() {
            Some((first, last, before))
                if *before + 1 == number && first.starts_with(&format!("{}-", rule.prefix())) =>
            {
                (*last, *before) = (rule.id, number);
            }
            _ => ranges.push((rule.id, rule.id, number)),
        }
    }
    let shown = |(first, last, _): (&str, &str, u32)| match first == last {
        true => first.to_owned(),
        false => format!("{first}–{}", last.rsplit_once('-').map_or(last, |(_, number)| number)),
    };
    ranges.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}
