//! Lines, ids, and text that is not a valid message (RPC-08 to RPC-12, RPC-19 to RPC-22).

use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail};
use crate::peer::line::Line;
use serde_json::Value;

probes! { Run:
    "RPC-11" a_reply_has_the_id_and_type_of_its_request;
    "RPC-19" a_line_that_is_not_json_is_answered_with_a_parse_error;
    "RPC-08" blank_lines_and_carriage_returns_are_skipped;
    "RPC-12" a_fractional_id_does_not_end_the_connection;
    "RPC-20" json_that_is_not_a_message_is_answered_with_an_error;
    "RPC-21" a_batch_is_answered_by_one_error;
    "RPC-22" replies_without_a_request_are_ignored;
}

/// An unknown method.
const UNKNOWN: &str = "attache/ids";

async fn blank_lines_and_carriage_returns_are_skipped(run: &mut Run) -> Probed {
    let talk = run.unwatched().await?;
    let first = talk.now();
    for blank in ["", "\r", "  ", ""] {
        talk.peer.send_line(blank);
    }
    let id = json!("after blank lines");
    let call = json!({"jsonrpc": "2.0", "id": id, "method": UNKNOWN, "params": {}});
    talk.peer.send_line(&format!("{call}\r"));
    talk.hear(first, "an answer to a call that follows blank lines and ends in CRLF", |line| {
        line.replies_to(&id)
    })
    .await?;
    if let Some(line) = talk.heard(first).find(|line| line.is_reply() && !line.replies_to(&id)) {
        return fail("no reply to blank lines", quoted(&line.text));
    }
    talk.watch()
}

async fn a_reply_has_the_id_and_type_of_its_request(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    for id in [json!(770_001), json!("770001"), json!(-5), json!("ünï")] {
        let first = talk.now();
        talk.peer.send(&json!({"jsonrpc": "2.0", "id": id, "method": UNKNOWN, "params": {}}));
        talk.hear(first, &format!("a reply with the id {id}"), |line| line.replies_to(&id)).await?;
    }
    Ok(())
}

/// The agent may echo or refuse the id. The observer is off, because it expects ids to be integers
/// or strings.
async fn a_fractional_id_does_not_end_the_connection(run: &mut Run) -> Probed {
    let talk = run.unwatched().await?;
    let (first, id) = (talk.now(), json!(1.5));
    talk.peer.send(&json!({"jsonrpc": "2.0", "id": id, "method": UNKNOWN, "params": {}}));
    let answers = |line: &Line| {
        line.is_reply()
            && line.get("id").is_none_or(|reported| reported.is_null() || *reported == id)
    };
    talk.hear(first, "a reply with the id 1.5, or an error", answers).await?;
    talk.is_still_there().await
}

async fn a_line_that_is_not_json_is_answered_with_a_parse_error(run: &mut Run) -> Probed {
    let talk = run.talk().await?;
    let first = talk.now();
    talk.peer.send_line("{bad");
    talk.hear_error_without_id(first, -32700).await?;
    talk.is_still_there().await
}

/// The observer is off, because it ignores the id of a JSON-RPC 1.0 call and would not recognize an
/// answer that repeats this id.
async fn json_that_is_not_a_message_is_answered_with_an_error(run: &mut Run) -> Probed {
    let talk = run.unwatched().await?;
    let old = r#"{"jsonrpc":"1.0","id":"old","method":"attache/old"}"#;
    for line in ["42", r#""x""#, "{}", old] {
        let first = talk.now();
        talk.peer.send_line(line);
        let expected = format!("error -32600 for the line {line}");
        // The agent may repeat the id of a JSON-RPC 1.0 call in its error.
        let heard = talk.hear_soon(first, &expected, |heard| heard.get("error").is_some()).await?;
        let id = heard.get("id").unwrap_or(&Value::Null);
        let is_right = id.is_null() || (line == old && id == "old");
        expect(is_right && heard.error_code() == Some(-32600), expected, quoted(&heard.text))?;
    }
    talk.is_still_there().await
}

async fn a_batch_is_answered_by_one_error(run: &mut Run) -> Probed {
    let talk = run.unwatched().await?;
    let entry = json!({"jsonrpc": "2.0", "id": "in a batch", "method": UNKNOWN, "params": {}});
    for batch in [json!([entry]), json!([])] {
        let first = talk.now();
        talk.peer.send(&batch);
        talk.hear_error_without_id(first, -32600).await?;
        talk.is_still_there().await?;
        let to_the_batch = |line: &&Line| line.is_reply() && !line.replies_to_a_call();
        let replies = talk.heard(first).filter(to_the_batch).count();
        expect(replies == 1, "one error for the whole batch", format!("{replies} replies"))?;
    }
    talk.watch()
}

async fn replies_without_a_request_are_ignored(run: &mut Run) -> Probed {
    let talk = run.unwatched().await?;
    let first = talk.now();
    talk.peer.send(&json!({"jsonrpc": "2.0", "id": 990_099, "result": {}}));
    talk.peer.send(&json!({"jsonrpc": "2.0", "id": 990_099}));
    talk.is_ignored(first).await?;
    talk.watch()
}
