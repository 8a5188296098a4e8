//! Permission requests: actions that need permission, and the effect of the answer (PERM).

use super::driven::{
    ALLOW, OLD, attempt, choose, chosen, count, file, held, is_written_over, new_path_in, option,
    unjudged, write_over,
};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::model::acts::{Acts, call, calls, read, run as run_command, say, write};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{SessionRequestPermission, TerminalCreate};
use serde_json::Value;
use std::path::{Path, PathBuf};

probes! { Run:
    "PERM-01" a_client_without_capabilities_is_asked;
    "PERM-02" a_rejected_action_is_not_performed;
    "PERM-02" nothing_is_done_before_the_answer;
    "PERM-02" a_permission_covers_only_its_call;
    "PERM-04" a_malformed_outcome_allows_nothing;
    "PERM-07" an_action_that_is_always_allowed_is_not_asked_again;
    "PERM-07" an_action_that_is_always_rejected_is_not_asked_again;
    "PERM-12" concurrent_permission_requests_get_separate_answers;
}

const DOES_NOT_ASK: &str = "the agent does not ask before it writes a file or runs a command";

/// An action that an agent may ask permission for, and how to detect it.
pub(super) struct GatedAction {
    pub(super) acts: Acts,
    /// The file that the action changes.
    path: PathBuf,
    before: Option<&'static str>,
}

impl GatedAction {
    pub(super) fn write(run: &Run) -> Probed<Self> {
        let path = file(run, "attache-permitted.txt", OLD)?;
        Ok(Self { acts: write_over(&path, "done\n").then(say("done")), path, before: Some(OLD) })
    }

    pub(super) fn run(run: &Run) -> Probed<Self> {
        let path = new_path_in(run, "attache-ran.txt")?;
        let line = format!("touch '{}'", path.display());
        Ok(Self { acts: call(run_command(&line)).then(say("done")), path, before: None })
    }

    /// Whether the agent has performed the action or, after line `first`, asked the client to run a
    /// command.
    pub(super) fn is_done(&self, talk: &Conversation, first: usize) -> bool {
        std::fs::read_to_string(&self.path).ok().as_deref() != self.before
            || count::<TerminalCreate>(talk, first) > 0
    }
}

async fn opened(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    run.follows_prompts().await?;
    run.session().await
}

async fn a_client_without_capabilities_is_asked(run: &mut Run) -> Probed {
    let deed = GatedAction::write(run)?;
    let (talk, session) = opened(run).await?;
    let first = talk.now();
    attempt(talk, &session, deed.acts.clone()).await?;
    if count::<SessionRequestPermission>(talk, first) == 0 {
        return skipped(DOES_NOT_ASK);
    }
    let folder = run.folder().to_owned();
    let talk = run.talk_with(json!({})).await?;
    let session = talk.open(&folder).await?;
    let first = talk.now();
    attempt(talk, &session, deed.acts.clone()).await?;
    let is_asked = count::<SessionRequestPermission>(talk, first) > 0;
    match (is_asked, deed.is_done(talk, first)) {
        (true, _) => Ok(()),
        (false, true) => fail(
            "a permission request to a client without capabilities, as to other clients",
            "it writes without asking",
        ),
        (false, false) => not_tested("the agent writes nothing for a client without capabilities"),
    }
}

async fn a_rejected_action_is_not_performed(run: &mut Run) -> Probed {
    let mut is_asked = false;
    for deed in [GatedAction::write(run)?, GatedAction::run(run)?] {
        let (talk, session) = opened(run).await?;
        let first = talk.now();
        if let Ok(_played) = attempt(talk, &session, deed.acts.clone()).await
            && count::<SessionRequestPermission>(talk, first) > 0
        {
            is_asked = true;
            expect(
                !deed.is_done(talk, first),
                "a rejected action is not performed",
                "it is performed",
            )?;
        }
    }
    if is_asked { Ok(()) } else { skipped(DOES_NOT_ASK) }
}

async fn nothing_is_done_before_the_answer(run: &mut Run) -> Probed {
    let deed = GatedAction::write(run)?;
    let (talk, session) = opened(run).await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, deed.acts.clone());
    let first = turn.first;
    let Some(asked) = held::<SessionRequestPermission>(talk, &turn).await? else {
        return skipped(DOES_NOT_ASK);
    };
    talk.is_still_there().await.map_err(|outcome| unjudged(&outcome))?;
    let is_done = deed.is_done(talk, first);
    talk.give(&asked, chosen(params(&asked), &ALLOW));
    let played = talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    expect(!is_done, "nothing is written before the answer", "the file is written")?;
    played.had_its_tools()?;
    // If the agent does not perform an allowed action either, it may never have tried the rejected
    // one.
    if deed.is_done(talk, first) {
        Ok(())
    } else {
        not_tested("the agent does not perform an allowed action either")
    }
}

/// The model makes two calls in one answer. The client allows one and rejects the other.
async fn a_permission_covers_only_its_call(run: &mut Run) -> Probed {
    let [yes, no] = ["attache-allowed.txt", "attache-refused.txt"].map(|name| file(run, name, OLD));
    let (yes, no) = (yes?, no?);
    let (talk, session) = opened(run).await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let writes = calls([write(&yes, "new\n"), write(&no, "new\n")]);
    let turn =
        talk.begin_turn(&session, calls([read(&yes), read(&no)]).then(writes).then(say("done")));
    let (first, mut next) = (turn.first, turn.first);
    let wanted =
        |line: &Line| line.calls::<SessionRequestPermission>() || line.replies_to(&turn.id);
    loop {
        let line = talk
            .hear(next, "the end of the turn", wanted)
            .await
            .map_err(|outcome| unjudged(&outcome))?;
        if line.is_reply() {
            break;
        }
        let is_allowed = is_about(talk, &line, &yes) && !is_about(talk, &line, &no);
        let kinds: &[&str] =
            if is_allowed { &["allow_once"] } else { &["reject_once", "reject_always"] };
        talk.give(&line, chosen(params(&line), kinds));
        next = line.number;
    }
    if count::<SessionRequestPermission>(talk, first) == 0 {
        return skipped(DOES_NOT_ASK);
    }
    expect(
        !is_written_over(&no),
        "a rejected action is not performed",
        "it is performed although only another call was allowed",
    )?;
    if is_written_over(&yes) {
        Ok(())
    } else {
        not_tested("the agent does not perform an allowed action either")
    }
}

/// Whether a permission request or an update of its tool call names this file.
fn is_about(talk: &Conversation, asked: &Line, path: &Path) -> bool {
    let id = params(asked).pointer("/toolCall/toolCallId");
    let name = path.to_string_lossy();
    let of_call = talk.heard(0).filter(|line| params(line).pointer("/update/toolCallId") == id);
    of_call.chain([asked]).any(|line| line.text.contains(&*name))
}

async fn a_malformed_outcome_allows_nothing(run: &mut Run) -> Probed {
    let answers = [
        ("an optionId that was not offered", Answer::Result(selected("attache-no-such-option"))),
        ("error -32603", Answer::Error(-32603)),
        (
            "an unknown outcome",
            Answer::Result(json!({"outcome": {"outcome": "attache-no-such-outcome"}})),
        ),
    ];
    for (what, answer) in answers {
        let deed = GatedAction::write(run)?;
        let (talk, session) = opened(run).await?;
        talk.answer::<SessionRequestPermission>(move |_| answer.clone());
        let first = talk.now();
        attempt(talk, &session, deed.acts.clone()).await?;
        if count::<SessionRequestPermission>(talk, first) == 0 {
            return skipped(DOES_NOT_ASK);
        }
        expect(
            !deed.is_done(talk, first),
            format!("{what} allows nothing"),
            "the file is written",
        )?;
    }
    Ok(())
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

async fn an_action_that_is_always_allowed_is_not_asked_again(run: &mut Run) -> Probed {
    let path = file(run, "attache-always.txt", OLD)?;
    let (talk, asked) = write_twice(run, &path, &["allow_always", "allow_once"]).await?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    if !is_offered(talk, "allow_always", asked.0) {
        return skipped("the agent offers no allow_always");
    }
    expect(
        asked.1 == 1,
        "no second request for the same action",
        format!("{} questions", asked.1),
    )?;
    if text == SECOND { Ok(()) } else { not_tested("the file is not written twice") }
}

async fn an_action_that_is_always_rejected_is_not_asked_again(run: &mut Run) -> Probed {
    let path = file(run, "attache-never.txt", OLD)?;
    let (talk, asked) = write_twice(run, &path, &["reject_always", "reject_once"]).await?;
    if !is_offered(talk, "reject_always", asked.0) {
        return skipped("the agent offers no reject_always");
    }
    expect(
        asked.1 == 1,
        "no second request for the same action",
        format!("{} questions", asked.1),
    )?;
    expect(
        !is_written_over(&path),
        "an action that is always rejected is not performed",
        "the file is written",
    )
}

const SECOND: &str = "second\n";

/// Writes a file twice in one turn and answers each permission request with an option of the first
/// of these kinds that the request offers. Returns the number of the last line before the turn, and
/// the number of requests.
async fn write_twice<'r>(
    run: &'r mut Run,
    path: &Path,
    kinds: &'static [&'static str],
) -> Probed<(&'r mut Conversation, (usize, usize))> {
    let (talk, session) = opened(run).await?;
    talk.answer::<SessionRequestPermission>(choose(kinds));
    let first = talk.now();
    let acts = write_over(path, "first\n").then(call(write(path, SECOND))).then(say("done"));
    attempt(talk, &session, acts).await?;
    let asked = count::<SessionRequestPermission>(talk, first);
    if asked == 0 { skipped(DOES_NOT_ASK) } else { Ok((talk, (first, asked))) }
}

/// Whether the first permission request after line `first` offers an option of this kind.
fn is_offered(talk: &Conversation, kind: &str, first: usize) -> bool {
    let asked = talk.heard(first).find(|line| line.calls::<SessionRequestPermission>());
    asked.is_some_and(|line| option(params(line), kind).is_some())
}

fn params(line: &Line) -> &Value {
    line.get("params").unwrap_or(&Value::Null)
}

/// Two sessions request permission at the same time. The client rejects the second request, then
/// grants the first.
async fn concurrent_permission_requests_get_separate_answers(run: &mut Run) -> Probed {
    let [yes, no] = ["attache-yes.txt", "attache-no.txt"].map(|name| file(run, name, OLD));
    let (yes, no) = (yes?, no?);
    let folder = run.folder().to_owned();
    let (talk, session) = opened(run).await?;
    let other = talk.open(&folder).await?;
    talk.answer::<SessionRequestPermission>(|_| Answer::Silence);
    let turn = talk.begin_turn(&session, write_over(&yes, "yes\n").then(say("done")));
    let Some(first) = held::<SessionRequestPermission>(talk, &turn).await? else {
        return skipped(DOES_NOT_ASK);
    };
    let other = talk.begin_turn(&other, write_over(&no, "no\n").then(say("done")));
    let second = held::<SessionRequestPermission>(talk, &other).await;
    // If the agent sends the second request only after the client has answered the first, this
    // answer rejects the second request when it arrives.
    talk.answer::<SessionRequestPermission>(choose(&["reject_once", "reject_always"]));
    if let Ok(Some(second)) = &second {
        talk.give(second, chosen(params(second), &["reject_once", "reject_always"]));
    }
    let is_asked = matches!(second, Ok(Some(_)));
    talk.give(&first, chosen(params(&first), &ALLOW));
    let ended = [talk.finish(turn).await, talk.finish(other).await];
    if !is_asked {
        return not_tested("the agent sends no permission request while another one is open");
    }
    if ended.iter().any(Result::is_err) {
        return fail("both turns end after both requests are answered", "one turn does not end");
    }
    let seen = format!("allowed: {}, refused: {}", is_written(&yes), is_written(&no));
    expect(is_written_over(&yes) && !is_written_over(&no), "only the allowed file is written", seen)
}

fn is_written(path: &Path) -> &'static str {
    if is_written_over(path) { "written" } else { "not written" }
}
