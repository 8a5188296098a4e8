//! Turns with clients that lack some or all capabilities (INIT-10, INIT-16, TERM-01).

use super::driven::{ALLOW, attempt, choose, file, new_path_in};
use super::initialize::GATES;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, fail, not_tested};
use crate::model::acts::{Acts, ask, call, read, run as run_command, say, write};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { Run:
    "INIT-10" omitted_and_null_capabilities_are_not_used_in_a_turn;
    "INIT-16" a_turn_uses_only_offered_capabilities;
    "TERM-01" no_terminal_is_created_unless_offered;
}

async fn omitted_and_null_capabilities_are_not_used_in_a_turn(run: &mut Run) -> Probed {
    uses_only_offered(run, json!({"elicitation": null, "session": null})).await
}

async fn a_turn_uses_only_offered_capabilities(run: &mut Run) -> Probed {
    uses_only_offered(run, json!({})).await
}

async fn no_terminal_is_created_unless_offered(run: &mut Run) -> Probed {
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let played =
        found(run, json!({"fs": fs, "terminal": false}), call(run_command("echo attache"))).await?;
    match played.iter().find(|(rule, _)| *rule == "TERM-01") {
        Some((_, seen)) => fail("no call of terminal/*", seen.clone()),
        None => Ok(()),
    }
}

/// Runs turns that read a file, write a file, run a command and ask a question, with a client that
/// has only these capabilities. Checks that the agent makes no call that the client does not offer.
async fn uses_only_offered(run: &mut Run, capabilities: Value) -> Probed {
    run.follows_prompts().await?;
    let (old, new) = (file(run, "attache-old.txt", "old\n")?, new_path_in(run, "attache-new.txt")?);
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
                    return fail("only calls that the client offers", seen);
                }
            }
            // This action cannot be tested, for example because the agent has no tool for it.
            Err(Outcome::NotTested(_)) => {}
            Err(other) => return Err(other),
        }
    }
    if has_tried {
        Ok(())
    } else {
        not_tested("no turn that calls a tool ends with a client without these capabilities")
    }
}

/// Runs a turn with a client that has these capabilities, and returns the rules that the observer
/// found broken.
async fn found(
    run: &mut Run,
    capabilities: Value,
    deed: Acts,
) -> Probed<Vec<(&'static str, String)>> {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let talk = run.talk_with(capabilities).await?;
    let first = talk.now();
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    attempt(talk, &session, deed.then(say("done"))).await?;
    let found = talk.peer.findings().iter().filter(|finding| finding.line > first);
    Ok(found.map(|finding| (finding.rule.id, finding.seen.clone())).collect())
}
