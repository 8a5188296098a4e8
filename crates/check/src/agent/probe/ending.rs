//! How a connection ends (RPC-09, RPC-10).

use super::cancel::begin_hanging;
use crate::agent::run::Run;
use crate::judging::conversation::Conversation;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use crate::peer::raw_peer::WaitError;
use serde_json::Value;

probes! { Run:
    "RPC-09" the_end_of_input_ends_the_agent;
    "RPC-09" the_end_of_input_inside_a_line_ends_the_agent;
    "RPC-09" the_end_of_input_ends_the_agent_in_a_turn;
    "RPC-10" the_length_of_a_buffered_line_is_limited;
}

/// The length of a huge line in bytes: a little more than the 32 MiB that the official TypeScript
/// library accepts.
const HUGE: usize = 33 * 1024 * 1024;

async fn the_end_of_input_ends_the_agent(run: &mut Run) -> Probed {
    ends_after(run, b"").await
}

async fn the_end_of_input_inside_a_line_ends_the_agent(run: &mut Run) -> Probed {
    ends_after(run, br#"{"jsonrpc":"2.0","id":1,"meth"#).await
}

/// Closes the agent's stdin during a turn.
async fn the_end_of_input_ends_the_agent_in_a_turn(run: &mut Run) -> Probed {
    run.follows_prompts().await?;
    let folder = run.folder().to_owned();
    let talk = run.unwatched().await?;
    let session = talk.open(&folder).await?;
    begin_hanging(talk, &session).await?;
    let first = talk.now();
    talk.peer.close();
    has_ended(talk, first).await
}

/// Sends these bytes and closes the agent's stdin. Checks that the agent exits, and that its output
/// does not end with a partial line.
async fn ends_after(run: &mut Run, bytes: &[u8]) -> Probed {
    let talk = run.fresh_with(run.capabilities()).await?;
    talk.is_watched = false;
    let first = talk.now();
    talk.peer.send_bytes(bytes);
    talk.peer.close();
    has_ended(talk, first).await
}

/// Checks that the agent exits after its input has ended, and that its output does not end with a
/// partial line. Turns the observer off if the agent sends a reply after line `first`, because the
/// agent is free to answer a partial line and to choose any stop reason.
async fn has_ended(talk: &mut Conversation, first: usize) -> Probed {
    let expected = "the agent exits when its input ends";
    let has_ended = talk.peer.wait_for_end(talk.patience).await;
    let seen = talk.peer.ended().map_or_else(|| "it does not end".to_owned(), str::to_owned);
    expect(has_ended, expected, seen)?;
    if let Some(rest) = talk.peer.unfinished() {
        return fail("only complete lines", format!("the output ends with {rest:?}"));
    }
    let answers = talk.heard(first).filter(|line| line.is_reply()).count();
    talk.is_watched = answers == 0;
    Ok(())
}

async fn the_length_of_a_buffered_line_is_limited(run: &mut Run) -> Probed {
    let talk = run.fresh_with(run.capabilities()).await?;
    let first = talk.now();
    send_huge_line(talk);
    let answers = |line: &Line| line.is_reply();
    match talk.peer.wait_for(first, talk.patience, answers).await {
        Err(WaitError::Ended(_)) => Ok(()),
        Err(missing) => {
            fail("a line of 33 MiB ends the connection or is answered", missing.to_string())
        }
        Ok(_) if is_refused(talk, first) => Ok(()),
        Ok(_) => not_tested("the agent accepts a line of 33 MiB; its limit, if any, is higher"),
    }
}

/// Sends a call that is too long. Turns the observer off, because lines that are sent as bytes are
/// not recorded and their answers cannot be judged.
fn send_huge_line(talk: &mut Conversation) {
    talk.peer
        .send_bytes(br#"{"jsonrpc":"2.0","id":"huge","method":"attache/huge","params":{"text":""#);
    talk.peer.send_bytes(&vec![b'x'; HUGE]);
    talk.peer.send_bytes(b"\"}}\n");
    talk.is_watched = false;
}

/// Whether the agent answered that it could not read the line. Such an answer has no id.
fn is_refused(talk: &Conversation, first: usize) -> bool {
    talk.heard(first).any(|line| line.is_reply() && line.get("id").is_none_or(Value::is_null))
}
