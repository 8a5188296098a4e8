use super::{Client, acts};
use attache_protocol::v1::Usage;
use serde_json::json;

/// USE-10, USE-11.
#[tokio::test(start_paused = true)]
async fn the_reply_sums_the_tokens_and_the_total_is_the_sum_of_its_parts() {
    let author = || {
        acts(|turn| async move {
            let mut first = Usage::new(999_u64, 100_u64, 20_u64);
            (first.cached_read_tokens, first.thought_tokens) = (Some(30), Some(5));
            turn.add_usage(first);
            let mut second = Usage::new(0_u64, 10_u64, 2_u64);
            second.cached_write_tokens = Some(7);
            turn.add_usage(second);
            let child = turn.subagent("Child", "").await?;
            child.turn().add_usage(Usage::new(0_u64, 1000_u64, 0_u64));
            child.stop(attache_agent::StopReason::EndTurn).await
        })
    };
    for capabilities in [json!({}), json!({"subagents": {}})] {
        let mut client = Client::with(author(), capabilities).await;
        let session = client.session().await;
        let (reply, _) = client.turn(&session, "x").await;
        let expected = json!({"totalTokens": 1169, "inputTokens": 1110, "outputTokens": 22,
            "thoughtTokens": 5, "cachedReadTokens": 30, "cachedWriteTokens": 7});
        assert_eq!(reply["result"]["usage"], expected);
    }
}
