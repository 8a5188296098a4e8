//! Turns and their messages (PROMPT, MSG).

use crate::client::client_talk::{ClientTalk, ClientTurn, how_it_left};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::SessionPrompt;
use serde_json::Value;

probes! { ClientRun:
    "PROMPT-13" a_second_prompt_waits_for_the_end_of_the_first_turn;
    "PROMPT-16" an_unknown_stop_reason_ends_the_turn;
    "DEC-16" an_error_without_data_ends_the_turn;
    "MSG-04" chunks_without_an_id_form_one_message_until_the_kind_changes;
    "MSG-08" a_chunk_of_an_unknown_type_is_skipped;
    "DEC-08" a_chunk_of_an_unknown_type_does_not_end_the_turn;
}

async fn a_second_prompt_waits_for_the_end_of_the_first_turn(run: &mut ClientRun) -> Probed {
    let task = run.task("twice").with("prompt2", "attache check asks again");
    let talk = run.start(task).await?;
    let turn = talk.set_up().await?;
    talk.wire.is_still_there().await?;
    let prompts =
        |talk: &ClientTalk| talk.wire.heard(0).filter(|line| line.asks::<SessionPrompt>()).count();
    expect(
        prompts(talk) == 1,
        "no second prompt before the reply to the first",
        format!("{} prompts", prompts(talk)),
    )?;
    talk.end_turn(&turn, "end_turn");
    match talk.next_turn(&turn).await {
        Ok(_) => Ok(()),
        Err(_) => not_tested("the client sends no second prompt for the task \"twice\""),
    }
}

/// A client that exits after its turn must exit with an error. Any other client must continue.
pub(super) async fn an_unknown_stop_reason_ends_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["prompt"]).await?;
    talk.end_turn(&turn, "check_pause");
    talk.ends_or_continues().await?;
    let left = talk.ended().await;
    let is_reported = left.exit.is_none_or(|exit| !exit.success());
    expect(is_reported, "the client reports an unknown stop reason as an error", how_it_left(&left))
}

pub(super) async fn an_error_without_data_ends_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.open_prompt(&["prompt"]).await?;
    let error = json!({"code": -32603, "message": "the check failed", "data": null});
    talk.wire.peer.send(&json!({"jsonrpc": "2.0", "id": turn.id, "error": error}));
    talk.ends_or_continues().await
}

/// Returns an update of this kind with a chunk of text.
fn piece(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}, "messageId": null})
}

const ANSWER: &str = "agent_message_chunk";

/// Checks that the client does not join two chunks that have a thought between them. The rule is
/// not tested if the client does not print two adjacent chunks as one text.
async fn chunks_without_an_id_form_one_message_until_the_kind_changes(
    run: &mut ClientRun,
) -> Probed {
    let [one, other, nonce] = [run.nonce(), run.nonce(), run.nonce()];
    let (talk, turn) = run.turn(&["prompt"]).await?;
    for update in [
        piece(ANSWER, &format!("{one}a")),
        piece(ANSWER, "b\n\n"),
        piece(ANSWER, &format!("{other}a")),
        piece("agent_thought_chunk", "a thought between"),
        piece(ANSWER, "b"),
    ] {
        talk.update(&turn, update);
    }
    talk.say(&turn, &format!("\n\n{nonce}\n\n"));
    talk.shows(&nonce).await;
    talk.end_turn(&turn, "end_turn");
    let left = talk.ended().await;
    if !left.stdout.contains(&format!("{one}ab")) {
        return not_tested("the client does not print the chunks of a message as one text");
    }
    let seen = "it joins the chunks before and after a thought";
    expect(
        !left.stdout.contains(&format!("{other}ab")),
        "a thought ends the message before it",
        seen,
    )
}

pub(super) async fn a_chunk_of_an_unknown_type_is_skipped(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![json!({"sessionUpdate": ANSWER, "content": {"type": "check_video", "data": "AAAA"}})]
    })
    .await
}

async fn a_chunk_of_an_unknown_type_does_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let known = [
            json!({"type": "text"}),
            json!({"type": "image", "data": 5}),
            json!("text"),
            Value::Null,
        ];
        known
            .into_iter()
            .map(|content| json!({"sessionUpdate": ANSWER, "content": content}))
            .collect()
    })
    .await
}

/// Checks that the client accepts these updates in a turn: the connection stays open, and if the
/// client shows the text before them, it also shows the text after them.
pub(super) async fn survives_updates(
    run: &mut ClientRun,
    odd: impl Fn(&ClientTurn) -> Vec<Value>,
) -> Probed {
    let (before, after) = (run.nonce(), run.nonce());
    let (talk, turn) = run.turn(&["prompt"]).await?;
    talk.say(&turn, &format!("{before}\n\n"));
    let first = talk.wire.now();
    for update in odd(&turn) {
        talk.update(&turn, update);
    }
    talk.say(&turn, &format!("{after}\n\n"));
    match talk.wire.is_ignored(first).await {
        Err(crate::Outcome::NotTested(_)) | Ok(()) => {}
        broken => return broken,
    }
    talk.ends_well(&turn).await?;
    let left = talk.ended().await;
    if left.shows(&before) && !left.shows(&after) {
        return fail("later text is shown", "earlier text is shown, later text is not");
    }
    match left.shows(&before) || answers(talk) {
        true => Ok(()),
        false => {
            not_tested("the client neither answers unknown requests nor prints the agent's text")
        }
    }
}

/// Whether the client has answered any call.
fn answers(talk: &ClientTalk) -> bool {
    talk.lines().any(Line::is_reply)
}
