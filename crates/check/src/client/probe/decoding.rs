//! Unknown or malformed updates (DEC, INFO, USE): the turn continues, and readable parts are used.

use super::prompt::survives_updates;
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use serde_json::Value;

probes! { ClientRun:
    "DEC-01" malformed_optional_members_of_a_message_are_absent;
    "DEC-03" required_lists_may_be_null;
    "DEC-11" a_malformed_title_does_not_end_the_turn;
    "DEC-12" malformed_numbers_do_not_end_the_turn;
    "DEC-13" unknown_members_of_updates_are_ignored;
    "DEC-18" an_unknown_update_is_ignored;
    "DEC-02" a_malformed_command_is_skipped;
    "INFO-10" a_title_is_read_beside_a_malformed_date;
    "INFO-12" session_info_updates_do_not_end_the_turn;
    "USE-07" a_context_window_of_size_0_does_not_end_the_turn;
    "USE-08" a_malformed_cost_does_not_end_the_turn;
}

/// Returns an update of this kind with these members.
fn update(kind: &str, members: Value) -> Value {
    let mut update = json!({"sessionUpdate": kind});
    if let (Value::Object(update), Value::Object(members)) = (&mut update, members) {
        update.extend(members);
    }
    update
}

async fn malformed_optional_members_of_a_message_are_absent(run: &mut ClientRun) -> Probed {
    let nonce = run.nonce();
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let content = json!({"type": "text", "text": format!("{nonce}\n\n"), "annotations": "x"});
    let odd =
        update("agent_message_chunk", json!({"content": content, "messageId": {"no": "text"}}));
    match talk.prints_of(&turn, odd, &nonce).await? {
        true => Ok(()),
        false => fail(
            "a message whose messageId and annotations are malformed is shown",
            "it is not shown",
        ),
    }
}

async fn required_lists_may_be_null(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![
            update("plan", json!({"entries": null})),
            update("plan", json!({"entries": "x"})),
            update("plan", json!({})),
            update("available_commands_update", json!({"availableCommands": null})),
            update("config_option_update", json!({"configOptions": null})),
        ]
    })
    .await
}

async fn a_malformed_title_does_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![update("session_info_update", json!({"title": 7, "updatedAt": []}))]
    })
    .await
}

pub(super) async fn malformed_numbers_do_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        let wrong = [json!(1.5), json!(-1), json!("5"), Value::Null];
        wrong
            .into_iter()
            .map(|used| update("usage_update", json!({"used": used, "size": 100})))
            .collect()
    })
    .await
}

pub(super) async fn unknown_members_of_updates_are_ignored(run: &mut ClientRun) -> Probed {
    let nonce = run.nonce();
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let content = json!({"type": "text", "text": format!("{nonce}\n\n"), "attacheFuture": [1]});
    let odd =
        update("agent_message_chunk", json!({"content": content, "attacheFuture": {"x": null}}));
    match talk.prints_of(&turn, odd, &nonce).await? {
        true => Ok(()),
        false => fail("a message with unknown members is shown", "it is not shown"),
    }
}

pub(super) async fn an_unknown_update_is_ignored(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![
            update("check_zzz", json!({"content": {"type": "text", "text": "zzz"}})),
            update("", json!({})),
            json!({}),
            json!(5),
        ]
    })
    .await
}

/// Checks that the client shows a valid command that is listed with malformed ones. The rule is not
/// tested if the client shows no commands.
async fn a_malformed_command_is_skipped(run: &mut ClientRun) -> Probed {
    let (known, beside) = (run.nonce(), run.nonce());
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let commands = |name: &str| json!({"name": name, "description": name});
    let whole =
        update("available_commands_update", json!({"availableCommands": [commands(&known)]}));
    if !talk.prints_of(&turn, whole, &known).await? {
        return not_tested("the client does not print the commands of the agent");
    }
    let odd = update(
        "available_commands_update",
        json!({"availableCommands": [5, {"name": 7}, commands(&beside)]}),
    );
    match talk.prints_of(&turn, odd, &beside).await? {
        true => Ok(()),
        false => {
            fail("a valid command that is listed with malformed ones is shown", "it is not shown")
        }
    }
}

async fn a_title_is_read_beside_a_malformed_date(run: &mut ClientRun) -> Probed {
    let (known, beside) = (run.nonce(), run.nonce());
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let whole =
        update("session_info_update", json!({"title": known, "updatedAt": "2026-11-01T10:00:00Z"}));
    if !talk.prints_of(&turn, whole, &known).await? {
        return not_tested("the client does not print the title of the session");
    }
    let odd = update("session_info_update", json!({"title": beside, "updatedAt": 7}));
    match talk.prints_of(&turn, odd, &beside).await? {
        true => Ok(()),
        false => {
            fail("the title in an update with a malformed updatedAt is shown", "it is not shown")
        }
    }
}

pub(super) async fn session_info_updates_do_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![
            update(
                "session_info_update",
                json!({"title": "A title", "updatedAt": "2026-11-01T10:00:00Z"}),
            ),
            update("session_info_update", json!({"title": null, "_meta": null})),
            update("session_info_update", json!({"title": "x".repeat(10_000)})),
        ]
    })
    .await
}

pub(super) async fn a_context_window_of_size_0_does_not_end_the_turn(
    run: &mut ClientRun,
) -> Probed {
    survives_updates(run, |_| {
        vec![
            update("usage_update", json!({"used": 0, "size": 0})),
            update("usage_update", json!({"used": 500, "size": 0})),
            update("usage_update", json!({"used": 500, "size": 100})),
            update("usage_update", json!({"used": 4_000_000_000_u64, "size": 1})),
        ]
    })
    .await
}

async fn a_malformed_cost_does_not_end_the_turn(run: &mut ClientRun) -> Probed {
    survives_updates(run, |_| {
        vec![
            update("usage_update", json!({"used": 10, "size": 100, "cost": {"amount": "much"}})),
            update("usage_update", json!({"used": 20, "size": 100, "cost": 5})),
        ]
    })
    .await
}
