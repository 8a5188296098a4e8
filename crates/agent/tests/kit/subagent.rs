use super::client::cancel;
use super::{Client, Notes, acts};
use attache_agent::{Author, Error, StopReason, ToolKind};
use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
use serde_json::{Value, json};

fn parent(notes: &Notes) -> impl Author {
    let notes = notes.clone();
    acts(move |turn| {
        let notes = notes.clone();
        async move {
            turn.say("before").await?;
            let child = turn.subagent("Searcher", "looks for it").await?;
            let own = child.turn();
            match turn.text() {
                "drop" => drop(child),
                "fail" => child.fail("no luck").await?,
                "wait" => {
                    let _call = own.tool_call("Endless", ToolKind::Search).start().await?;
                    own.cancelled().await;
                }
                "leave" => {
                    std::mem::forget(own.tool_call("Open", ToolKind::Search).start().await?);
                    notes.add(own.session_id().to_string());
                    std::mem::forget(child);
                }
                _ => {
                    own.think("hm").await?;
                    own.say("found").await?;
                    own.plan(vec![PlanEntry::new(
                        "x",
                        PlanEntryPriority::Low,
                        PlanEntryStatus::Pending,
                    )])
                    .await?;
                    own.title("A child's").await?;
                    let call = own.tool_call("Grep", ToolKind::Search).start().await?;
                    notes.add(format!("{}", own.allowed(&call).await?));
                    call.complete().await?;
                    let grandchild = own.subagent("Deeper", "").await?;
                    grandchild.turn().say("deep").await?;
                    grandchild.stop(StopReason::Refusal).await?;
                    let late = own.clone();
                    child.stop(StopReason::EndTurn).await?;
                    notes.add(format!("{:?}", late.say("late").await));
                }
            }
            Ok(())
        }
    })
}

struct Line {
    session: String,
    update: Value,
}

/// Plays one turn and answers its permission requests. Returns all lines.
async fn played(capabilities: Value, text: &str) -> (String, Vec<Line>, Notes) {
    let notes = Notes::default();
    let mut client = Client::with(parent(&notes), capabilities).await;
    let session = client.session().await;
    let turn = client.prompt(&session, text).await;
    if text == "all" {
        let asked = client.arrives("session/request_permission").await;
        let outcome = json!({"outcome": "selected", "optionId": "allow"});
        client.answer(&asked, json!({"outcome": outcome})).await;
        client.seen.push(asked);
    }
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    let of = |key: &str, message: &Value| message["params"][key].as_str().unwrap().to_owned();
    let lines = std::mem::take(&mut client.seen).into_iter().map(|message| Line {
        session: of("sessionId", &message),
        update: match message["method"] == "session/update" {
            true => message["params"]["update"].clone(),
            false => {
                json!({"sessionUpdate": "permission", "toolCall": message["params"]["toolCall"]})
            }
        },
    });
    (session, lines.collect(), notes)
}

fn kinds(lines: &[&Line]) -> Vec<String> {
    lines.iter().map(|line| line.update["sessionUpdate"].as_str().unwrap().to_owned()).collect()
}

/// SUB-01, SUB-04.
#[tokio::test(start_paused = true)]
async fn a_child_is_announced_sends_updates_in_its_own_session_and_stops() {
    let (session, lines, notes) = played(json!({"subagents": {}}), "all").await;
    let parents: Vec<&Line> = lines.iter().filter(|line| line.session == session).collect();
    assert_eq!(kinds(&parents), ["agent_message_chunk", "subagent_update", "subagent_update"]);
    let child = parents[1].update["sessionId"].as_str().unwrap();
    let announced = json!({"sessionUpdate": "subagent_update", "sessionId": child, "title": "Searcher",
        "description": "looks for it", "state": {"state": "running"}});
    assert_eq!(parents[1].update, announced, "SUB-02: the client cannot control it");
    assert_eq!(parents[2].update["state"], json!({"state": "idle", "stopReason": "end_turn"}));
    let childs: Vec<&Line> = lines.iter().filter(|line| line.session == child).collect();
    assert_eq!(
        kinds(&childs),
        [
            "agent_thought_chunk",
            "agent_message_chunk",
            "plan",
            "session_info_update",
            "tool_call",
            "tool_call_update",
            "permission",
            "tool_call_update",
            "subagent_update",
            "subagent_update"
        ]
    );
    let grandchild = childs[8].update["sessionId"].as_str().unwrap();
    assert_eq!(childs[9].update["state"]["stopReason"], "refusal");
    let place = |session: &str| lines.iter().position(|line| line.session == session).unwrap();
    let announcement =
        |id: &str| lines.iter().position(|line| line.update["sessionId"] == id).unwrap();
    for id in [child, grandchild] {
        assert!(announcement(id) < place(id), "announced first");
    }
    assert_eq!(notes.all(), ["true", "Err(Over)"]);
}

/// SUB-01.
#[tokio::test(start_paused = true)]
async fn a_tool_call_represents_the_child_without_the_capability() {
    let (session, lines, notes) = played(json!({}), "all").await;
    assert!(lines.iter().all(|line| line.session == session));
    let calls: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line.update["sessionUpdate"] == "tool_call")
        .map(|line| {
            (
                line.update["title"].as_str().unwrap(),
                line.update["kind"].as_str().unwrap_or("other"),
            )
        })
        .collect();
    assert_eq!(calls, [("Searcher", "think"), ("Grep", "search"), ("Deeper", "think")]);
    let calls = lines.iter().filter(|line| line.update["sessionUpdate"] == "tool_call");
    let parents: Vec<&Value> =
        calls.clone().map(|line| &line.update["_meta"]["attache/parentToolCallId"]).collect();
    let ids: Vec<&Value> = calls.map(|line| &line.update["toolCallId"]).collect();
    assert_eq!(
        parents,
        [&Value::Null, ids[0], ids[0]],
        "each names the call that represents its subagent"
    );
    let texts: Vec<&Value> = lines
        .iter()
        .filter(|line| line.update["sessionUpdate"] == "agent_message_chunk")
        .map(|line| &line.update["content"]["text"])
        .collect();
    assert_eq!(texts, ["before"], "its text is not shown");
    let all: Vec<&Line> = lines.iter().collect();
    for kind in ["plan", "session_info_update", "agent_thought_chunk", "subagent_update"] {
        assert!(!kinds(&all).contains(&kind.to_owned()), "{kind}");
    }
    assert!(kinds(&all).contains(&"permission".to_owned()));
    let completed = lines.iter().filter(|line| line.update["status"] == "completed").count();
    assert_eq!(completed, 3);
    assert_eq!(notes.all()[0], "true");
}

/// SUB-03, TOOL-09.
#[tokio::test(start_paused = true)]
async fn an_unfinished_child_fails_before_its_turn_ends() {
    for text in ["drop", "fail", "leave"] {
        let (session, lines, notes) = played(json!({"subagents": {}}), text).await;
        let last = lines.last().unwrap();
        assert_eq!(last.session, session);
        assert_eq!(last.update["state"]["stopReason"], "error", "{text}");
        if text == "leave" {
            let child = notes.all()[0].clone();
            let settled = lines.iter().rfind(|line| line.session == child).unwrap();
            assert_eq!(settled.update["status"], "failed", "its tool calls are settled first");
        }
        let (_, lines, _) = played(json!({}), text).await;
        let failed = lines.iter().filter(|line| line.update["status"] == "failed").count();
        assert_eq!(failed, 1 + usize::from(text == "leave"), "{text}");
    }
}

/// CANCEL-02, CANCEL-04.
#[tokio::test(start_paused = true)]
async fn a_child_is_cancelled_with_its_turn() {
    let mut client = Client::with(parent(&Notes::default()), json!({"subagents": {}})).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "wait").await;
    for _ in 0..4 {
        client.arrives("session/update").await;
    }
    client.send(&[cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    let updates = client.updates();
    assert_eq!(
        updates.last().unwrap()["state"],
        json!({"state": "idle", "stopReason": "cancelled"})
    );
    assert_eq!(updates[updates.len() - 2]["status"], "failed");
}

/// PROMPT-08.
#[tokio::test(start_paused = true)]
async fn a_child_sends_nothing_after_the_reply_of_its_turn() {
    let kept = std::sync::Arc::new(std::sync::Mutex::new(None));
    let keeper = kept.clone();
    let author = acts(move |turn| {
        let kept = keeper.clone();
        async move {
            *kept.lock().unwrap() = Some(turn.subagent("Child", "").await?);
            Ok(())
        }
    });
    let mut client = Client::with(author, json!({"subagents": {}})).await;
    let session = client.session().await;
    client.turn(&session, "x").await;
    let child = kept.lock().unwrap().take().unwrap();
    assert!(matches!(child.turn().say("late").await, Err(Error::Over)));
    assert!(matches!(child.stop(StopReason::EndTurn).await, Err(Error::Over)));
    client.settle().await;
    assert!(client.seen.is_empty());
}
