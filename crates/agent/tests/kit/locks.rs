//! No code of an author runs on the reading task or waits for a lock that its own thread holds.

use super::Client;
use super::client::{new, prompt};
use super::tester::options;
use attache_agent::{
    About, Author, Environment, Opening, Result, StopReason, SystemEnvironment, ToolCallHandle,
    ToolKind, Turn,
};
use attache_protocol::v1::{SessionConfigId, SessionConfigOption, SessionId};
use attache_session::Timestamp;
use serde_json::json;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// An author that is slow to set an option.
struct Slow {
    asked: mpsc::Sender<String>,
    go: Mutex<mpsc::Receiver<()>>,
}

impl Author for Slow {
    type Memory = ();

    fn about(&self) -> About {
        About::new("slow", "1")
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<()> {
        opening.options(options("ask"));
        Ok(())
    }

    async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
        turn.say(&format!("{:?}", turn.option("model"))).await?;
        Ok(StopReason::EndTurn)
    }

    fn option_set(
        &self,
        _: &SessionId,
        option: &SessionConfigId,
        options: &mut Vec<SessionConfigOption>,
    ) -> Result<()> {
        let value = options
            .iter()
            .find(|known| known.id == *option)
            .and_then(|option| option.current_value());
        self.asked.send(format!("{value:?}")).unwrap();
        // If the reading task is blocked, the test never releases this call. The call then fails
        // instead of waiting forever.
        let released = self.go.lock().unwrap().recv_timeout(Duration::from_secs(20));
        released.map_err(|_| attache_agent::Error::failed("the test did not release it"))
    }
}

/// CONF-02, CONF-18, CONF-24.
#[tokio::test]
async fn a_slow_option_blocks_only_its_session() {
    let (asked, was_asked) = mpsc::channel();
    let (let_go, go) = mpsc::channel();
    let mut client = Client::plain(Slow { asked, go: Mutex::new(go) }).await;
    let session = client.session().await;
    let set = |value: &str| json!({"sessionId": session, "configId": "model", "value": value});
    let (large, first) = client.call("session/set_config_option", set("large"));
    let (small, second) = client.call("session/set_config_option", set("small"));
    let (turn, third) = client.call("session/prompt", prompt(&session, "x"));
    let (again, fourth) = client.call("session/set_config_option", set("large"));
    client.send(&[first, second, third, fourth]).await;
    // Other sessions and other calls are served meanwhile.
    let other = client.session().await;
    client.result("session/list", json!({})).await;
    client.result("session/close", json!({"sessionId": other})).await;
    for _ in 0..3 {
        let_go.send(()).unwrap();
    }
    for (id, model) in [(large, "large"), (small, "small"), (again, "large")] {
        let reply = client.reply(id).await;
        assert_eq!(reply["result"]["configOptions"][0]["currentValue"], model, "{reply}");
    }
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    let seen: Vec<String> = was_asked.try_iter().collect();
    assert!(
        seen[0].contains("large") && seen[1].contains("small") && seen[2].contains("large"),
        "{seen:?}"
    );
}

/// SESS-25.
#[tokio::test]
async fn a_session_is_closed_after_earlier_option_changes() {
    let (asked, _was_asked) = mpsc::channel();
    let (let_go, go) = mpsc::channel();
    let mut client = Client::plain(Slow { asked, go: Mutex::new(go) }).await;
    let session = client.session().await;
    let set = json!({"sessionId": session, "configId": "model", "value": "large"});
    let (set, first) = client.call("session/set_config_option", set);
    let (close, second) = client.call("session/close", json!({"sessionId": session}));
    client.send(&[first, second]).await;
    client.result("session/list", json!({})).await;
    let_go.send(()).unwrap();
    assert!(client.reply(set).await["result"].is_object());
    assert!(client.reply(close).await["result"].is_object());
}

/// An environment that drops the stored tool call, if any, when the session asks for the time,
/// which it does while its lock is held.
struct Dropping(SystemEnvironment, Arc<Mutex<Option<ToolCallHandle>>>);

impl Environment for Dropping {
    fn now(&self) -> Timestamp {
        drop(self.1.lock().unwrap().take());
        self.0.now()
    }

    fn new_id(&self) -> String {
        self.0.new_id()
    }
}

/// Passes its tool call to the clock.
struct Leaves(Arc<Mutex<Option<ToolCallHandle>>>);

impl Author for Leaves {
    type Memory = ();

    fn about(&self) -> About {
        About::new("leaves", "1")
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        Ok(())
    }

    async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
        let call = turn.tool_call("Look", ToolKind::Read).start().await?;
        *self.0.lock().unwrap() = Some(call);
        turn.say("one").await?;
        turn.say("two").await?;
        Ok(StopReason::EndTurn)
    }
}

/// TOOL-09.
#[test]
fn a_handle_can_be_dropped_by_the_thread_that_holds_the_session_lock() {
    let (sender, done) = mpsc::channel();
    // In a thread, so that a deadlock fails the test instead of stopping it.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let slot = Arc::<Mutex<Option<ToolCallHandle>>>::default();
            let environment = Dropping(SystemEnvironment::default(), slot.clone());
            let mut client =
                Client::silent(attache_agent::serve(Leaves(slot)).environment(environment));
            let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
            client.result("initialize", params).await;
            let session =
                client.result("session/new", new()).await["sessionId"].as_str().unwrap().to_owned();
            let (reply, updates) = client.turn(&session, "x").await;
            let kinds: Vec<String> = updates
                .iter()
                .map(|update| {
                    format!("{} {}", update["sessionUpdate"], update["status"]).replace('"', "")
                })
                .collect();
            let _ = sender.send((reply["result"]["stopReason"].clone(), kinds));
        });
    });
    let (reason, kinds) = done.recv_timeout(Duration::from_secs(20)).expect("the turn ends");
    assert_eq!(reason, "end_turn");
    let failed =
        kinds.iter().position(|kind| kind == "tool_call_update failed").expect("it is settled");
    let said = kinds.iter().rposition(|kind| kind.starts_with("agent_message_chunk")).unwrap();
    assert!(failed < said, "settled before anything else happens: {kinds:?}");
}
