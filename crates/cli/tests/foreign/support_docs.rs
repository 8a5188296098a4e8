//! The document about the features that our own agent and client support, and the same report for
//! an agent and a client that others wrote.

use crate::judgements::{Family, family, judge_ours};
use attache_check::{Form, Judgement, MethodLink, support_matrix};
use attache_protocol::method::{METHODS, Receiver, Row, Side, v2};
use std::path::Path;

const COMMAND: &str = "UPDATE_DOCS=1 cargo test -p attache --test foreign docs";

/// The handlers of each side and version.
const HANDLERS: &[(Side, u16, &str)] = &[
    (Side::Agent, 1, "crates/agent/src/serve/version_1.rs"),
    (Side::Agent, 2, "crates/agent/src/serve/version_2.rs"),
    (Side::Client, 1, "crates/client/src/agent/incoming_handler.rs"),
    (Side::Client, 2, "crates/client/src/agent/incoming_v2.rs"),
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Returns a link from each method to the handler that has its function.
fn links() -> Vec<MethodLink> {
    let linked = |(receiver, protocol, path): &(Side, u16, &str)| {
        let source = std::fs::read_to_string(root().join(path)).unwrap();
        let rows = if *protocol == 1 { METHODS } else { v2::METHODS };
        let is_theirs = |row: &&&Row| match row.receiver {
            Receiver::Agent => *receiver == Side::Agent,
            Receiver::Client => *receiver == Side::Client,
            _ => false,
        };
        let handled = rows
            .iter()
            .filter(is_theirs)
            .filter(|row| source.contains(&format!("    fn {}(", row.function)));
        let links = handled.map(|row| MethodLink {
            receiver: *receiver,
            protocol: *protocol,
            method: row.name,
            target: format!("../{path}"),
        });
        links.collect::<Vec<_>>()
    };
    HANDLERS.iter().flat_map(linked).collect()
}

/// How often our peers are judged at most.
const ROUNDS: usize = 3;

/// Returns the document. A slow machine can miss what a peer does but shows nothing that it does
/// not do, so another round joins what it sees until the document is the kept one. The document
/// thus has the same bytes on every machine.
async fn document(kept: &str) -> String {
    let mut judgements = family(Family::Ours).await.judgements().map(Clone::clone);
    for _ in 1..ROUNDS {
        let text = support_matrix(&ordered(&judgements), &links());
        if text == kept {
            return text;
        }
        let again = judge_ours().await;
        for (judgement, again) in judgements.iter_mut().zip(again.judgements()) {
            judgement.repeated(again.verdicts.clone(), again.support.clone());
        }
    }
    support_matrix(&ordered(&judgements), &links())
}

/// Returns both versions of the agent, then of the client.
fn ordered([agent, client, agent_v2, client_v2]: &[Judgement; 4]) -> [Judgement; 4] {
    [agent, agent_v2, client, client_v2].map(Clone::clone)
}

#[tokio::test]
async fn docs_support_md_is_up_to_date() {
    let path = root().join("docs/support.md");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let text = document(&kept).await;
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
        return;
    }
    let differ = kept.lines().zip(text.lines()).find(|(kept, now)| kept != now);
    assert!(
        kept == text,
        "docs/support.md is out of date; write it with:\n  {COMMAND}\nfirst difference: {differ:#?}"
    );
}

/// Most methods are handled in the files that the links name; if such a file moves, its links are
/// not lost silently.
#[test]
fn each_handler_has_its_methods() {
    let links = links();
    for (receiver, protocol, path) in HANDLERS {
        let of_file = links.iter().filter(|link| link.target.ends_with(path));
        let least = if *receiver == Side::Agent { 15 } else { 4 };
        assert!(of_file.count() >= least, "{path}, version {protocol}");
    }
    let has = |receiver, protocol, method| {
        links
            .iter()
            .any(|link| (link.receiver, link.protocol, link.method) == (receiver, protocol, method))
    };
    assert!(has(Side::Agent, 1, "session/load") && has(Side::Agent, 2, "tool_call/cancel"));
    assert!(has(Side::Client, 1, "terminal/create") && has(Side::Client, 2, "elicitation/create"));
    assert!(!has(Side::Agent, 2, "session/load"), "version 2 has no such method");
}

/// Returns the row of a feature in a report.
fn row<'t>(text: &'t str, feature: &str) -> &'t str {
    let row = text.lines().find(|line| line.contains(&format!("| {feature} | ")));
    row.unwrap_or_else(|| panic!("{feature} is missing in {text}"))
}

#[tokio::test]
async fn a_report_has_the_features_of_our_agent_and_of_foreign_peers() {
    let (ours, ts) = (family(Family::Ours).await, family(Family::TypeScript).await);
    let text = Form::Markdown.write(&ours.agent.judgement);
    assert!(text.contains("| Part | Feature | agent | Names | Rules | If the agent lacks it |"));
    for (feature, state) in [
        ("Config options", "yes"),
        ("Session titles", "yes"),
        ("Usage and cost", "yes"),
        ("Audio", "no"),
        ("Logout", "no"),
        ("Terminals of the client", "not provoked"),
    ] {
        let row = row(&text, feature);
        assert!(row.contains(&format!("| {feature} | {state}")), "{row}");
    }
    assert!(row(&text, "Audio").ends_with("| You write instead of speaking. |"));
    assert!(row(&text, "Config options").contains("| CONF-02–"), "{text}");

    let text = Form::Markdown.write(&ts.agent.judgement);
    let states = ["Prompts and answers", "Loading with history", "Permissions"];
    for feature in states {
        let row = row(&text, feature);
        assert!(row.contains(&format!("| {feature} | yes")), "{row}");
    }
    let text = Form::Markdown.write(&ts.client.judgement);
    assert!(text.contains("| Part | Feature | client | Names | Rules | If the client lacks it |"));
    assert!(row(&text, "Permissions").contains("| Permissions | yes"), "{text}");
}
