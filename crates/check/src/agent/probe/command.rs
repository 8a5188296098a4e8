//! The agent's slash commands, and updates between turns (CMD, SESS-27).

use super::mode::of_session;
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Session, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested, skipped};
use crate::peer::line::Line;
use attache_protocol::method::{SessionPrompt, SessionUpdateNotification};
use serde_json::Value;

probes! { Run:
    "CMD-01" commands_are_announced_after_the_session_is_opened;
    "CMD-04" a_command_is_recognized_in_the_prompt;
    "SESS-27" only_state_updates_are_sent_between_turns;
}

/// The updates about the state of a session.
const OF_STATE: [&str; 7] = [
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
    "notice",
    "plan",
];

async fn commands_are_announced_after_the_session_is_opened(run: &mut Run) -> Probed {
    let first = run.talk().await?.now();
    let (talk, session) = idle_session(run).await?;
    let is_announced = of_session(&session, "available_commands_update");
    let lines: Vec<&Line> = talk.heard(first).collect();
    let opened = lines.iter().position(|line| {
        line.get("result").and_then(|result| result.get("sessionId")) == Some(&session.id)
    });
    match lines.iter().position(|line| is_announced(line)) {
        None => skipped("the agent announces no commands"),
        announced => expect(
            announced > opened,
            "available_commands_update after the reply that opens the session",
            "it comes before that reply",
        ),
    }
}

/// Uses the command `help`, the only command whose effect the judge can recognize: the answer to
/// `/help` differs from the answer to a prompt that merely contains the word.
async fn a_command_is_recognized_in_the_prompt(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let first = run.talk().await?.now();
    let (talk, session) = idle_session(run).await?;
    let is_announced = of_session(&session, "available_commands_update");
    let announced =
        talk.heard(first).find(|line| is_announced(line)).and_then(|line| line.get("params"));
    let all = announced
        .and_then(|params| params.pointer("/update/availableCommands"))
        .and_then(Value::as_array);
    if !all
        .into_iter()
        .flatten()
        .any(|command| command.get("name").is_some_and(|name| name == "help"))
    {
        return not_tested(
            "the agent has no command `help`, and the effects of its other commands are unknown",
        );
    }
    let mut said = Vec::new();
    for text in ["/help", "attache, this is not a command: help"] {
        let first = talk.now();
        let prompt = json!([{"type": "text", "text": text}]);
        let reply =
            talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": prompt})).await?;
        reply.result()?;
        let is_said = of_session(&session, "agent_message_chunk");
        let chunks = talk.heard(first).filter(|line| is_said(line));
        let texts =
            chunks.filter_map(|line| line.get("params")?.pointer("/update/content/text")?.as_str());
        said.push(texts.collect::<String>());
    }
    expect(said.first() != said.last(), "/help is answered as a command", quoted(&said.concat()))
}

/// Opens a session and then another one, so that the agent has time to send updates about the
/// first.
async fn idle_session(run: &mut Run) -> Probed<(&mut Conversation, Session)> {
    let (_, session) = run.session().await?;
    let (talk, _) = run.session().await?;
    talk.is_still_there().await?;
    Ok((talk, session))
}

async fn only_state_updates_are_sent_between_turns(run: &mut Run) -> Probed {
    let first = run.talk().await?.now();
    let (talk, session) = idle_session(run).await?;
    let is_of_session = |line: &&Line| {
        line.calls::<SessionUpdateNotification>()
            && line.get("params").and_then(|params| params.get("sessionId")) == Some(&session.id)
    };
    let mut reported = talk.heard(first).filter(is_of_session).peekable();
    if reported.peek().is_none() {
        return skipped("the agent sends nothing between turns");
    }
    let is_of_state = |line: &&Line| {
        let kind = line.get("params").and_then(|params| params.pointer("/update/sessionUpdate"));
        kind.and_then(Value::as_str).is_some_and(|kind| OF_STATE.contains(&kind))
    };
    match reported.find(|line| !is_of_state(line)) {
        Some(line) => fail(
            "only updates about commands, modes, options, session info or usage",
            quoted(&line.text),
        ),
        None => Ok(()),
    }
}
