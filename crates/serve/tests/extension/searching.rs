//! Searches of many clients.

use crate::attached::shared;
use attache_serve::Scope;
use serde_json::json;
use tokio::sync::watch;

#[tokio::test]
async fn two_searches_of_clients_without_control_run_at_a_time() {
    let mut it = shared().await;
    let may_end = watch::Sender::new(0);
    *it.services.searches_may_end.lock().unwrap() = Some(may_end.subscribe());
    let mut begun = it.services.searches.subscribe();
    let (mut one, mut two) = (it.device(Scope::Watch), it.device(Scope::Answer));
    let search = json!({ "words": "x" });
    for _ in 0..2 {
        one.send("_attache/search", search.clone()).await;
    }
    begun.wait_for(|begun| *begun == 2).await.unwrap();
    two.send("_attache/search", search.clone()).await;
    // The calls of a connection begin in order.
    two.refused("_attache/search", json!({ "words": " " })).await;
    assert_eq!(*begun.borrow(), 2);

    // Those who control the hub do not wait for others.
    let mut person = it.local();
    person.send("_attache/search", search.clone()).await;
    begun.wait_for(|begun| *begun == 3).await.unwrap();

    // A search keeps its turn when its connection ends.
    drop(one);
    two.refused("_attache/search", json!({ "words": " " })).await;
    assert_eq!(*begun.borrow(), 3);
    may_end.send_replace(1);
    begun.wait_for(|begun| *begun == 4).await.unwrap();
    drop(may_end);
    let found = two.call("_attache/search", search).await.unwrap();
    assert_eq!(found["places"][0]["sessionId"], "s9");
}
