//! Turns: their prompts, their stop reasons, and the messages before their end (PROMPT, and some
//! RPC rules).

use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::model::acts::{DONE, fail_with, recall, say, think};
use crate::peer::line::Line;
use attache_protocol::method::{Method, SessionCancel, SessionUpdateNotification};
use std::time::Duration;

probes! { Run:
    "PROMPT-03" text_and_links_are_accepted;
    "PROMPT-07" the_stop_reason_matches_the_end_of_the_turn;
    "PROMPT-08" no_update_of_a_turn_follows_its_reply;
    "PROMPT-10" a_failing_model_is_an_error;
    "PROMPT-10" an_incomplete_answer_is_not_success;
    "PROMPT-11" thoughts_are_sent_as_thoughts;
    "PROMPT-11" a_long_answer_is_complete;
    "PROMPT-12" the_context_accumulates;
    "PROMPT-13" a_prompt_during_a_turn_is_answered;
    "RPC-02" line_breaks_in_a_text_are_escaped;
    "RPC-27" a_turn_without_a_model_is_answered;
    "RPC-29" the_text_of_a_turn_precedes_its_reply;
}

/// How long the judge waits for an agent that retries an incomplete answer.
const TRIES_AGAIN: Duration = Duration::from_secs(3);

/// The updates that belong to a turn.
const OF_A_TURN: [&str; 5] =
    ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

async fn text_and_links_are_accepted(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let file = run.folder().join("attache-link.txt");
    if std::fs::write(&file, "a file that a prompt links to\n").is_err() {
        return not_tested("cannot write the file for the link");
    }
    let (talk, session) = run.session().await?;
    let link = json!({"type": "resource_link", "uri": format!("file://{}", file.display()), "name": "attache-link.txt"});
    let text = json!({"type": "text", "text": say("attache-taken").prompt_text()});
    let prompt = json!({"sessionId": session.id, "prompt": [link, text]});
    let turn = talk.begin_turn_with(&session, prompt);
    talk.finish(turn).await?.stop_reason().map(|_| ())
}

/// How many times in a row the model stops for the same reason. An agent may let the model
/// continue, in which case only the last stop matters.
const ENDS_ALIKE: usize = 8;

async fn the_stop_reason_matches_the_end_of_the_turn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let mut goes_on = false;
    for (end, expected) in [("stop", "end_turn"), ("length", "max_tokens"), ("refusal", "refusal")]
    {
        let once = say("attache-end").end(end);
        let acts = (1..ENDS_ALIKE).fold(once.clone(), |acts, _| acts.then(once.clone()));
        let acts = if end == "stop" { once } else { acts };
        let played = talk.play(&session, acts).await?;
        if end != "stop" && played.reply.error("/code").is_some() {
            return not_tested(format!("the agent reports an error if its model stops with {end}"));
        }
        let reason = played.stop_reason()?;
        if reason == expected {
            continue;
        }
        // Whether the agent let the model continue until it finished.
        let is_over = end != "stop" && played.said().contains(DONE);
        goes_on |= is_over;
        let seen = format!("the model stops with {end}, and the turn ends with {reason}");
        expect(is_over, format!("the stop reason {expected}"), seen)?;
    }
    if goes_on {
        not_tested("the agent lets its model continue whenever it stops early")
    } else {
        Ok(())
    }
}

async fn no_update_of_a_turn_follows_its_reply(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, think("attache-thought").say("attache-said")).await?;
    played.stop_reason()?;
    talk.is_still_there().await?;
    let is_of_the_turn = |line: &&Line| {
        let params = line.get("params").filter(|_| line.calls::<SessionUpdateNotification>());
        let is_of_session = params.and_then(|params| params.get("sessionId")) == Some(&session.id);
        let kind = params.and_then(|params| params.pointer("/update/sessionUpdate")?.as_str());
        is_of_session && kind.is_some_and(|kind| OF_A_TURN.contains(&kind))
    };
    match talk.heard(played.after()).find(is_of_the_turn) {
        Some(line) => fail("no update of the turn after its reply", quoted(&line.text)),
        None => Ok(()),
    }
}

async fn a_failing_model_is_an_error(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, fail_with(400)).await?;
    expect(
        played.reply.error("/code").is_some(),
        "the prompt is answered with an error after the model's error",
        quoted(played.reply.text()),
    )?;
    // The session must still work.
    talk.play(&session, say("attache-after")).await?.stop_reason().map(|_| ())
}

async fn an_incomplete_answer_is_not_success(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let before = run.asked();
    let (talk, session) = run.session().await?;
    let turn = talk.begin_turn(&session, say("attache-half, and the rest is missing").cut());
    let (id, first) = (turn.id.clone(), turn.first);
    let patience = talk.patience.min(TRIES_AGAIN);
    let played = match talk.finish_within(turn, patience).await {
        Ok(played) => played,
        // The agent retries, which is correct, and the answer is incomplete again.
        Err(_) => {
            talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
            let answers = |line: &Line| line.replies_to(&id);
            talk.hear(first, "an answer to session/prompt after a cancel", answers).await?;
            return Ok(());
        }
    };
    // The model finished after a retry, so the turn may succeed.
    let is_again = run.asked().zip(before).is_some_and(|(now, before)| now > before + 1);
    match played.stop_reason() {
        Ok(reason) if reason == "end_turn" && !is_again => fail(
            "an error or a retry after the incomplete answer of the model",
            quoted(played.reply.text()),
        ),
        _ => Ok(()),
    }
}

async fn thoughts_are_sent_as_thoughts(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, think("attache-thought").say("attache-said")).await?;
    played.stop_reason()?;
    expect(
        played.said().contains("attache-said"),
        "the model's text as agent_message_chunk",
        quoted(&played.said()),
    )?;
    expect(
        !played.said().contains("attache-thought"),
        "the model's reasoning as agent_thought_chunk",
        "it is sent as agent_message_chunk",
    )?;
    let thought = played.text_of("agent_thought_chunk");
    if thought.is_empty() {
        not_tested("the agent does not send its model's reasoning")
    } else {
        Ok(())
    }
}

async fn a_long_answer_is_complete(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    // The text consists of 4,000 characters without repetition.
    let numbers: String = (1000..1800).map(|number| format!("{number} ")).collect();
    // Without the judge's model, the answer is shorter.
    let times = if run.asked().is_some() { 1000 } else { 25 };
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say(numbers.clone()).repeat(times)).await?;
    let reason = played.stop_reason()?;
    if reason != "end_turn" {
        // Some agents consider a repetitive answer a malfunction of the model and stop the answer.
        return not_tested(format!("the agent ends a turn with a long answer early: {reason}"));
    }
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let (came, all) = (digits(&played.said()), digits(&numbers) * times);
    expect(came == all, format!("{all} digits of the model's answer"), format!("{came} digits"))
}

async fn the_context_accumulates(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let first = say("attache-noted").prompt_text();
    let prompt =
        json!([{"type": "text", "text": format!("Remember attache-remembered-7304. {first}")}]);
    let turn = talk.begin_turn_with(&session, json!({"sessionId": session.id, "prompt": prompt}));
    talk.finish(turn).await?.stop_reason()?;
    let played = talk.play(&session, recall("attache-remembered-7304")).await?;
    played.stop_reason()?;
    let expected = "the model receives the earlier prompt with the next one";
    match played.recalled() {
        Some(is_there) => expect(is_there, expected, "it does not receive it"),
        None => not_tested("it is unknown what the agent's model receives"),
    }
}

async fn a_prompt_during_a_turn_is_answered(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let running = talk.begin_turn(&session, say("attache-first").hang());
    talk.hear_said(&running, "attache-first").await?;
    let second = talk.begin_turn(&session, say("attache-second"));
    talk.is_still_there().await?;
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
    for turn in [&running, &second] {
        let expected =
            "an answer to each of two prompts of one session, no later than after a cancel";
        talk.hear(turn.first, expected, |line| line.replies_to(&turn.id)).await?;
    }
    talk.play(&session, say("attache-third")).await?.stop_reason().map(|_| ())
}

async fn line_breaks_in_a_text_are_escaped(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let played = talk.play(&session, say("attache-one\nattache-two\r\nattache-three")).await?;
    played.stop_reason()?;
    let said = played.said().replace('\r', "");
    let expected = "the model's text in one line, with its line breaks escaped";
    expect(
        said.contains("attache-one\nattache-two\nattache-three"),
        expected,
        format!("{:?}", quoted(&said)),
    )
}

async fn a_turn_without_a_model_is_answered(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let before = run.asked();
    let (talk, session) = run.session().await?;
    let turn = talk.begin_turn(&session, fail_with(401));
    match talk.finish(turn).await {
        Ok(_) => talk.is_still_there().await,
        Err(outcome) => match run.asked().zip(before) {
            Some((now, before)) if now > before + 1 => {
                not_tested(format!("the agent sends {} requests to its model", now - before))
            }
            _ => Err(outcome),
        },
    }
}

async fn the_text_of_a_turn_precedes_its_reply(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    let text = "attache-a, attache-b, attache-c, attache-d, attache-e";
    let played = talk.play(&session, say(text)).await?;
    played.stop_reason()?;
    let seen = format!("text before the reply: {}", quoted(&played.said()));
    expect(played.said().contains(text), "the complete text before the reply to the prompt", seen)
}
