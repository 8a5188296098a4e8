//! Tool calls of every kind, subagents, and turns with too many model requests (TOOL, PROMPT).

use super::driven::{ALLOW, choose, file, new_path_in, play, unjudged};
use crate::agent::judge_client::capabilities;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::{
    Acts, call, delegate, delete, fetch, move_to, read, run as run_command, say, search,
    switch_mode,
};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;

probes! { Run:
    "TOOL-01" a_tool_call_of_each_kind_is_reported;
    "PROMPT-07" a_turn_with_too_many_requests_has_its_own_stop_reason;
}

/// The number of model requests that a turn needs: more than the limit of known agents.
const REQUESTS: usize = 60;

/// The agent may lack any of these tools, but must report the calls of those that it has.
async fn a_tool_call_of_each_kind_is_reported(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let [deleted, moved] =
        ["attache-deleted.txt", "attache-moved.txt"].map(|name| file(run, name, "text\n"));
    let (deleted, moved, to) = (deleted?, moved?, new_path_in(run, "attache-moved-here.txt")?);
    let (folder, url) =
        (run.folder().to_owned(), run.model_url().unwrap_or("http://127.0.0.1:9".to_owned()));
    let tools: [(&str, Acts); 7] = [
        ("search", call(search(&folder, "attache"))),
        ("delete", call(read(&deleted)).then(call(delete(&deleted)))),
        ("move", call(read(&moved)).then(call(move_to(&moved, &to)))),
        ("fetch", call(fetch(&format!("{url}/attache")))),
        ("delegate", call(delegate(&say("attache reports").prompt_text()))),
        ("switch_mode", call(switch_mode("attache plans"))),
        ("run", call(run_command("echo attache"))),
    ];
    let talk = run.talk().await?;
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let mut has_any = false;
    for (name, acts) in tools {
        let played = talk
            .play(&session, acts.then(say("done")))
            .await
            .map_err(|outcome| unjudged(&outcome))?;
        if played.had_its_tools().is_err() {
            continue;
        }
        has_any = true;
        let is_reported =
            |update: &Value| update.get("sessionUpdate").is_some_and(|kind| kind == "tool_call");
        let expected = format!("a tool_call for the tool to {}", name.replace('_', " "));
        expect(played.updates().iter().any(is_reported), expected, "no such update in the turn")?;
    }
    subagent(run).await?;
    if has_any { Ok(()) } else { not_tested("the agent offers its model none of these tools") }
}

/// Checks that a client that supports subagents receives an update about the subagent or a tool
/// call.
async fn subagent(run: &mut Run) -> Probed {
    let folder = run.folder().to_owned();
    let mut with_subagents = capabilities();
    if let Some(offered) = with_subagents.as_object_mut() {
        offered.insert("subagents".to_owned(), json!({}));
    }
    let talk = run.talk_with(with_subagents).await?;
    let session = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let acts = call(delegate(&say("attache reports").prompt_text())).then(say("done"));
    let played = talk.play(&session, acts).await.map_err(|outcome| unjudged(&outcome))?;
    if played.had_its_tools().is_err() {
        return Ok(());
    }
    let kinds = ["tool_call", "subagent_update"];
    let is_reported = |update: &Value| {
        update.get("sessionUpdate").is_some_and(|kind| kinds.iter().any(|known| kind == known))
    };
    expect(
        played.updates().iter().any(is_reported),
        "a tool_call or subagent_update for the subagent",
        "neither",
    )
}

/// If the agent has no limit, the turn ends when the model finishes.
async fn a_turn_with_too_many_requests_has_its_own_stop_reason(run: &mut Run) -> Probed {
    let path = file(run, "attache-again.txt", "read me again\n")?;
    let acts = (0..REQUESTS).fold(Acts::default(), |acts, _| acts.then(call(read(&path))));
    let before = run.asked();
    let played = play(run, acts.then(say("done"))).await?;
    let reason = played.stop_reason()?;
    let asked = run.asked().zip(before).map_or(0, |(now, before)| now.saturating_sub(before));
    match reason.as_str() {
        "end_turn" | "max_turn_requests" => Ok(()),
        other => fail(
            "end_turn, or max_turn_requests from an agent with a limit",
            format!("{other} after {asked} requests"),
        ),
    }
}
