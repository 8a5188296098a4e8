use super::{Client, acts};
use attache_agent::Author;
use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
use attache_session::PlanContent;
use serde_json::{Value, json};

fn entries(names: &[&str]) -> Vec<PlanEntry> {
    let entry =
        |name: &&str| PlanEntry::new(*name, PlanEntryPriority::High, PlanEntryStatus::Pending);
    names.iter().map(entry).collect()
}

fn planner() -> impl Author {
    acts(|turn| async move {
        turn.plan(entries(&["one", "two"])).await?;
        turn.plan(entries(&["two"])).await?;
        turn.plan_named("a", PlanContent::Items(entries(&["a1"]))).await?;
        turn.plan_named("b", PlanContent::Markdown("# B".into())).await?;
        turn.plan_named("c", PlanContent::File("file:///c.md".into())).await?;
        turn.plan_named("a", PlanContent::Items(entries(&["a1", "a2"]))).await?;
        turn.plan_removed("a").await?;
        turn.plan_removed("b").await?;
        Ok(())
    })
}

async fn updates(capabilities: Value) -> Vec<Value> {
    let mut client = Client::with(planner(), capabilities).await;
    let session = client.session().await;
    client.turn(&session, "plan").await.1
}

/// PLAN-01, PLAN-02, PLAN-04.
#[tokio::test(start_paused = true)]
async fn each_plan_is_the_whole_plan() {
    let updates = updates(json!({"plan": {}})).await;
    let contents = |update: &Value| -> Vec<String> {
        let entries = update["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["content"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (contents(&updates[0]), contents(&updates[1])),
        (vec!["one".into(), "two".into()], vec!["two".into()])
    );
}

/// PLANU-01, PLANU-02.
#[tokio::test(start_paused = true)]
async fn plans_are_identified_by_their_ids() {
    let updates = updates(json!({"plan": {}})).await;
    let said: Vec<(&str, &Value)> = updates[2..]
        .iter()
        .map(|update| match update["sessionUpdate"].as_str().unwrap() {
            "plan_removed" => ("removed", &update["planId"]),
            "plan_update" => (update["plan"]["type"].as_str().unwrap(), &update["plan"]["planId"]),
            other => panic!("{other}"),
        })
        .collect();
    let id = |id: &str| json!(id);
    assert_eq!(
        said,
        [
            ("items", &id("a")),
            ("markdown", &id("b")),
            ("file", &id("c")),
            ("items", &id("a")),
            ("removed", &id("a")),
            ("removed", &id("b"))
        ]
    );
}

/// PLANU-01.
#[tokio::test(start_paused = true)]
async fn a_client_with_one_plan_sees_the_remaining_plan_that_changed_last() {
    let updates = updates(json!({})).await;
    assert!(updates.iter().all(|update| update["sessionUpdate"] == "plan"));
    let contents = updates.iter().map(|update| {
        let entries = update["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["content"].as_str().unwrap()).collect::<Vec<_>>().join(",")
    });
    let expected =
        ["one,two", "two", "a1", "# B", "file:///c.md", "a1,a2", "file:///c.md", "file:///c.md"];
    assert_eq!(contents.collect::<Vec<_>>(), expected);
}
