//! The documents of the judge: how each rule is judged, and the verdicts for three unrelated peers.

use crate::judgements::{Family, Peers, judgements};
use attache_check::{
    Fault, Judged, Judgement, Outcome, Rule, Verdict, faults, groups, probes, rules, why_not_judged,
};
use attache_protocol::method::Side;
use std::path::Path;

/// The number of rules with a pair: a fault that the judge finds, and a pass on three unrelated
/// correct peers. The number may only grow.
const PAIRS: usize = 350;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test foreign docs";

/// Fails if the document differs from this text, ignoring lines that depend on the machine's speed.
/// With `UPDATE_DOCS` it writes the document instead.
fn assert_up_to_date(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let (kept, now) = (steady(&kept), steady(text));
    let differ = kept.iter().zip(&now).find(|(kept, now)| kept != now);
    assert!(
        kept == now,
        "docs/{name} is out of date; write it with:\n  {COMMAND}\nfirst difference: {differ:#?}"
    );
}

/// Returns the lines that are the same on every machine. A slow machine can miss a result, so "not
/// tested" counts as "pass", and totals and reasons are ignored; failures are not.
fn steady(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.contains(" rules have a pair. "));
    let verdicts = |line: &str| line.replace("A?", "A✓").replace("C?", "C✓");
    // The last of the nine cells is the reason.
    let row = |line: &str| match line.rsplit_once(" | ") {
        Some((row, _)) if line.matches(" | ").count() == 8 => verdicts(row),
        _ => line.to_owned(),
    };
    lines.map(row).collect()
}

#[tokio::test]
async fn rules_md_is_up_to_date() {
    let peers = judgements().await;
    let coverage: Vec<Coverage> = rules().iter().map(|rule| Coverage::of(rule, peers)).collect();
    assert_up_to_date("rules.md", &document(&coverage));
    let pairs = coverage.iter().filter(|coverage| coverage.is_pair()).count();
    assert!(pairs >= PAIRS, "{pairs} rules have a pair, and {PAIRS} had one");
}

/// The probes, faults and verdicts of one rule.
struct Coverage {
    rule: &'static Rule,
    probes: Vec<String>,
    faults: Vec<&'static Fault>,
    /// The verdicts for the peers of each family, agent and client.
    said: Vec<(Family, Vec<(Side, Outcome)>)>,
}

impl Coverage {
    fn of(rule: &'static Rule, peers: &[Peers]) -> Self {
        let probes = probes().filter(|probe| probe.rule == rule.id);
        let mut probes: Vec<String> = probes
            .map(|probe| format!("{}: {}", probe.side.as_str(), probe.name.replace('_', " ")))
            .collect();
        let outcome = |judgement: &Judgement| {
            Some((judgement.side(), judgement.verdict(rule.id)?.outcome.clone()))
        };
        let is_watched = peers.iter().flat_map(Peers::judgements).any(|judgement| {
            judgement.verdict(rule.id).is_some_and(|verdict| verdict.grounds == Verdict::WATCHING)
        });
        let faults: Vec<_> = faults().iter().filter(|fault| fault.rule == rule.id).collect();
        if is_watched || faults.iter().any(|fault| fault.judged == Judged::Traffic) {
            probes.push("watching".to_owned());
        }
        let said = peers.iter().map(|peers| {
            (peers.family, peers.judgements().into_iter().filter_map(outcome).collect())
        });
        Self { rule, probes, faults, said: said.collect() }
    }

    /// Returns whether, for the agent or the client, the judge finds a fault and the peers of all
    /// three families pass.
    fn is_pair(&self) -> bool {
        [Side::Agent, Side::Client].into_iter().any(|side| {
            let passes = |said: &Vec<(Side, Outcome)>| said.contains(&(side, Outcome::Pass));
            self.faults.iter().any(|fault| fault.by == side)
                && self.said.iter().all(|(_, said)| passes(said))
        })
    }

    fn row(&self) -> String {
        let rule = self.rule;
        let mut faults: Vec<String> = self.faults.iter().map(|fault| described(fault)).collect();
        faults.dedup();
        let said = self.said.iter().map(|(_, said)| verdicts(said));
        let said: Vec<String> = said.collect();
        format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            rule.id,
            rule.strength_word(),
            rule.binds.as_str(),
            self.probes.join("; "),
            faults.join("; "),
            said.join(" | "),
            if self.is_pair() { "**pair**".to_owned() } else { self.why_no_pair() },
        )
    }

    /// Describes why there is no pair; the simplest reason comes first.
    fn why_no_pair(&self) -> String {
        if let Some(why) = why_not_judged(self.rule.id) {
            return why.to_owned();
        }
        if self.probes.is_empty() && self.faults.is_empty() {
            return match self.rule.is_wire_visible() {
                true => "nothing judges it yet".to_owned(),
                false => "it cannot be seen from outside".to_owned(),
            };
        }
        if self.faults.is_empty() {
            return "no fault shows that its probe can fail".to_owned();
        }
        let by = |side: Side| self.faults.iter().any(|fault| fault.by == side);
        let missing = self.said.iter().find_map(|(family, said)| {
            let relevant = said.iter().filter(|(side, _)| by(*side));
            let best =
                relevant.clone().find(|(_, outcome)| outcome.is_fail()).or(relevant.clone().next());
            match best {
                _ if relevant.clone().any(|(_, outcome)| *outcome == Outcome::Pass) => None,
                Some((_, Outcome::Fail { .. })) => Some(format!("{} breaks it", family.name())),
                Some((_, outcome)) => {
                    Some(format!("{}: {}", family.name(), outcome.why().unwrap_or_default()))
                }
                None => Some(format!("{} never reached its subject", family.name())),
            }
        });
        missing.unwrap_or_else(|| "no side passes in all three families".to_owned())
    }
}

fn described(fault: &Fault) -> String {
    let place = match fault.judged {
        Judged::Traffic => format!("line of the {}", fault.by.as_str()),
        judged => judged.as_str().to_owned(),
    };
    match fault.companions.as_slice() {
        [] => place,
        companions => format!("{place}, with {}", companions.join(", ")),
    }
}

/// Returns one mark for each side that was judged, for both versions of the protocol: a failure
/// counts more than a pass, and a pass more than no result.
fn verdicts(said: &[(Side, Outcome)]) -> String {
    let mark = |outcome: &Outcome| match outcome {
        Outcome::Fail { .. } => "✗",
        Outcome::Pass => "✓",
        Outcome::NotTested(_) => "?",
        Outcome::Skipped(_) => "–",
    };
    let verdict = |(side, letter): (Side, &str)| {
        let marks: Vec<&str> =
            said.iter().filter(|(of, _)| *of == side).map(|(_, outcome)| mark(outcome)).collect();
        let shown = ["✗", "✓", "?", "–"].into_iter().find(|mark| marks.contains(mark))?;
        Some(format!("{letter}{shown}"))
    };
    let sides = [(Side::Agent, "A"), (Side::Client, "C")];
    sides.into_iter().filter_map(verdict).collect::<Vec<_>>().join(" ")
}

fn document(coverage: &[Coverage]) -> String {
    let count = |wanted: &dyn Fn(&&Coverage) -> bool| coverage.iter().filter(wanted).count();
    let mut out = format!(
        "# How each rule is judged\n\n\
         {} of {} rules have a pair. {} rules are visible on the wire; {} are judged, {} of them by \
         a probe that is known to find a fault.\n\n\
         A pair is a fault and a pass. The fault breaks only this rule, or also rules that follow \
         from it, and a probe finds it that does not depend on it. Three unrelated correct peers \
         pass: ours, one made with the official Rust SDK, and one made with the official \
         TypeScript SDK.\n\n\
         A is the agent of a family, C its client: ✓ pass, ✗ fail, – skipped because the peer does \
         not offer it, ? not tested; one mark for both versions of the protocol. `attache check \
         rules ID` explains a rule. `{COMMAND}` writes this file.\n",
        count(&|coverage| coverage.is_pair()),
        coverage.len(),
        count(&|coverage| coverage.rule.is_wire_visible()),
        count(&|coverage| !coverage.probes.is_empty()),
        count(&|coverage| !coverage.probes.is_empty() && !coverage.faults.is_empty()),
    );
    for group in groups() {
        let of_group = coverage.iter().filter(|coverage| coverage.rule.prefix() == group.prefix);
        out.push_str(&format!(
            "\n## {}: {}\n\n| Rule | Strength | Binds | Judged by | Fault | Ours | Rust | TypeScript | Pair, or why not |\n|{}\n",
            group.prefix,
            group.title,
            "---|".repeat(9)
        ));
        of_group.for_each(|coverage| out.push_str(&coverage.row()));
    }
    out
}
