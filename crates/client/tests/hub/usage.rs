//! Warnings, budgets and spending.

use crate::started::{idle, started, texts, until};
use attache_client::{Budget, HoldReason};
use attache_protocol::v1::Cost;
use serde_json::{Value, json};

fn usage(used: u64, amount: f64) -> Value {
    json!({ "sessionUpdate": "usage_update", "used": used, "size": 100, "cost": { "amount": amount, "currency": "USD" } })
}

/// USE-07.
#[tokio::test]
async fn each_level_of_the_context_is_reported_once() {
    let mut it = started(json!({})).await;
    for (used, said) in [(10, 0), (75, 1), (80, 1), (91, 2), (96, 3), (20, 3), (76, 4)] {
        it.agent.update("s1", usage(used, 0.0)).await;
        it.agent.heard().await;
        until(&it.session, |session| texts(session).len() == said).await;
    }
    assert!(texts(&it.session)[1].contains("91 %"), "{:?}", texts(&it.session));
}

#[tokio::test]
async fn a_budget_stops_the_turn_and_holds_the_queue_with_a_notice() {
    let mut it = started(json!({})).await;
    it.session.set_budget(Some(Budget::Cost(Cost::new(0.5, "USD"))));
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.session.send("two").unwrap();
    it.agent.update("s1", usage(1, 0.5)).await;
    it.agent.heard().await;
    it.agent.update("s1", usage(1, 0.75)).await;
    it.agent.expect("session/cancel").await;
    it.agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    until(&it.session, |session| session.held() == Some(HoldReason::Budget)).await;
    assert!(
        texts(&it.session)[1].contains("0.75 USD, and its budget is 0.5 USD"),
        "{:?}",
        texts(&it.session)
    );
    it.session.set_budget(None);
    it.session.release();
    assert_eq!(it.agent.prompted().await.1, "two");
}

/// USE-10.
#[tokio::test]
async fn a_token_budget_holds_the_queue_and_spending_is_counted_by_agent_and_day() {
    let mut it = started(json!({})).await;
    it.session.set_budget(Some(Budget::Tokens(100)));
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.update("s1", usage(1, 0.25)).await;
    let tokens = json!({ "totalTokens": 120, "inputTokens": 100, "outputTokens": 20 });
    it.agent.reply(&call, json!({ "stopReason": "end_turn", "usage": tokens })).await;
    until(&it.session, |session| session.held() == Some(HoldReason::Budget)).await;
    until(&it.session, |session| texts(session).len() == 2).await;
    assert!(texts(&it.session)[1].contains("120 tokens"), "{:?}", texts(&it.session));
    let spent = it.hub.spent().await.unwrap();
    let [(agent, _, spent)] = spent.as_slice() else { panic!("{spent:?}") };
    assert_eq!(
        (agent.as_str(), spent.tokens.total, spent.turns, spent.costs[0].amount),
        ("a", 120, 1, 0.25)
    );
    assert!(it.session.remove(it.session.queue()[0].id).is_some());
    idle(&it.session).await;
}
