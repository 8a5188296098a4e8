//! The conversation of a reopened or forked session (SESS-13 to SESS-20, FORK-02, TITLE-03).

use super::driven::{file, play_in, unjudged};
use super::mode::of_session;
use super::session::CLOSE;
use super::session_list::{LIST, entries, entry_of};
use super::title::name;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Played, Reply, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested};
use crate::model::acts::{call, read, recall, say, think};
use attache_protocol::method::{
    Method, SessionClose, SessionFork, SessionLoad, SessionResume, UPDATES,
};
use serde_json::Value;
use std::time::Duration;

probes! { Run:
    "SESS-13" a_load_replays_the_whole_conversation_in_order;
    "SESS-14" a_load_is_answered_after_its_history;
    "SESS-15" a_load_replays_the_roles_of_messages;
    "SESS-17" a_reopened_session_reports_its_options;
    "SESS-19" a_resume_replays_nothing;
    "SESS-20" a_resumed_session_continues;
    "FORK-02" a_fork_and_its_original_are_independent;
    "TITLE-03" a_title_of_the_user_is_kept;
}

pub(super) const LOAD: &str = "/loadSession";
pub(super) const RESUME: &str = "/sessionCapabilities/resume";
const THOUGHT: &str = "attache-thought-3817";
const SAID: &str = "attache-said-3817";
/// A text that occurs only in prompts that tell the judge's model what to do.
const PROMPTED: &str = "\"acts\"";

/// A session that was reopened after one turn: the turn, the reply to the request that reopened the
/// session, and the updates before that reply.
pub(super) struct Reopened {
    pub(super) session: Session,
    played: Played,
    pub(super) reply: Reply,
    replayed: Vec<Value>,
}

/// Runs the check twice, because some agents name stored sessions after the current minute, and
/// that minute may end during the first check.
async fn a_load_replays_the_whole_conversation_in_order(run: &mut Run) -> Probed {
    replays_the_whole_conversation(run).await?;
    replays_the_whole_conversation(run).await
}

async fn replays_the_whole_conversation(run: &mut Run) -> Probed {
    let Reopened { played, reply, replayed, .. } =
        reopened(run, LOAD, SessionLoad::ROW.name).await?;
    reply.result()?;
    let of = |updates: &[Value]| updates.iter().filter(|it| kind(it) == "tool_call").count();
    let (before, after) = (of(played.updates()), of(&replayed));
    expect(after >= before, format!("{before} tool calls"), format!("{after} tool calls"))?;
    // The prompt also contains the agent's text, so a whole history contains that text at least
    // twice.
    let all: String = replayed.iter().map(text).collect();
    let (user, agent) = (all.find(PROMPTED), all.rfind(SAID));
    let is_whole = all.matches(SAID).count() > 1 && user.is_some();
    let seen = format!("{} updates, with the text: {}", replayed.len(), quoted(&all));
    expect(is_whole, "the text of the user and of the agent", seen.clone())?;
    let call = replayed.iter().position(|update| kind(update) == "tool_call");
    let last = replayed.iter().rposition(|update| !text(update).is_empty());
    expect(user < agent && (call.is_none() || call < last), "the original order", seen)
}

/// The minimum age of a session that cannot have begun in the current minute.
const ANOTHER_MINUTE: Duration = Duration::from_secs(61);

/// If the agent refuses to load a session that it has just opened, the probe loads an older one.
async fn a_load_is_answered_after_its_history(run: &mut Run) -> Probed {
    let Reopened { mut session, mut reply, .. } =
        reopened(run, LOAD, SessionLoad::ROW.name).await?;
    if let Err(outcome) = reply.result() {
        let Some(older) = run.session_with_turn_before(ANOTHER_MINUTE).await else {
            return Err(refused(&outcome));
        };
        run.restart().await;
        reply = load(run, SessionLoad::ROW.name, &older, &json!([])).await?;
        reply.result().map_err(|outcome| refused(&outcome))?;
        session = older;
    }
    let talk = run.talk().await?;
    talk.is_still_there().await?;
    let late = talk
        .updates(&session.id, reply.number(), usize::MAX)
        .find(|it| kind(it) == "user_message_chunk");
    match late {
        Some(update) => fail("the whole history before the reply", quoted(&update.to_string())),
        None => Ok(()),
    }
}

async fn a_load_replays_the_roles_of_messages(run: &mut Run) -> Probed {
    let Reopened { reply, replayed, .. } = reopened(run, LOAD, SessionLoad::ROW.name).await?;
    reply.result().map_err(|outcome| refused(&outcome))?;
    if let Some(unknown) =
        replayed.iter().find(|update| UPDATES.iter().all(|row| row.name != kind(update)))
    {
        return fail("the same kinds of updates as in the turn", quoted(&unknown.to_string()));
    }
    let by = |wanted: &str| {
        replayed.iter().filter(|update| kind(update) == wanted).map(text).collect::<String>()
    };
    let agent = by("agent_message_chunk");
    expect(agent.contains(SAID), "the agent's text as agent_message_chunk", quoted(&agent))?;
    expect(!agent.contains(PROMPTED), "no text of the user as agent_message_chunk", quoted(&agent))
}

/// The reply may leave out modes and options. If it contains them, they must be those of the
/// session.
async fn a_reopened_session_reports_its_options(run: &mut Run) -> Probed {
    for (capability, method) in [(LOAD, SessionLoad::ROW.name), (RESUME, SessionResume::ROW.name)] {
        let Reopened { session, reply, .. } = reopened(run, capability, method).await?;
        let result = reply.result().map_err(|outcome| refused(&outcome))?;
        for key in ["modes", "configOptions"] {
            let reported = result.get(key).filter(|reported| !reported.is_null());
            let Some(reported) = reported else { continue };
            let (before, after) = (ids(session.opened.get(key)), ids(Some(reported)));
            expect(
                before == after,
                format!("{key} of the session: {before:?}"),
                format!("{after:?}"),
            )?;
        }
    }
    Ok(())
}

async fn a_resume_replays_nothing(run: &mut Run) -> Probed {
    let Reopened { reply, replayed, .. } = reopened(run, RESUME, SessionResume::ROW.name).await?;
    reply.result()?;
    let is_said = |update: &&Value| {
        let kind = kind(update);
        kind.ends_with("_chunk") || kind.starts_with("tool_call") || kind == "plan"
    };
    match replayed.iter().find(is_said) {
        Some(update) => {
            fail("no updates of the conversation before the reply", quoted(&update.to_string()))
        }
        None => Ok(()),
    }
}

async fn a_resumed_session_continues(run: &mut Run) -> Probed {
    let Reopened { session, reply, .. } = reopened(run, RESUME, SessionResume::ROW.name).await?;
    reply.result()?;
    let talk = run.talk().await?;
    recalls(talk, &session, SAID, true, "the conversation continues").await
}

async fn a_fork_and_its_original_are_independent(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = json!(run.folder());
    run.talk().await?.needs("/sessionCapabilities/fork")?;
    let (talk, original) = run.session().await?;
    play_in(talk, &original, say(SAID)).await?;
    let params = json!({"sessionId": original.id, "cwd": folder, "mcpServers": []});
    let opened = talk.call::<SessionFork>(params).await?.result()?;
    let id = opened.get("sessionId").cloned().unwrap_or_default();
    let fork = Session { id, opened };
    recalls(talk, &fork, SAID, true, "the fork contains the earlier conversation").await?;
    play_in(talk, &fork, say("attache-in-the-fork-3817")).await?;
    recalls(
        talk,
        &original,
        "attache-in-the-fork-3817",
        false,
        "the original session does not contain the conversation of the fork",
    )
    .await?;
    play_in(talk, &original, say("attache-in-the-original-3817")).await?;
    recalls(
        talk,
        &fork,
        "attache-in-the-original-3817",
        false,
        "the fork does not contain the later conversation of the original session",
    )
    .await
}

async fn a_title_of_the_user_is_kept(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let of_folder = json!({"cwd": run.folder()});
    let talk = run.talk().await?;
    talk.needs("/sessionCapabilities/title")?;
    talk.needs(LIST)?;
    let (talk, session) = run.session().await?;
    play_in(talk, &session, say("attache: one")).await?;
    let stored = name(talk, &session.id, "A title of the user").await?;
    let first = talk.now();
    play_in(talk, &session, say("attache: two")).await?;
    let is_info = of_session(&session, "session_info_update");
    let other = talk.heard(first).filter(|line| is_info(line)).find(|line| {
        let title = line.get("params").and_then(|params| params.pointer("/update/title"));
        title.is_some_and(|title| *title != stored)
    });
    if let Some(line) = other {
        return fail(format!("the title remains {stored}"), quoted(&line.text));
    }
    let all = entries(talk, of_folder).await?;
    let Some(entry) = entry_of(&all, &session.id) else {
        return not_tested("the session is not listed");
    };
    expect(
        entry.get("title") == Some(&stored),
        format!("the title {stored}"),
        quoted(&entry.to_string()),
    )
}

/// Runs a turn in a new session and reopens the session with `method`: in a new process if that
/// process knows the session, otherwise in the same process after closing the session.
async fn reopened(run: &mut Run, capability: &str, method: &str) -> Probed<Reopened> {
    reopened_with(run, capability, method, &json!([])).await
}

/// Like [`reopened`], with these MCP servers.
pub(super) async fn reopened_with(
    run: &mut Run,
    capability: &str,
    method: &str,
    servers: &Value,
) -> Probed<Reopened> {
    let (_, session, played) = session_with_turn(run, capability).await?;
    run.restart().await;
    let reopened = reopen(run, method, session, played, servers).await?;
    if reopened.reply.error("/code") != Some(&json!(-32002)) {
        return Ok(reopened);
    }
    let (talk, session, played) = session_with_turn(run, capability).await?;
    if talk.offers(CLOSE) {
        talk.call::<SessionClose>(json!({"sessionId": session.id})).await?;
    }
    reopen(run, method, session, played, servers).await
}

/// Opens a session and runs one turn in it.
async fn session_with_turn<'r>(
    run: &'r mut Run,
    capability: &str,
) -> Probed<(&'r mut Conversation, Session, Played)> {
    run.follows_prompts().await?;
    run.talk().await?.needs(capability)?;
    let notes = file(run, "attache-notes.txt", "attache\n")?;
    let (talk, session) = run.session().await?;
    let acts = call(read(notes)).say("attache: one moment").then(think(THOUGHT).say(SAID));
    let played = talk.play(&session, acts).await.map_err(|outcome| unjudged(&outcome))?;
    played.stop_reason().map_err(|outcome| unjudged(&outcome))?;
    let mut spoken = (played, session);
    if !spoken.0.said().contains(SAID) {
        // If the agent has no tool that reads files, the turn stopped before this text was sent. A
        // turn without a tool call sends it.
        let (talk, session) = run.session().await?;
        spoken = (play_in(talk, &session, think(THOUGHT).say(SAID)).await?, session);
    }
    let (played, session) = spoken;
    Ok((run.talk().await?, session, played))
}

async fn reopen(
    run: &mut Run,
    method: &str,
    session: Session,
    played: Played,
    servers: &Value,
) -> Probed<Reopened> {
    let first = run.talk().await?.now();
    let reply = load(run, method, &session, servers).await?;
    let replayed = run.talk().await?.updates(&session.id, first, reply.number()).cloned().collect();
    Ok(Reopened { session, played, reply, replayed })
}

/// Calls `method`, which reopens a session, and returns the reply.
async fn load(run: &mut Run, method: &str, session: &Session, servers: &Value) -> Probed<Reply> {
    let params = json!({"sessionId": session.id, "cwd": run.folder(), "mcpServers": servers});
    run.talk().await?.ask(method, params).await
}

/// Turns a failure to reopen a session into "not tested", because SESS-13 covers it.
pub(super) fn refused(outcome: &Outcome) -> Outcome {
    Outcome::NotTested(format!("the agent does not reopen the session: {}", outcome.seen()))
}

/// Checks that the agent's model still receives this earlier text or, if `is_known` is false, that
/// the model does not receive it.
async fn recalls(
    talk: &mut Conversation,
    session: &Session,
    text: &str,
    is_known: bool,
    expected: &str,
) -> Probed {
    let said = play_in(talk, session, recall(text)).await?.said();
    match (said.contains("recalled yes"), said.contains("recalled no")) {
        (true, false) | (false, true) => {
            expect(said.contains("recalled yes") == is_known, expected, quoted(&said))
        }
        _ => {
            not_tested(format!("it is unknown what the agent's model receives: {}", quoted(&said)))
        }
    }
}

fn kind(update: &Value) -> &str {
    update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default()
}

fn text(update: &Value) -> &str {
    update.pointer("/content/text").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the ids of config options, or of the available modes.
fn ids(holder: Option<&Value>) -> Vec<String> {
    let list = holder.and_then(|holder| holder.get("availableModes").or(Some(holder)));
    let list = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(|entry| Some(entry.get("id")?.to_string())).collect()
}
