//! States of a session that do not end its turn (V2-77, V2-79).

use crate::client::client_talk::ClientTalk;
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use attache_protocol::method::SessionPrompt;
use serde_json::Value;
use std::time::Duration;

probes! { ClientRun:
    "V2-77" an_unknown_state_does_not_end_the_turn;
    "V2-79" a_repeated_idle_state_does_not_end_the_next_turn;
    "V2-79" an_idle_state_of_a_new_session_does_not_end_the_turn;
}

/// How long a client may take to act on the end of a turn.
const SOON: Duration = Duration::from_secs(1);

fn state(state: &str) -> Value {
    json!({"sessionUpdate": "state_update", "state": state})
}

/// Checks that the client still waits for the end of its turn, after `sent`.
async fn still_waits(talk: &mut ClientTalk, sent: &str) -> Probed {
    let expected = format!("the client waits for the end of its turn after {sent}");
    talk.wire.is_still_there().await.map_err(|outcome| outcome.about(sent))?;
    let first = talk.wire.now();
    if talk.wire.peer.wait_for_end(SOON).await {
        return fail(expected, "it closes the connection");
    }
    match talk.wire.heard(first).any(|line| line.asks::<SessionPrompt>()) {
        true => fail(expected, "it sends the next prompt"),
        false => Ok(()),
    }
}

/// Checks that the client ends after its turn, which shows that it would also have ended before.
async fn ends_afterwards(talk: &mut ClientTalk) -> Probed {
    if !talk.ends_with_turn {
        return not_tested("the client shows the end of a turn only on its screen");
    }
    talk.ends_or_continues().await
}

async fn an_unknown_state_does_not_end_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["prompt"]).await?;
    for unknown in ["_attache_check_paused", "check_paused"] {
        talk.update(&turn, state(unknown));
        still_waits(talk, &format!("the state {unknown:?}")).await?;
    }
    talk.end_turn(&turn, "end_turn");
    ends_afterwards(talk).await
}

/// Reports the default state of a new session after the prompt and before the reply to it.
async fn an_idle_state_of_a_new_session_does_not_end_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.open_prompt(&["prompt"]).await?;
    for _ in 0..2 {
        talk.update(&turn, state("idle"));
    }
    still_waits(talk, "the state idle before the reply to its prompt").await?;
    talk.begin_turn(&turn);
    talk.end_turn(&turn, "end_turn");
    ends_afterwards(talk).await
}

/// Repeats the idle state of the first turn after the second prompt.
async fn a_repeated_idle_state_does_not_end_the_next_turn(run: &mut ClientRun) -> Probed {
    let task = run.task("twice").with("prompt2", "attache check asks again");
    let talk = run.start(task).await?;
    let first = talk.set_up().await?;
    talk.end_turn(&first, "end_turn");
    let patience = talk.wire.patience;
    let prompts = |line: &crate::Line| line.asks::<SessionPrompt>();
    if talk.wire.peer.wait_for(first.first, patience, prompts).await.is_err() {
        return not_tested("the client sends no second prompt for the task \"twice\"");
    }
    let mut repeated = state("idle");
    if let Value::Object(repeated) = &mut repeated {
        repeated.insert("stopReason".to_owned(), json!("end_turn"));
    }
    talk.update(&first, repeated);
    still_waits(talk, "the repeated idle state of its first turn").await?;
    let second = talk.next_turn(&first).await?;
    talk.ends_well(&second).await
}
