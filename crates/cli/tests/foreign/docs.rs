//! The documents of the judge: how every rule is judged and what three unrelated peers do, and what
//! our own agent and client support.

use crate::judged::{Family, Peers, family, judgements};
use attache_check::{
    Fault, Judged, Judgement, Outcome, Rule, Verdict, faults, groups, probes, rules,
    support_matrix, why_not_judged,
};
use attache_protocol::method::Side;
use std::path::Path;

/// How many rules have a pair: a fault that the judge finds, and a pass on three unrelated correct
/// peers. It may only grow.
const PAIRS: usize = 300;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test foreign docs";

/// Fails unless the document is this text, less what a slow machine may leave open; writes it where
/// `UPDATE_DOCS` is set.
fn is_kept(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let (kept, now) = (steady(&kept), steady(text));
    let differ = kept.iter().zip(&now).find(|(kept, now)| kept != now);
    assert!(
        kept == now,
        "docs/{name} is not what is so any more; this writes it:\n  {COMMAND}\nfirst difference: {differ:#?}"
    );
}

/// The lines that hold on any machine. Whether something was seen in time may differ from run to
/// run, so a rule that was not tested counts as one that passes, and totals and reasons do not
/// count; what was seen and is wrong does.
fn steady(text: &str) -> Vec<String> {
    let open = ["As observed by `attache check", "- not tested: "];
    let lines = text.lines().filter(|line| {
        !open.iter().any(|open| line.starts_with(open)) && !line.contains(" rules have a pair: ")
    });
    let verdicts = |line: &str| line.replace("A?", "A✓").replace("C?", "C✓");
    // Of nine cells the last is the reason.
    let row = |line: &str| match line.rsplit_once(" | ") {
        Some((row, _)) if line.matches(" | ").count() == 8 => verdicts(row),
        _ => line.to_owned(),
    };
    lines.map(row).collect()
}

#[tokio::test]
async fn docs_tell_what_our_agent_and_our_client_support() {
    let ours = family(Family::Ours).await;
    is_kept(
        "support.md",
        &support_matrix(&[ours.agent.judgement.clone(), ours.client.judgement.clone()]),
    );
}

#[tokio::test]
async fn docs_tell_how_every_rule_is_judged() {
    let peers = judgements().await;
    let coverage: Vec<Coverage> = rules().iter().map(|rule| Coverage::of(rule, peers)).collect();
    is_kept("rules.md", &document(&coverage));
    let pairs = coverage.iter().filter(|coverage| coverage.is_pair()).count();
    assert!(pairs >= PAIRS, "{pairs} rules have a pair, and {PAIRS} had one");
}

/// What is known about one rule.
struct Coverage {
    rule: &'static Rule,
    probes: Vec<String>,
    faults: Vec<&'static Fault>,
    /// What is said of the peers of each family, agent and client.
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

    /// Whether a fault of one end is found, and that end of all three families passes.
    fn is_pair(&self) -> bool {
        [Side::Agent, Side::Client].into_iter().any(|side| {
            let passes = |said: &Vec<(Side, Outcome)>| said.contains(&(side, Outcome::Pass));
            self.faults.iter().any(|fault| fault.by == side)
                && self.said.iter().all(|(_, said)| passes(said))
        })
    }

    fn row(&self) -> String {
        let rule = self.rule;
        let mut faults: Vec<String> = self.faults.iter().map(|fault| told(fault)).collect();
        faults.dedup();
        let said = self.said.iter().map(|(_, said)| {
            let said: Vec<String> =
                said.iter().map(|(side, outcome)| verdict(*side, outcome)).collect();
            said.join(" ")
        });
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

    /// Why there is no pair, the plainest reason first.
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
            return "no fault shows that its judge can fail".to_owned();
        }
        let by = |side: Side| self.faults.iter().any(|fault| fault.by == side);
        let missing = self.said.iter().find_map(|(family, said)| {
            let told = said.iter().filter(|(side, _)| by(*side));
            let best = told.clone().find(|(_, outcome)| outcome.is_fail()).or(told.clone().next());
            match best {
                _ if told.clone().any(|(_, outcome)| *outcome == Outcome::Pass) => None,
                Some((_, Outcome::Fail { .. })) => Some(format!("{} breaks it", family.name())),
                Some((_, outcome)) => {
                    Some(format!("{}: {}", family.name(), outcome.why().unwrap_or_default()))
                }
                None => Some(format!("{} never did what it is about", family.name())),
            }
        });
        missing.unwrap_or_else(|| "no one side of all three passes".to_owned())
    }
}

fn told(fault: &Fault) -> String {
    let place = match fault.judged {
        Judged::Traffic => format!("line of the {}", fault.by.as_str()),
        judged => judged.as_str().to_owned(),
    };
    match fault.companions.as_slice() {
        [] => place,
        companions => format!("{place}, with {}", companions.join(", ")),
    }
}

fn verdict(side: Side, outcome: &Outcome) -> String {
    let side = if side == Side::Agent { "A" } else { "C" };
    let mark = match outcome {
        Outcome::Pass => "✓",
        Outcome::Fail { .. } => "✗",
        Outcome::Skipped(_) => "–",
        Outcome::NotTested(_) => "?",
    };
    format!("{side}{mark}")
}

fn document(coverage: &[Coverage]) -> String {
    let count = |wanted: &dyn Fn(&&Coverage) -> bool| coverage.iter().filter(wanted).count();
    let mut out = format!(
        "# How every rule is judged\n\n\
         {} of {} rules have a pair: a fault that breaks the rule and no other but those that say the same or more, which a probe that does not know of it finds, and a pass on \
         three unrelated correct peers: ours, one in the official Rust SDK, one in the official TypeScript SDK. Of {} the protocol's text says how they are seen from outside; {} are judged, {} of them by a judge that is known to fail when it must.\n\n\
         A is the agent of a family, C its client: ✓ pass, ✗ fail, – skipped as it is not offered, ? not tested. `attache check rules ID` tells a rule, `{COMMAND}` writes this file.\n",
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
