//! Message ids (MSG), and messages that appear in the wrong session (SESS-06).

use super::driven::{ALLOW, OLD, attempt, choose, file, unjudged, write_over};
use super::usage::replayed;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Played, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{call, read, recall, say};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;
use std::collections::BTreeSet;

probes! { Run:
    "MSG-02" each_message_has_one_unique_id;
    "MSG-05" replayed_prompts_have_ids;
    "SESS-06" concurrent_sessions_are_separate;
    "SESS-06" updates_of_a_turn_name_its_session;
    "SESS-06" requests_of_a_turn_name_its_session;
    "SESS-06" a_title_is_reported_in_its_session;
}

async fn each_message_has_one_unique_id(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let mut known: BTreeSet<String> = BTreeSet::new();
    for text in ["attache one message in chunks", "attache another message in chunks"] {
        let played = talk.play(&session, say(text)).await?;
        played.stop_reason()?;
        let ids = ids(&played);
        if ids.is_empty() {
            return skipped("the agent's messages have no ids");
        }
        let seen =
            format!("{} ids: {}", ids.len(), ids.iter().cloned().collect::<Vec<_>>().join(", "));
        expect(ids.len() == 1, "the same id for all chunks of a message", quoted(&seen))?;
        expect(
            known.is_disjoint(&ids),
            "a new message has a new id",
            format!("{} again", quoted(&seen)),
        )?;
        known.extend(ids);
    }
    Ok(())
}

/// Returns the ids of the agent's message chunks as JSON, or nothing if no chunk has an id. A chunk
/// without an id counts as `null`.
fn ids(played: &Played) -> BTreeSet<String> {
    let said = |chunk: &&Value| chunk.pointer("/content/text").is_some_and(|text| text != "");
    let chunks = played.updates_of("agent_message_chunk").filter(said);
    let ids: BTreeSet<String> =
        chunks.map(|chunk| chunk.get("messageId").unwrap_or(&Value::Null).to_string()).collect();
    if ids.iter().all(|id| id == "null") { BTreeSet::new() } else { ids }
}

async fn replayed_prompts_have_ids(run: &mut Run) -> Probed {
    run.talk().await?.needs("/loadSession")?;
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say("attache-replayed")).await?;
    played.stop_reason()?;
    if ids(&played).is_empty() {
        return skipped("the agent's messages have no ids");
    }
    let updates = replayed(run, &session).await?;
    let is_prompt =
        |update: &&Value| update.get("sessionUpdate") == Some(&json!("user_message_chunk"));
    let mut prompts = updates.iter().filter(is_prompt).peekable();
    if prompts.peek().is_none() {
        return not_tested("the load replays no prompt");
    }
    match prompts.find(|update| update.get("messageId").is_none_or(Value::is_null)) {
        Some(update) => fail(
            "a messageId on replayed prompts, as on the agent's messages",
            quoted(&update.to_string()),
        ),
        None => Ok(()),
    }
}

async fn concurrent_sessions_are_separate(run: &mut Run) -> Probed {
    run.separates_sessions().await?;
    let folder = run.folder().to_owned();
    let (talk, one) = run.session().await?;
    let two = talk.open(&folder).await?;
    let (in_one, in_two) = ("attache-only-in-one", "attache-only-in-two");
    let [first, second] = [talk.begin_turn(&one, say(in_one)), talk.begin_turn(&two, say(in_two))];
    // An agent may run only one turn at a time, so the judge waits for the turns in order.
    let [first, second] = [talk.finish(first).await, talk.finish(second).await];
    let [first, second] = [first.map_err(|it| unjudged(&it))?, second.map_err(|it| unjudged(&it))?];
    for (played, own, other) in [(&first, in_one, in_two), (&second, in_two, in_one)] {
        played.stop_reason().map_err(|outcome| unjudged(&outcome))?;
        let reported = played.said();
        expect(
            reported.contains(own),
            format!("{own} in the session whose prompt asks for it"),
            quoted(&reported),
        )?;
        let expected = format!("nothing about {other}, which belongs to another session");
        expect(!reported.contains(other), expected, quoted(&reported))?;
    }
    let recalled = talk.play(&two, recall(in_one)).await.map_err(|outcome| unjudged(&outcome))?;
    recalled.stop_reason().map_err(|outcome| unjudged(&outcome))?;
    let leaks = recalled.recalled() == Some(true);
    expect(!leaks, "the model does not receive text of another session", "it receives it")
}

/// Runs turns of two sessions concurrently. Each turn reads the file of its session, and every
/// message about that file must name the session.
async fn updates_of_a_turn_name_its_session(run: &mut Run) -> Probed {
    let names = ["attache-file-of-one.txt", "attache-file-of-two.txt"];
    let [one, two] = [file(run, names[0], "one\n")?, file(run, names[1], "two\n")?];
    run.separates_sessions().await?;
    let folder = run.folder().to_owned();
    let (talk, first_session) = run.session().await?;
    let sessions = [first_session, talk.open(&folder).await?];
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    for _ in 0..2 {
        let turns = [(&sessions[0], &one), (&sessions[1], &two)]
            .map(|(session, path)| talk.begin_turn(session, call(read(path)).then(say("done"))));
        for turn in turns {
            let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
            played.had_its_tools()?;
        }
    }
    let reported = count_by_session(talk, first, &sessions, names)?;
    if reported == 0 { not_tested("no update about the file that a turn reads") } else { Ok(()) }
}

/// Like [`updates_of_a_turn_name_its_session`], for an action that may need permission: each turn
/// replaces a file while the other session is idle.
async fn requests_of_a_turn_name_its_session(run: &mut Run) -> Probed {
    let names = ["attache-written-in-one.txt", "attache-written-in-two.txt"];
    let paths = [file(run, names[0], OLD)?, file(run, names[1], OLD)?];
    run.separates_sessions().await?;
    let folder = run.folder().to_owned();
    let (talk, first_session) = run.session().await?;
    let sessions = [first_session, talk.open(&folder).await?];
    talk.answer::<SessionRequestPermission>(choose(&ALLOW));
    let first = talk.now();
    for (session, path) in sessions.iter().zip(&paths) {
        attempt(talk, session, write_over(path, "new\n").then(say("done"))).await?;
    }
    let reported = count_by_session(talk, first, &sessions, names)?;
    if reported == 0 { not_tested("no update about the file that a turn writes") } else { Ok(()) }
}

/// Checks that the words of a prompt, from which the agent may derive a title, do not appear in the
/// title of another session.
async fn a_title_is_reported_in_its_session(run: &mut Run) -> Probed {
    run.separates_sessions().await?;
    let folder = run.folder().to_owned();
    let (talk, one) = run.session().await?;
    let two = talk.open(&folder).await?;
    let first = talk.now();
    let words = "attache-title-of-one";
    let block = |text: String| json!({"type": "text", "text": text});
    let prompt = json!([block(words.to_owned()), block(say("done").prompt_text())]);
    let turn = talk.begin_turn_with(&one, json!({"sessionId": one.id, "prompt": prompt}));
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    talk.is_still_there().await?;
    let is_title = |update: &&Value| {
        let title = update.get("title").and_then(Value::as_str);
        update.get("sessionUpdate").is_some_and(|kind| kind == "session_info_update")
            && title.is_some_and(|title| title.contains(words))
    };
    let after = talk.now() + 1;
    let misplaced = talk.updates(&two.id, first, after).find(is_title).map(Value::to_string);
    match misplaced {
        Some(seen) => fail("the title of a session is reported in that session", quoted(&seen)),
        None if talk.updates(&one.id, first, after).any(|update| is_title(&update)) => Ok(()),
        None => not_tested("the agent does not derive a title from the prompt"),
    }
}

/// Counts the messages about the file of each session. Fails if a message about a file names the
/// other session.
fn count_by_session(
    talk: &Conversation,
    first: usize,
    sessions: &[Session; 2],
    names: [&str; 2],
) -> Probed<usize> {
    let mut reported = 0;
    for (session, name) in sessions.iter().zip(names) {
        let about = talk
            .heard(first)
            .filter(|line| line.get("method").is_some() && line.text.contains(name));
        for line in about {
            let of = line.get("params").and_then(|params| params.get("sessionId"));
            // Extension methods need not name a session.
            let Some(of) = of else { continue };
            reported += 1;
            let seen = quoted(&line.text);
            expect(
                *of == session.id,
                format!("every update about {name} in the session {}", session.id),
                seen,
            )?;
        }
    }
    Ok(reported)
}
