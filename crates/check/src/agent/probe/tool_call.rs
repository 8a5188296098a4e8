//! Tool calls in updates (TOOL). The observer judges most rules about their order in every turn.

use super::driven::{
    ALLOW, OLD, ReportedCall, choose, count, file, new_path_in, play, play_in, tool_calls,
    write_over,
};
use crate::agent::run::Run;
use crate::judging::conversation::{Played, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{call, calls, read, say, write};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { Run:
    "TOOL-01" a_tool_call_is_reported;
    "TOOL-01" a_tool_call_with_a_permission_request_is_reported;
    "TOOL-02" tool_calls_have_unique_ids;
    "TOOL-07" a_tool_call_starts_and_ends_once;
    "TOOL-11" a_new_file_has_no_old_text;
}

async fn a_tool_call_is_reported(run: &mut Run) -> Probed {
    let path = file(run, "attache-read.txt", "read me\n")?;
    let played = play(run, call(read(path)).then(say("done"))).await?;
    let seen = format!("{} other updates", played.updates().len());
    expect(
        played.updates_of("tool_call").next().is_some(),
        "a tool_call for the file to read",
        seen,
    )
}

/// A permission request may be the first message about a tool call, but the agent must also send a
/// `tool_call` update.
async fn a_tool_call_with_a_permission_request_is_reported(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let path = file(run, "attache-leave.txt", OLD)?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    let played = play_in(talk, &session, write_over(&path, "new\n").then(say("done"))).await?;
    if count::<SessionRequestPermission>(talk, first) == 0 {
        return skipped("the agent does not ask before it writes");
    }
    let is_reported =
        |update: &&Value| update.get("sessionUpdate").is_some_and(|kind| kind == "tool_call");
    match reported_calls(&played)?.iter().find(|reported| !reported.updates.iter().any(is_reported))
    {
        Some(reported) => {
            fail("a tool_call for the file to write", format!("only updates of {}", reported.id))
        }
        None => Ok(()),
    }
}

/// The model makes two calls in one answer and one call in the next.
async fn tool_calls_have_unique_ids(run: &mut Run) -> Probed {
    let [one, two] = ["one", "two"].map(|name| file(run, &format!("attache-{name}.txt"), name));
    let (one, two) = (one?, two?);
    let acts = calls([read(&one), read(two)]).then(call(read(one))).then(say("done"));
    let played = play(run, acts).await?;
    let reported = reported_calls(&played)?;
    let ends = |reported: &ReportedCall<'_>| {
        reported.states().iter().filter(|state| is_final(state)).count()
    };
    let begins = |reported: &ReportedCall<'_>| {
        reported
            .updates
            .iter()
            .filter(|update| update.get("sessionUpdate").is_some_and(|it| it == "tool_call"))
            .count()
    };
    match reported.iter().find(|reported| begins(reported) > 1 && ends(reported) > 1) {
        Some(again) => fail("a unique id for each tool call", format!("{} occurs twice", again.id)),
        None => Ok(()),
    }
}

async fn a_tool_call_starts_and_ends_once(run: &mut Run) -> Probed {
    let path = file(run, "attache-read.txt", "read me\n")?;
    let played = play(run, call(read(path)).then(say("done"))).await?;
    for reported in reported_calls(&played)? {
        let states = reported.states();
        let runs = states.iter().position(|state| *state == "in_progress");
        let mut ends: Vec<&str> = states.iter().copied().filter(|state| is_final(state)).collect();
        // A final status may be repeated.
        ends.dedup();
        let is_right = ends.len() == 1
            && runs < states.iter().position(|state| is_final(state))
            && runs.is_some();
        expect(is_right, "in_progress, then completed or failed", format!("{states:?}"))?;
    }
    Ok(())
}

async fn a_new_file_has_no_old_text(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-new.txt")?;
    let played = play(run, call(write(&path, "new\n")).then(say("done"))).await?;
    let reported = reported_calls(&played)?;
    let mut diffs = reported.iter().flat_map(|reported| reported.content("diff")).peekable();
    if diffs.peek().is_none() {
        return not_tested("the agent sends no diff of its change");
    }
    match diffs.find_map(|diff| diff.get("oldText").filter(|text| !text.is_null())) {
        None => Ok(()),
        Some(text) => {
            fail("no oldText for a new file", format!("oldText {}", quoted(&text.to_string())))
        }
    }
}

/// Returns the reported tool calls. The rule is not tested if there are none.
fn reported_calls(played: &Played) -> Probed<Vec<ReportedCall<'_>>> {
    let reported = tool_calls(played);
    if reported.is_empty() { not_tested("the agent reports no tool call") } else { Ok(reported) }
}

fn is_final(state: &str) -> bool {
    ["completed", "failed"].contains(&state)
}
