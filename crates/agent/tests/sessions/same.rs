//! A load shows the same session as the live updates did.

use super::load::load;
use super::{Client, Keeper, TestStore};
use attache_protocol::v1::SessionUpdate;
use attache_session::{EntryContent, Event, EventBody, Session, Timestamp};
use serde_json::{Value, json};

/// Folds the updates that a client receives.
struct Seen(Session);

impl Seen {
    fn new() -> Self {
        Self(Session::new("seen"))
    }

    fn happened(&mut self, body: EventBody) {
        let event: Event = self.0.next(Timestamp(0), body);
        self.0.apply(&event);
    }

    fn take(&mut self, client: &mut Client) {
        for update in client.updates() {
            let update = attache_protocol::decode::<SessionUpdate>(&update.to_string()).unwrap();
            self.happened(EventBody::from_update(update));
        }
    }

    fn options(&mut self, reply: &Value) {
        let update = json!({"sessionUpdate": "config_option_update", "configOptions": reply["configOptions"]});
        let update = attache_protocol::decode::<SessionUpdate>(&update.to_string()).unwrap();
        self.happened(EventBody::from_update(update));
    }

    /// Everything that a person sees, except notices, which are not history (NOTE-02).
    fn view(&self) -> Vec<String> {
        let entries = self.0.entries().iter().filter_map(|entry| match &entry.content {
            EntryContent::Message { author, .. } => Some(format!("{author:?}: {}", entry.text())),
            EntryContent::ToolCall(call) => Some(format!("{call:?}")),
            EntryContent::Plan { content, .. } => Some(format!("{content:?}")),
            EntryContent::Notice(_) => None,
            other => Some(format!("{other:?}")),
        });
        let usage = self.0.usage();
        let state = [
            format!("{:?} {:?}", self.0.info().title(), self.0.info().meta()),
            format!("{:?}", self.0.config().options()),
            format!("{:?}", self.0.commands()),
            format!("{:?} {:?} {:?}", usage.used(), usage.size(), usage.costs()),
        ];
        entries.chain(state).collect()
    }
}

/// A sequence of pseudo-random numbers that is the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// SESS-13, SESS-15, SESS-16, CONF-04, USE-09: folding a load gives the same session as folding the
/// live updates.
#[tokio::test(start_paused = true)]
async fn a_load_shows_the_same_as_the_live_updates() {
    for seed in 0..40 {
        let (mut dice, store) = (Dice(seed), TestStore::new());
        let mut client = store.client(Keeper::default()).await;
        let mut live = Seen::new();
        let opened = client.result("session/new", super::client::new()).await;
        let session = opened["sessionId"].as_str().unwrap().to_owned();
        live.options(&opened);
        for step in 0..dice.roll(12) {
            match dice.roll(8) {
                0 => {
                    let model = ["small", "large"][dice.roll(2)];
                    let set = json!({"sessionId": session, "configId": "model", "value": model});
                    live.options(&client.result("session/set_config_option", set).await);
                }
                1 => {
                    let mode = ["ask", "code"][dice.roll(2)];
                    client
                        .result("session/set_mode", json!({"sessionId": session, "modeId": mode}))
                        .await;
                    live.take(&mut client);
                }
                2 => {
                    client.result("session/close", json!({"sessionId": session})).await;
                    live.take(&mut client);
                    live.options(&client.result("session/resume", load(&session)).await);
                }
                roll => {
                    let text = ["everything", "say ä\nb", "say ", "fail", "remember x"][roll - 3]
                        .to_owned();
                    let text = if dice.roll(2) == 0 { text } else { format!("{text} {step}") };
                    client.settle().await;
                    live.take(&mut client);
                    live.happened(EventBody::Prompt { content: vec![text.as_str().into()] });
                    let id = client.prompt(&session, &text).await;
                    client.reply(id).await;
                    client.settle().await;
                }
            }
            live.take(&mut client);
        }
        client.settle().await;
        live.take(&mut client);
        client.result("session/close", json!({"sessionId": session})).await;
        let loaded = client.result("session/load", load(&session)).await;
        let mut again = Seen::new();
        again.take(&mut client);
        again.options(&loaded);
        assert_eq!(again.view(), live.view(), "seed {seed}");
    }
}
