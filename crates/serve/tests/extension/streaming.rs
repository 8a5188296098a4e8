//! Sessions that stream while clients come, go and stop reading.

use crate::attached::{Client, Shared, Shown, lines, shared};
use crate::session_watch::fresh;
use crate::started::idle;
use attache_connection::transport::{WebSocketRole, WebSocketTransport};
use serde_json::{Value, json};
use tokio::net::UnixStream;

/// A client that stops reading gets what it missed in few, large changes, whatever carries them.
#[tokio::test]
async fn a_watcher_that_stops_reading_costs_no_growing_memory() {
    let mut it = shared().await;
    let lazy = it.local();
    stops_reading(it, lazy).await;

    let mut it = shared().await;
    let (here, there) = UnixStream::pair().unwrap();
    let lazy = it.local_over((lines(here), lines(there)));
    stops_reading(it, lazy).await;

    let mut it = shared().await;
    let (here, there) = UnixStream::pair().unwrap();
    let here = WebSocketTransport::new(here, WebSocketRole::Client);
    let there = WebSocketTransport::new(there, WebSocketRole::Server);
    let lazy = it.local_over((here, there));
    stops_reading(it, lazy).await;
}

/// Lets a session stream while one client reads everything and the other one nothing.
async fn stops_reading(mut it: Shared, mut lazy: Client) {
    let mut busy = it.local();
    lazy.watch(Value::Null).await;
    busy.watch(Value::Null).await;
    let mut shown = Shown::default();
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    let mut notified = 0;
    for number in 0..120 {
        it.agent.say(&format!("**word** {number}\n\n{}", "text ".repeat(400))).await;
        it.agent.heard().await;
        let wanted = format!("word {number}");
        let bold = format!(" {number}");
        let is_there =
            |shown: &Shown| shown.text().contains(&wanted) || shown.text().contains(&bold);
        while !is_there(&shown) {
            shown.apply(&busy.notified().await.1);
            notified += 1;
        }
    }
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert!(notified >= 60, "{notified} notifications for a client that reads");
    // The lazy client gets what was in the stream and in the queue, and then the end.
    let (mut late, mut count) = (Shown::default(), 0);
    let all = fresh(&it);
    while late.rows != all {
        late.apply(&lazy.notified().await.1);
        count += 1;
    }
    assert!(count < notified / 2, "{count} of {notified} notifications were kept");
}

/// A step of a client's life.
#[derive(Debug, Clone, Copy)]
enum Step {
    Say,
    Call,
    Turn,
    Apply,
    Reconnect,
    ReadEarlier,
}

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn step(&mut self) -> Step {
        use Step::{Apply, Call, ReadEarlier, Reconnect, Say, Turn};
        let steps = [Say, Say, Say, Call, Call, Turn, Apply, Apply, Reconnect, ReadEarlier];
        steps[self.next(steps.len() as u64) as usize]
    }
}

/// A client of a session whose agent works on a prompt.
struct Life {
    it: Shared,
    prompt: Value,
    client: Client,
    watch: u64,
    shown: Shown,
    numbers: Numbers,
}

impl Life {
    async fn new(seed: u64) -> Self {
        let mut it = shared().await;
        it.session.send("go").unwrap();
        let (prompt, _) = it.agent.prompted().await;
        let mut client = it.local();
        let watch = client.watch(Value::Null).await;
        Self { it, prompt, client, watch, shown: Shown::default(), numbers: Numbers(seed) }
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Say => {
                let text = ["word ", "\n\n", "- item\n", "`code` ", "```\n"];
                self.it.agent.say(text[self.numbers.next(5) as usize]).await;
            }
            Step::Call => {
                let id = format!("c{}", self.numbers.next(4));
                let status = ["pending", "in_progress", "completed"][self.numbers.next(3) as usize];
                let update = json!({
                    "sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status,
                });
                self.it.agent.update("s1", update).await;
            }
            Step::Turn => {
                self.it.agent.end_turn(&self.prompt).await;
                idle(&self.it.session).await;
                self.it.session.send("more").unwrap();
                self.prompt = self.it.agent.prompted().await.0;
            }
            // The client reads as much as a call needs.
            Step::Apply => {
                let params = json!({ "watch": self.watch, "words": "x" });
                self.client.call("_attache/search", params).await.unwrap();
                self.apply_read();
            }
            Step::Reconnect => {
                self.client = self.it.local();
                self.watch = self.client.watch(self.shown.position.clone()).await;
            }
            Step::ReadEarlier => {
                let to = self.shown.rows.len() as u64;
                let params = json!({ "watch": self.watch, "from": to / 2, "to": to });
                let read = self.client.call("_attache/rows", params).await.unwrap();
                self.apply_read();
                for row in read["rows"].as_array().unwrap() {
                    if let Some(known) =
                        self.shown.rows.get_mut(row["id"].as_u64().unwrap() as usize)
                    {
                        known.clone_from(row);
                    }
                }
            }
        }
    }

    /// Applies the notifications that were read.
    fn apply_read(&mut self) {
        for change in self.client.take_notified() {
            self.shown.apply(&change["params"]);
        }
    }

    /// The client has exactly the rows of a fresh view, once it got everything.
    async fn check(mut self) {
        self.it.agent.end_turn(&self.prompt).await;
        idle(&self.it.session).await;
        let all = fresh(&self.it);
        self.shown.until(&mut self.client, |shown| shown.rows == all).await;
    }
}

#[tokio::test]
async fn a_client_has_the_rows_of_a_fresh_view_however_often_it_reconnects() {
    for seed in 1..=40 {
        let mut life = Life::new(seed).await;
        for _ in 0..60 {
            let step = life.numbers.step();
            life.step(step).await;
        }
        life.check().await;
    }
}
