//! How a client handles notices (NOTE), compactions (COMP) and subagents (SUB).

use crate::client::run::ClientRun;
use crate::client::screen::Screen;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use serde_json::Value;

probes! { ClientRun:
    "NOTE-04" notices_do_not_affect_the_turn;
    "NOTE-05" an_unknown_severity_is_shown;
    "COMP-05" null_clears_the_summary;
    "COMP-06" a_summary_replaces_its_chunks;
    "COMP-10" an_unknown_status_is_ignored;
    "SUB-02" nothing_is_sent_to_a_child_without_capabilities;
    "SUB-03" an_unknown_state_replaces_the_earlier_one;
}

/// Starts a turn and returns its screen. Skips clients that do not offer this capability.
async fn screen<'r>(run: &'r mut ClientRun, needs: &str) -> Probed<Screen<'r>> {
    let screen = run.screen(&["prompt"]).await?;
    screen.talk.needs_in_version_1(needs)?;
    Ok(screen)
}

fn notice(severity: &str, title: &str) -> Value {
    json!({"sessionUpdate": "notice", "severity": severity, "title": title})
}

pub(super) async fn notices_do_not_affect_the_turn(run: &mut ClientRun) -> Probed {
    let [title] = run.several();
    let (talk, turn) = run.turn(&["prompt"]).await?;
    talk.needs_in_version_1("/session/notices")?;
    for severity in ["info", "warning", "error"] {
        talk.update(&turn, notice(severity, &title));
    }
    talk.wire.is_still_there().await?;
    talk.end_turn(&turn, "end_turn");
    let with = talk.ended().await;
    let (talk, turn) = run.turn(&["prompt"]).await?;
    talk.end_turn(&turn, "end_turn");
    let without = talk.ended().await;
    let ended = |left: &crate::ClientOutput| {
        format!(
            "{} by itself: {}",
            left.exit.map_or_else(|| "ended".to_owned(), |exit| exit.to_string()),
            left.by_itself
        )
    };
    expect(
        ended(&with) == ended(&without),
        format!("the client ends as it does without notices: {}", ended(&without)),
        ended(&with),
    )
}

pub(super) async fn an_unknown_severity_is_shown(run: &mut ClientRun) -> Probed {
    let [known, unknown] = run.several();
    let mut screen = screen(run, "/session/notices").await?;
    if !screen.shows([notice("warning", &known)]).await?.contains(&known) {
        return not_tested("the client shows no notices");
    }
    let seen = screen.shows([notice("_flash", &unknown)]).await?;
    expect(seen.contains(&unknown), "a notice of an unknown severity is shown", quoted(seen.trim()))
}

fn compaction(status: &str, summary: Option<Value>) -> Value {
    let mut update =
        json!({"sessionUpdate": "compaction_update", "compactionId": "judged", "status": status});
    if let (Value::Object(update), Some(summary)) = (&mut update, summary) {
        update.insert("summary".to_owned(), summary);
    }
    update
}

fn blocks(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

pub(super) async fn null_clears_the_summary(run: &mut ClientRun) -> Probed {
    let [summary] = run.several();
    let mut screen = screen(run, "/session/compaction").await?;
    screen.shows([compaction("in_progress", None)]).await?;
    screen.shows([compaction("completed", Some(blocks(&summary)))]).await?;
    let kept = screen.shows([compaction("completed", None)]).await?.contains(&summary);
    let seen = screen.shows([compaction("completed", Some(Value::Null))]).await?;
    if !kept {
        return not_tested("the client does not show an updated compaction");
    }
    expect(!seen.contains(&summary), "no summary after null", quoted(seen.trim()))
}

pub(super) async fn a_summary_replaces_its_chunks(run: &mut ClientRun) -> Probed {
    let [a, b, c] = run.several();
    let mut screen = screen(run, "/session/compaction").await?;
    let piece = |text: &str| {
        let content = json!({"type": "text", "text": text});
        json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "judged", "content": content})
    };
    screen.shows([compaction("in_progress", None), piece(&a)]).await?;
    let shows_all = screen.shows([piece(&b)]).await?.contains(&format!("{a}{b}"));
    let seen = screen.shows([compaction("completed", Some(blocks(&c)))]).await?;
    if !seen.contains(&c) {
        return not_tested("the client does not show the summary of a compaction");
    }
    expect(!(shows_all && seen.contains(&a)), "only the complete summary", quoted(seen.trim()))
}

async fn an_unknown_status_is_ignored(run: &mut ClientRun) -> Probed {
    let [status] = run.several();
    let status = format!("_{status}");
    let mut screen = screen(run, "/session/compaction").await?;
    screen.shows([compaction("in_progress", None)]).await?;
    let Screen { talk, turn, .. } = &mut screen;
    talk.update(turn, compaction(&status, None));
    if talk.wire.is_still_there().await.is_err() {
        return fail("the turn continues", "the connection has ended");
    }
    let seen = screen.settles().await?;
    if seen.contains(&status) {
        Ok(())
    } else {
        not_tested("the client does not show the status of a compaction")
    }
}

/// Returns an update about a subagent, with these members.
fn child(fields: Value) -> Value {
    let mut update = fields;
    if let Value::Object(update) = &mut update {
        update.insert("sessionUpdate".to_owned(), json!("subagent_update"));
        update.insert("sessionId".to_owned(), json!("attache-check-child"));
    }
    update
}

async fn nothing_is_sent_to_a_child_without_capabilities(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel"]).await?;
    talk.needs("/subagents")?;
    talk.update(&turn, child(json!({"title": "Child", "state": {"state": "running"}})));
    talk.wire.is_still_there().await?;
    talk.is_cancelled(&turn).await?;
    talk.wire.is_still_there().await?;
    let names_child = |line: &&crate::Line| {
        let named = line.get("params").and_then(|params| params.get("sessionId"));
        named == Some(&json!("attache-check-child"))
    };
    match talk.wire.heard(0).find(names_child) {
        Some(line) => fail("the client sends nothing to the subagent", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn an_unknown_state_replaces_the_earlier_one(run: &mut ClientRun) -> Probed {
    let [title] = run.several();
    let mut screen = screen(run, "/subagents").await?;
    screen.shows([child(json!({"title": "Child", "state": {"state": "running"}}))]).await?;
    let is_whole = screen.shows([child(json!({"title": title}))]).await?.contains("running");
    let seen = screen.shows([child(json!({"state": {"state": "unknown"}}))]).await?;
    if !is_whole || seen.trim().is_empty() {
        return not_tested("the client does not show an updated subagent");
    }
    expect(
        !seen.contains("running"),
        "the subagent is no longer shown as running",
        quoted(seen.trim()),
    )
}
