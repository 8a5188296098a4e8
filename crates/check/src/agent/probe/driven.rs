//! Helpers for probes that run turns: starting turns that use tools, answering their permission
//! requests, and reading their updates.

use crate::agent::run::Run;
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Played, Session, Turn};
use crate::judging::verdict::{Outcome, Probed, not_tested};
use crate::model::acts::{Acts, call, read, write};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{
    Method, SessionCancel, SessionRequestPermission, SessionUpdateNotification,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The updates of one tool call, in order.
#[derive(Debug)]
pub(super) struct ReportedCall<'u> {
    pub(super) id: &'u Value,
    pub(super) updates: Vec<&'u Value>,
}

impl<'u> ReportedCall<'u> {
    /// Returns the statuses, in the order of the updates that have one.
    pub(super) fn states(&self) -> Vec<&'u str> {
        let state = |update: &&'u Value| update.get("status").and_then(Value::as_str);
        self.updates.iter().filter_map(state).collect()
    }

    /// Returns the content items of this type.
    pub(super) fn content(&self, kind: &'static str) -> impl Iterator<Item = &'u Value> {
        let all =
            self.updates.iter().filter_map(|update| update.get("content")?.as_array()).flatten();
        all.filter(move |content| content.get("type").is_some_and(|it| it == kind))
    }
}

/// Returns the tool calls of a turn, in the order of their first updates.
pub(super) fn tool_calls(played: &Played) -> Vec<ReportedCall<'_>> {
    let mut calls: Vec<ReportedCall<'_>> = Vec::new();
    let updates = played.updates().iter();
    for update in updates.filter(|it| {
        it.get("sessionUpdate")
            .is_some_and(|kind| kind == "tool_call" || kind == "tool_call_update")
    }) {
        let Some(id) = update.get("toolCallId") else { continue };
        match calls.iter_mut().find(|reported| reported.id == id) {
            Some(reported) => reported.updates.push(update),
            None => calls.push(ReportedCall { id, updates: vec![update] }),
        }
    }
    calls
}

/// Runs a turn in a new session and grants every permission request.
pub(super) fn play<'a>(run: &'a mut Run, acts: Acts) -> Boxed<'a, Probed<Played>> {
    Box::pin(async move {
        run.follows_prompts().await?;
        let (talk, session) = run.session().await?;
        talk.answer::<SessionRequestPermission>(choose(&ALLOW));
        play_in(talk, &session, acts).await
    })
}

/// Runs a turn in this session. The rule is not tested if the turn fails.
pub(super) fn play_in<'a>(
    talk: &'a mut Conversation,
    session: &'a Session,
    acts: Acts,
) -> Boxed<'a, Probed<Played>> {
    Box::pin(async move {
        let played = attempt(talk, session, acts).await?;
        played.stop_reason().map_err(|outcome| unjudged(&outcome))?;
        Ok(played)
    })
}

/// Runs a turn in this session. The turn may end in any way.
pub(super) fn attempt<'a>(
    talk: &'a mut Conversation,
    session: &'a Session,
    acts: Acts,
) -> Boxed<'a, Probed<Played>> {
    Box::pin(async move {
        let played = talk.play(session, acts).await.map_err(|outcome| unjudged(&outcome))?;
        played.had_its_tools()?;
        Ok(played)
    })
}

/// Turns a failure into "not tested", because another rule covers it.
pub(super) fn unjudged(outcome: &Outcome) -> Outcome {
    Outcome::NotTested(format!("the turn does not end: {}", outcome.seen()))
}

pub(super) const ALLOW: [&str; 2] = ["allow_once", "allow_always"];

/// Answers a permission request with an option of the first of these kinds that the request offers,
/// or with `cancelled` if the request offers none of them.
pub(super) fn choose(
    kinds: &'static [&'static str],
) -> impl FnMut(&Value) -> Answer + Send + 'static {
    move |params| Answer::Result(chosen(params, kinds))
}

/// Returns the result with which [`choose`] answers these params.
pub(super) fn chosen(params: &Value, kinds: &[&str]) -> Value {
    match kinds.iter().find_map(|kind| option(params, kind)) {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

/// Returns the id of the first option of this kind.
pub(super) fn option<'p>(params: &'p Value, kind: &str) -> Option<&'p Value> {
    let options = params.get("options").and_then(Value::as_array)?;
    options.iter().find(|option| option.get("kind").is_some_and(|it| it == kind))?.get("optionId")
}

/// Returns how often the agent has called method `M` since line `first`.
pub(super) fn count<M: Method>(talk: &Conversation, first: usize) -> usize {
    talk.heard(first).filter(|line| line.calls::<M>()).count()
}

/// Waits until a turn calls method `M`, and returns the call, or `None` if the turn ends first. The
/// judge must be set up to leave the call unanswered.
pub(super) async fn held<M: Method>(talk: &mut Conversation, turn: &Turn) -> Probed<Option<Line>> {
    let ends = turn.end();
    let wanted = |line: &Line| line.calls::<M>() || ends.is(line);
    let line =
        talk.hear(turn.first, M::ROW.name, wanted).await.map_err(|outcome| unjudged(&outcome))?;
    Ok(line.calls::<M>().then_some(line))
}

/// Waits until a turn sends an update of one of these kinds. Returns `false` if the turn ends
/// first.
pub(super) async fn shows(talk: &mut Conversation, turn: &Turn, kinds: &[&str]) -> Probed<bool> {
    let is_shown = |line: &Line| {
        let update = line.get("params").and_then(|params| params.get("update"));
        let kind = update.and_then(|update| update.get("sessionUpdate")).and_then(Value::as_str);
        line.calls::<SessionUpdateNotification>() && kind.is_some_and(|kind| kinds.contains(&kind))
    };
    let ends = turn.end();
    let wanted = |line: &Line| is_shown(line) || ends.is(line);
    let line =
        talk.hear(turn.first, "an update", wanted).await.map_err(|outcome| unjudged(&outcome))?;
    Ok(is_shown(&line))
}

/// Cancels the turn of a session.
pub(super) fn cancel(talk: &mut Conversation, session: &Session) {
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
}

/// Returns a path in the folder of the run. Removes the file if it exists.
pub(super) fn new_path_in(run: &Run, name: &str) -> Probed<PathBuf> {
    let path = run.folder().join(name);
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(path),
        Err(error) => not_tested(format!("cannot remove {}: {error}", path.display())),
    }
}

/// Creates a file with this content in the folder of the run.
pub(super) fn file(run: &Run, name: &str, text: &str) -> Probed<PathBuf> {
    let path = run.folder().join(name);
    put(&path, text)?;
    Ok(path)
}

/// The content of a file before a turn replaces it. Probes replace files because not every agent
/// can create a file through its client.
pub(super) const OLD: &str = "old\n";

/// Returns acts that read this file and then replace it, because some agents write only files that
/// they have read.
pub(super) fn write_over(path: &Path, content: &str) -> Acts {
    call(read(path)).then(call(write(path, content)))
}

/// Whether the content of this file is no longer [`OLD`].
pub(super) fn is_written_over(path: &Path) -> bool {
    std::fs::read_to_string(path).ok().as_deref() != Some(OLD)
}

/// Writes a file, and creates its parent folders if needed.
pub(super) fn put(path: &Path, text: &str) -> Probed {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    match made.and_then(|()| std::fs::write(path, text)) {
        Ok(()) => Ok(()),
        Err(error) => not_tested(format!("cannot write {}: {error}", path.display())),
    }
}
