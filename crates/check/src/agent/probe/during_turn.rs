//! Messages that the agent receives while a turn runs (RPC-13, RPC-28, RPC-33).

use super::driven::{cancel, chosen, file, held, new_path_in, unjudged};
use super::request::list_capability;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Turn, is_an_id};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, not_tested, skipped};
use crate::model::acts::{call, read, say, write};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    FsReadTextFile, FsWriteTextFile, Method, SessionList, SessionPrompt, SessionRequestPermission,
    SessionSetMode, Side, TerminalCreate,
};
use serde_json::Value;

probes! { Run:
    "RPC-13" both_sides_may_have_an_open_call_with_the_same_id;
    "RPC-28" other_requests_are_served_during_a_turn;
    "RPC-33" an_unknown_error_code_is_accepted;
}

/// Makes a call with the id of an open call from the agent. The agent must answer the call, and
/// must end its turn once its own call is answered.
async fn both_sides_may_have_an_open_call_with_the_same_id(run: &mut Run) -> Probed {
    let path = new_path_in(run, "attache-ids.txt")?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, call(write(path, "new\n")).then(say("done")));
    let Some(asked) = held::<SessionRequestPermission>(talk, &turn).await? else {
        return not_tested(
            "the agent makes no permission request, so there is no call that the client could leave open",
        );
    };
    let id = asked.get("id").cloned().unwrap_or_default();
    if !is_an_id(&id) {
        both_end(talk, turn, &asked).await?;
        return not_tested("the judge cannot use the agent's id, which breaks RPC-12");
    }
    // If the agent's call has the id of the prompt, both sides already have an open call with this
    // id.
    if id == turn.id {
        return both_end(talk, turn, &asked).await;
    }
    let first = talk.now();
    talk.peer
        .send(&json!({"jsonrpc": "2.0", "id": id, "method": "_attache/same_id", "params": {}}));
    talk.hear(first, "a reply to a call with the id of the agent's own open call", |line| {
        line.replies_to(&id)
    })
    .await?;
    both_end(talk, turn, &asked).await
}

/// Rejects the agent's permission request and checks that the turn ends.
async fn both_end(talk: &mut Conversation, turn: Turn, asked: &Line) -> Probed {
    talk.give(
        asked,
        chosen(asked.get("params").unwrap_or(&Value::Null), &["reject_once", "reject_always"]),
    );
    talk.finish(turn).await.map(|_| ())
}

/// Checks that other requests are served while a turn waits for its model.
async fn other_requests_are_served_during_a_turn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let (talk, session) = run.session().await?;
    let other = talk.open(&folder).await?;
    let turn = talk.begin_turn(&session, say("attache waits").hang());
    let mut calls: Vec<(&str, Value)> = Vec::new();
    if talk.offers(list_capability(talk)) {
        calls.push((SessionList::ROW.name, json!({})));
    }
    if let Some(mode) = other.opened.pointer("/modes/currentModeId") {
        calls.push((SessionSetMode::ROW.name, json!({"sessionId": other.id, "modeId": mode})));
    }
    let prompt = json!([{"type": "text", "text": say("attache: beside").prompt_text()}]);
    calls.push((SessionPrompt::ROW.name, json!({"sessionId": other.id, "prompt": prompt})));
    for (method, params) in calls {
        talk.ask(method, params).await?;
    }
    let ends = turn.end();
    let is_over = talk.heard(turn.first).any(|line| ends.is(line));
    cancel(talk, &session);
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    if is_over { not_tested("the turn ended while its model hung") } else { Ok(()) }
}

/// Answers the agent's calls with an error code that has no assigned meaning. The turn must still
/// end, and the connection must stay open.
async fn an_unknown_error_code_is_accepted(run: &mut Run) -> Probed {
    let path = file(run, "attache-code.txt", "old\n")?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Error(7));
    talk.answer::<FsReadTextFile>(|_| Answer::Error(7));
    talk.answer::<FsWriteTextFile>(|_| Answer::Error(7));
    talk.answer::<TerminalCreate>(|_| Answer::Error(7));
    let turn = talk.begin_turn(
        &session,
        call(read(&path)).then(call(write(&path, "new\n"))).then(say("done")),
    );
    let first = turn.first;
    talk.finish(turn).await?;
    talk.is_still_there().await?;
    let is_ours = |line: &Line| line.from == Side::Client && line.error_code() == Some(7);
    if !talk.peer.lines().iter().skip(first).any(is_ours) {
        return skipped("the agent makes no call to its client");
    }
    let next = talk.play(&session, say("attache: next")).await?;
    next.stop_reason().map(|_| ()).map_err(|outcome| match outcome {
        Outcome::Fail { seen, .. } => {
            Outcome::Fail { expected: "the next turn runs".to_owned(), seen }
        }
        other => other,
    })
}
