//! Lists of stored sessions, and operations on these sessions.

use crate::scripted_agent::{ScriptedAgent, connected, opened};
use attache_client::{AgentConnection, OpenError};
use attache_connection::CallError;
use attache_protocol::v1::{AuthState, SessionStatus};
use attache_session::ArchivedFilter;
use serde_json::{Value, json};
use std::future::{Future, IntoFuture};

async fn offering(sessions: Value) -> (AgentConnection, ScriptedAgent) {
    connected(json!({ "loadSession": true, "sessionCapabilities": sessions })).await
}

/// Answers the only call that `asking` makes, which must have this method and these params.
async fn answered<T>(
    agent: &mut ScriptedAgent,
    asking: impl Future<Output = T>,
    (method, params, result): (&str, Value, Value),
) -> T {
    let answering = async {
        let call = agent.expect(method).await;
        assert_eq!(call["params"], params);
        agent.reply(&call, result).await;
    };
    tokio::join!(asking, answering).0
}

fn not_offered<T: std::fmt::Debug>(outcome: Result<T, CallError>) -> &'static str {
    match outcome {
        Err(CallError::NotOffered { capability, .. }) => capability,
        other => panic!("{other:?}"),
    }
}

/// LIST-01, DEL-01, FORK-01, SESS-12, SESS-18, SESS-22, AUTH-10, INIT-16, ARCH-04.
#[tokio::test(start_paused = true)]
async fn methods_that_the_agent_does_not_advertise_are_refused_and_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    for opening in [
        connection.load("old", folder.path()).unarchive(),
        connection.resume("old", folder.path()),
        connection.fork("old", folder.path()),
    ] {
        let error = opening.await.unwrap_err();
        assert!(matches!(error, OpenError::Call(CallError::NotOffered { .. })), "{error}");
        assert!(error.to_string().contains("does not advertise agentCapabilities."), "{error}");
    }
    let sessions = "agentCapabilities.sessionCapabilities";
    assert_eq!(not_offered(connection.list().next_page().await), format!("{sessions}.list"));
    assert_eq!(not_offered(connection.delete("old").await), format!("{sessions}.delete"));
    assert_eq!(not_offered(connection.archive("old").await), format!("{sessions}.archive"));
    assert_eq!(not_offered(connection.unarchive("old").await), format!("{sessions}.archive"));
    assert_eq!(not_offered(connection.status("old").await), format!("{sessions}.status"));
    assert_eq!(not_offered(connection.set_title("old", "x").await), format!("{sessions}.title"));
    assert_eq!(not_offered(session.set_title("x").await), format!("{sessions}.title"));
    assert_eq!(not_offered(session.close().await), format!("{sessions}.close"));
    assert_eq!(not_offered(connection.logout().await), "agentCapabilities.auth.logout");
    assert_eq!(not_offered(connection.auth_status().await), "agentCapabilities.auth.status");
    drop((connection, session));
    assert_eq!(agent.next().await, None, "nothing was sent");

    let (connection, mut agent) = offering(json!({ "list": {} })).await;
    let listing = connection.list().archived(ArchivedFilter::Only).all().await;
    assert_eq!(not_offered(listing), format!("{sessions}.archive"));
    drop(connection);
    assert_eq!(agent.next().await, None, "the filter is not sent to an agent without archives");

    let (connection, mut agent) = offering(json!({ "archive": {} })).await;
    assert!(connection.resume("old", folder.path()).unarchive().await.is_err());
    drop(connection);
    assert_eq!(agent.next().await, None, "a session that cannot be resumed is not unarchived");
}

/// LIST-05, LIST-06, LIST-07, LIST-13.
#[tokio::test]
async fn a_list_is_read_page_by_page_until_there_is_no_readable_cursor() {
    let (connection, mut agent) = offering(json!({ "list": {} })).await;
    let item = |id: &str| json!({ "sessionId": id, "cwd": "/a" });
    for last in [
        json!({ "sessions": [] }),
        json!({ "sessions": [], "nextCursor": null }),
        json!({ "sessions": [], "nextCursor": 7 }),
    ] {
        let mut listing = connection.list().cwd("/a");
        let cursor = " %41\u{0}\"wéird\n";
        let first = json!({ "sessions": [item("1"), { "sessionId": 2 }, null, item("3")], "nextCursor": cursor });
        let script = ("session/list", json!({ "cwd": "/a" }), first);
        let page = answered(&mut agent, listing.next_page(), script).await.unwrap().unwrap();
        let ids: Vec<&str> = page.iter().map(|info| info.session_id.as_str()).collect();
        assert_eq!(ids, ["1", "3"]);
        let script = ("session/list", json!({ "cwd": "/a", "cursor": cursor }), last);
        assert_eq!(
            answered(&mut agent, listing.next_page(), script).await.unwrap(),
            Some(Vec::new())
        );
        assert_eq!(listing.next_page().await.unwrap(), None);
    }
    drop(connection);
    assert_eq!(agent.next().await, None, "no page is requested after the last one");
}

/// LIST-06, LIST-08.
#[tokio::test]
async fn a_repeated_cursor_ends_the_list_and_a_refused_page_can_be_requested_again() {
    let (connection, mut agent) = offering(json!({ "list": {} })).await;
    let mut listing = connection.list();
    let page = json!({ "sessions": [], "nextCursor": "c" });
    answered(&mut agent, listing.next_page(), ("session/list", json!({}), page.clone()))
        .await
        .unwrap();
    let refusing = async {
        let call = agent.expect("session/list").await;
        agent.refuse(&call, -32603, "busy").await;
    };
    let (refused, ()) = tokio::join!(listing.next_page(), refusing);
    assert!(refused.is_err());
    let again = ("session/list", json!({ "cursor": "c" }), page);
    answered(&mut agent, listing.next_page(), again).await.unwrap();
    assert_eq!(
        listing.next_page().await.unwrap(),
        None,
        "the same cursor once more would never end"
    );
}

/// INFO-05, LIST-11.
#[tokio::test]
async fn pushed_info_is_shown_at_once_and_replaced_by_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = offering(json!({ "list": {} })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let (title, at, meta) =
        ("Tidy up", "2026-07-01T12:00:00Z", json!({ "attache/labels": { "tags": ["a"] } }));
    let pushed = json!({ "sessionUpdate": "session_info_update", "title": title, "updatedAt": at, "_meta": meta });
    agent.update("s1", pushed).await;
    agent.heard().await;
    let item =
        json!({ "sessionId": "s1", "cwd": "/a", "title": title, "updatedAt": at, "_meta": meta });
    let script = ("session/list", json!({}), json!({ "sessions": [item] }));
    let listed = answered(&mut agent, connection.list().all(), script).await.unwrap();
    let snapshot = session.snapshot();
    let info = snapshot.info();
    assert_eq!((info.title(), info.updated_at()), (Some(title), Some(at)));
    assert_eq!(
        (listed[0].title.as_deref(), listed[0].updated_at.as_deref(), listed[0].meta.as_ref()),
        (info.title(), info.updated_at(), info.meta())
    );
}

/// DEL-01, DEL-03.
#[tokio::test]
async fn a_session_is_deleted_by_its_id() {
    let (connection, mut agent) = offering(json!({ "delete": {} })).await;
    for result in [json!({}), json!(null)] {
        let script = ("session/delete", json!({ "sessionId": "old" }), result);
        answered(&mut agent, connection.delete("old"), script).await.unwrap();
    }
}

/// ARCH-02, ARCH-04, ARCH-05, ARCH-06.
#[tokio::test]
async fn archived_sessions_are_listed_with_one_filter_on_every_page_and_taken_out_unopened() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        offering(json!({ "list": {}, "archive": {}, "resume": {} })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let id = json!({ "sessionId": "s1" });
    answered(&mut agent, connection.archive("s1"), ("session/archive", id.clone(), json!({})))
        .await
        .unwrap();
    assert!(session.snapshot().is_archived());
    agent.call(1, "fs/read_text_file", json!({ "sessionId": "s1", "path": "/x" })).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32002, "archiving closed it");

    let mut listing = connection.list().archived(ArchivedFilter::Only);
    let item = json!({ "sessionId": "s1", "cwd": "/a", "archived": true });
    let first = json!({ "sessions": [item], "nextCursor": "c" });
    let script = ("session/list", json!({ "archived": "only" }), first);
    let page = answered(&mut agent, listing.next_page(), script).await.unwrap().unwrap();
    assert_eq!(page[0].archived, Some(true));
    let script =
        ("session/list", json!({ "archived": "only", "cursor": "c" }), json!({ "sessions": [] }));
    answered(&mut agent, listing.next_page(), script).await.unwrap();

    answered(&mut agent, connection.unarchive("s1"), ("session/unarchive", id, json!(null)))
        .await
        .unwrap();
    agent.heard().await; // nothing else was sent
    drop(session);

    for (method, opening) in [
        ("session/load", connection.load("s1", folder.path()).unarchive()),
        ("session/resume", connection.resume("s1", folder.path()).unarchive()),
    ] {
        let answering = async {
            let call = agent.expect("session/unarchive").await;
            agent.reply(&call, json!({})).await;
            let call = agent.expect(method).await;
            agent.reply(&call, json!({})).await;
        };
        let (opened, ()) = tokio::join!(opening.into_future(), answering);
        opened.unwrap();
    }
}

/// STAT-03.
#[tokio::test]
async fn an_unknown_status_means_saved_and_an_open_session_is_still_resumed_before_a_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = offering(json!({ "status": {}, "resume": {} })).await;
    let id = json!({ "sessionId": "s7" });
    for (told, meant) in [("saved", "saved"), ("hibernating", "saved"), ("open", "open")] {
        let script = ("session/status", id.clone(), json!({ "status": told }));
        let status: SessionStatus =
            answered(&mut agent, connection.status("s7"), script).await.unwrap();
        assert_eq!(status.as_str(), meant);
    }
    agent.call(1, "fs/read_text_file", json!({ "sessionId": "s7", "path": "/x" })).await;
    assert_eq!(
        agent.answer_to(1).await["error"]["code"],
        -32002,
        "a status query does not open the session"
    );
    let resuming = async {
        let call = agent.expect("session/resume").await;
        agent.reply(&call, json!({})).await;
        agent.expect("session/prompt").await
    };
    let prompting = async {
        let session = connection.resume("s7", folder.path()).await.unwrap();
        session.prompt("go").await.unwrap()
    };
    let (_turn, call) = tokio::join!(prompting, resuming);
    assert_eq!(call["params"]["sessionId"], "s7");
}

/// TITLE-01, TITLE-03.
#[tokio::test]
async fn the_title_that_the_agent_stored_is_shown_instead_of_the_requested_one() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = offering(json!({ "title": {} })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    let asked = json!({ "sessionId": "s1", "title": "  tidy\nUP " });
    let script = ("session/set_title", asked, json!({ "title": "Tidy up" }));
    assert_eq!(
        answered(&mut agent, session.set_title("  tidy\nUP "), script).await.unwrap(),
        "Tidy up"
    );
    assert_eq!(session.snapshot().info().title(), Some("Tidy up"));
    let refusing = async {
        let call = agent.expect("session/set_title").await;
        agent.refuse(&call, -32602, "no title").await;
    };
    let (refused, ()) = tokio::join!(session.set_title("  "), refusing);
    assert!(matches!(refused, Err(CallError::ErrorResponse(_))), "TITLE-02");
    assert_eq!(session.snapshot().info().title(), Some("Tidy up"));
    // The agent decides whether a later title may replace a person's. The client shows what the
    // agent sends.
    agent.update("s1", json!({ "sessionUpdate": "session_info_update", "title": "Other" })).await;
    agent.heard().await;
    assert_eq!(session.snapshot().info().title(), Some("Other"));
    let script =
        ("session/set_title", json!({ "sessionId": "s9", "title": "x" }), json!({ "title": "X" }));
    assert_eq!(answered(&mut agent, connection.set_title("s9", "x"), script).await.unwrap(), "X");
}

/// FORK-01, FORK-02, FORK-04, SESS-26.
#[tokio::test]
async fn a_fork_is_another_session_that_takes_prompts_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) =
        offering(json!({ "fork": {}, "additionalDirectories": {} })).await;
    let original = opened(&connection, &mut agent, folder.path()).await;
    agent.say("past").await;
    let working = async {
        let call = agent.expect("session/fork").await;
        let expected = json!({ "sessionId": "s1", "cwd": folder.path() });
        assert_eq!(call["params"], expected, "no folder is inherited");
        agent
            .update("s2", json!({ "sessionUpdate": "session_info_update", "title": "Copy" }))
            .await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent.expect("session/prompt").await
    };
    let forking = async {
        let fork = connection.fork("s1", folder.path()).await.unwrap();
        let turn = fork.prompt("go").await.unwrap();
        (fork, turn)
    };
    let ((fork, _turn), call) = tokio::join!(forking, working);
    assert_eq!((fork.id().as_str(), &call["params"]["sessionId"]), ("s2", &json!("s2")));
    assert_eq!(fork.snapshot().info().title(), Some("Copy"));
    assert_eq!(original.snapshot().entries()[0].text(), "past");
    assert_eq!(original.snapshot().entries().len(), 1);
}

/// SESS-22, SESS-24.
#[tokio::test]
async fn a_session_that_the_agent_no_longer_knows_counts_as_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = offering(json!({ "close": {} })).await;
    let session = opened(&connection, &mut agent, folder.path()).await;
    for (code, is_closed) in [(-32603, false), (-32002, true)] {
        let refusing = async {
            let call = agent.expect("session/close").await;
            agent.refuse(&call, code, "no").await;
        };
        let (closed, ()) = tokio::join!(session.close(), refusing);
        assert_eq!(closed.is_ok(), is_closed);
        agent
            .update(
                "s1",
                json!({ "sessionUpdate": "session_info_update", "title": code.to_string() }),
            )
            .await;
        agent.heard().await;
    }
    assert_eq!(
        session.snapshot().info().title(),
        Some("-32603"),
        "SESS-25: later updates are ignored"
    );
}

/// AUTH-10, AUTHS-02.
#[tokio::test]
async fn login_status_and_logout_are_used_if_offered() {
    let (connection, mut agent) =
        connected(json!({ "auth": { "status": {}, "logout": {} } })).await;
    let accounts = json!([{ "label": "ada@example.org" }]);
    for (told, meant) in [
        ("authenticated", AuthState::Authenticated),
        ("unknown", AuthState::Undetermined),
        ("half_way", AuthState::Undetermined),
    ] {
        let script = ("auth/status", json!({}), json!({ "state": told, "accounts": accounts }));
        let status = answered(&mut agent, connection.auth_status(), script).await.unwrap();
        assert_eq!((status.state, status.accounts.len()), (meant, 1));
    }
    answered(&mut agent, connection.logout(), ("logout", json!({}), json!(null))).await.unwrap();
}
