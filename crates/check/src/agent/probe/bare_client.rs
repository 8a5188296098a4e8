//! Clients without some or all capabilities: what the agent sends them in a turn (INIT-10, INIT-16,
//! TERM-01).

use super::driven::{ALLOW, attempt, choose, file, nothing_at};
use super::initialize::GATES;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, fail, not_tested};
use crate::model::acts::{Acts, ask, call, read, run as run_command, say, write};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { Run:
    "INIT-10" what_is_omitted_or_null_is_not_used_in_a_turn;
    "INIT-16" a_turn_uses_nothing_that_was_not_offered;
    "TERM-01" no_terminal_is_made_where_none_is_offered;
}

async fn what_is_omitted_or_null_is_not_used_in_a_turn(run: &mut Run) -> Probed {
    uses_nothing(run, json!({"elicitation": null, "session": null})).await
}

async fn a_turn_uses_nothing_that_was_not_offered(run: &mut Run) -> Probed {
    uses_nothing(run, json!({})).await
}

async fn no_terminal_is_made_where_none_is_offered(run: &mut Run) -> Probed {
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let played =
        found(run, json!({"fs": fs, "terminal": false}), call(run_command("echo attache"))).await?;
    match played.iter().find(|(rule, _)| *rule == "TERM-01") {
        Some((_, seen)) => fail("no call of terminal/*", seen.clone()),
        None => Ok(()),
    }
}

/// A turn that reads, writes, runs and asks must not use what this client does not offer.
async fn uses_nothing(run: &mut Run, capabilities: Value) -> Probed {
    run.driven().await?;
    let (old, new) = (file(run, "attache-old.txt", "old\n")?, nothing_at(run, "attache-new.txt")?);
    let deeds = [
        call(read(old)),
        call(write(new, "new\n")),
        call(run_command("echo attache")),
        call(ask("attache: which?")),
    ];
    let mut has_tried = false;
    for deed in deeds {
        match found(run, capabilities.clone(), deed).await {
            Ok(found) => {
                has_tried = true;
                if let Some((_, seen)) = found.into_iter().find(|(rule, _)| GATES.contains(rule)) {
                    return fail("nothing that the client does not offer", seen);
                }
            }
            // The agent has no tool for this.
            Err(Outcome::NotTested(_)) => {}
            Err(other) => return Err(other),
        }
    }
    if has_tried { Ok(()) } else { not_tested("no turn with a tool ends with such a client") }
}

/// Returns the findings of a turn with a client that has these capabilities.
async fn found(
    run: &mut Run,
    capabilities: Value,
    deed: Acts,
) -> Probed<Vec<(&'static str, String)>> {
    run.driven().await?;
    let folder = run.folder().to_owned();
    let talk = run.talk_with(capabilities).await?;
    let first = talk.now();
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    attempt(talk, &session, deed.then(say("done"))).await?;
    let found = talk.peer.findings().iter().filter(|finding| finding.line > first);
    Ok(found.map(|finding| (finding.rule.id, finding.seen.clone())).collect())
}
