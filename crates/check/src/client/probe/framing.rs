//! Lines, stderr, and agents that exit (RPC-02 to RPC-10, RPC-33).

use crate::client::client_talk::{ClientTalk, how_it_left};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use crate::peer::raw_peer::WaitError;
use attache_protocol::method::SessionPrompt;
use serde_json::Value;

probes! { ClientRun:
    "RPC-02" a_line_feed_in_a_text_is_escaped;
    "RPC-05" a_mebibyte_on_stderr_does_not_block_the_turn;
    "RPC-08" blank_lines_and_carriage_returns_are_skipped;
    "RPC-09" the_agents_end_ends_the_turn;
    "RPC-09" the_agents_end_inside_a_line_ends_the_turn;
    "RPC-10" the_length_of_a_buffered_line_is_limited;
    "RPC-33" an_error_of_an_unknown_code_is_shown;
}

/// The length of a huge line in bytes: a little more than the 32 MiB that the official TypeScript
/// library accepts.
const HUGE: usize = 33 * 1024 * 1024;

async fn a_line_feed_in_a_text_is_escaped(run: &mut ClientRun) -> Probed {
    let nonce = run.nonce();
    let task = run.task("prompt").with("prompt", format!("attache check\n{nonce}"));
    let talk = run.start(task).await?;
    let broken = |line: &Line| line.value.is_none() && line.text.contains(&nonce);
    match talk.awaits(|line| line.asks::<SessionPrompt>() || broken(line)).await {
        Ok(line) if broken(&line) => {
            fail("one message per line, with escaped line feeds", line.text)
        }
        Ok(line) if line.text.contains(&nonce) => Ok(()),
        Ok(_) => not_tested("the client does not send the second line of its prompt"),
        Err(seen) => fail("the client sends a prompt of two lines", seen),
    }
}

async fn a_mebibyte_on_stderr_does_not_block_the_turn(run: &mut ClientRun) -> Probed {
    let task = run.task("prompt").with("stderr", "1048576");
    let talk = run.start(task).await?;
    let turn = talk.set_up().await?;
    talk.ends_well(&turn).await
}

async fn blank_lines_and_carriage_returns_are_skipped(run: &mut ClientRun) -> Probed {
    let wire = &mut run.turn(&["prompt"]).await?.0.wire;
    wire.is_watched = false;
    let (first, id) = (wire.now(), json!("after blank lines"));
    for blank in ["", "\r", "  ", ""] {
        wire.peer.send_line(blank);
    }
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "attache/blank", "params": {}});
    wire.peer.send_line(&format!("{call}\r"));
    let expected = "an answer to a call that follows blank lines and ends in CRLF";
    wire.hear(first, expected, |line| line.replies_to(&id)).await?;
    if let Some(line) = wire.heard(first).find(|line| line.is_reply() && !line.replies_to(&id)) {
        return fail("no reply to blank lines", line.text.clone());
    }
    wire.watch()
}

async fn the_agents_end_ends_the_turn(run: &mut ClientRun) -> Probed {
    ends_after(run, b"").await
}

async fn the_agents_end_inside_a_line_ends_the_turn(run: &mut ClientRun) -> Probed {
    ends_after(run, br#"{"jsonrpc":"2.0","method":"session/upd"#).await
}

/// Ends the agent during a turn, after sending these bytes.
async fn ends_after(run: &mut ClientRun, bytes: &[u8]) -> Probed {
    let (talk, _) = run.turn(&["prompt"]).await?;
    talk.wire.peer.send_bytes(bytes);
    ends_with_its_agent(talk).await
}

/// Ends the agent, and checks that the client then exits or prints something.
pub(super) async fn ends_with_its_agent(talk: &mut ClientTalk) -> Probed {
    if !talk.client.is_seen() {
        return not_tested("the judge cannot see the output of a client that a person runs");
    }
    let before = talk.client.printed();
    talk.wire.peer.close();
    let patience = talk.wire.patience;
    let _closed = talk.wire.peer.wait_for_end(patience).await;
    let left = talk.client.ended(patience).await;
    let says = (&left.stdout, &left.stderr) != (&before.stdout, &before.stderr);
    let expected = "the client ends its turn, and then exits or reports the end of its agent";
    expect(left.by_itself || says, expected, how_it_left(&left))
}

/// The observer is off: lines that are sent as bytes are not recorded, so the observer would not
/// know which call the answer belongs to.
async fn the_length_of_a_buffered_line_is_limited(run: &mut ClientRun) -> Probed {
    let wire = &mut run.turn(&["prompt"]).await?.0.wire;
    wire.is_watched = false;
    let first = wire.now();
    wire.peer
        .send_bytes(br#"{"jsonrpc":"2.0","id":"huge","method":"attache/huge","params":{"text":""#);
    wire.peer.send_bytes(&vec![b'x'; HUGE]);
    wire.peer.send_bytes(b"\"}}\n");
    let answers = |line: &Line| line.is_reply();
    match wire.peer.wait_for(first, wire.patience, answers).await {
        Err(WaitError::Ended(_)) => Ok(()),
        Err(missing) => {
            fail("a line of 33 MiB ends the connection or is answered", missing.to_string())
        }
        Ok(line) if line.get("id").is_none_or(Value::is_null) => Ok(()),
        Ok(_) => not_tested("the client accepts a line of 33 MiB; its limit, if any, is higher"),
    }
}

/// Checks that the client prints the message of an error with an unknown code.
async fn an_error_of_an_unknown_code_is_shown(run: &mut ClientRun) -> Probed {
    let nonce = run.nonce();
    if !prints_error(run, -32603, &nonce).await? {
        return not_tested("the client does not print the message of an error");
    }
    let nonce = run.nonce();
    let is_shown = prints_error(run, 7, &nonce).await?;
    expect(is_shown, "the message of an error with code 7 is shown", "it is not shown")
}

/// Whether the client prints the message of an error reply to its prompt.
async fn prints_error(run: &mut ClientRun, code: i64, message: &str) -> Probed<bool> {
    let (talk, turn) = run.open_prompt(&["prompt"]).await?;
    talk.wire.refuse(&turn.id, code, message);
    Ok(prints(talk, message).await)
}

/// Whether the client prints this text, at the latest when it exits.
async fn prints(talk: &mut ClientTalk, text: &str) -> bool {
    talk.shows(text).await || talk.ended().await.shows(text)
}
