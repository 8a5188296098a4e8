//! The examples of `docs/protocol` that show a client: the test sends the agent's messages, and the
//! client kit must answer as the page says.

use crate::excerpt::{Bound, excerpt, substitute};
use crate::page::{Message, Shown, pages};
use crate::scripted_agent::{ScriptedAgent, connecting};
use attache_client::{Options, Permissions};
use attache_protocol::method::Side;
use serde_json::Value;

/// The messages with which a conversation opens a session.
const OPENING: usize = 4;

/// Plays the agent's part of a conversation.
struct Replay {
    agent: ScriptedAgent,
    bound: Bound,
    /// The last request of the client.
    request: Value,
}

impl Replay {
    async fn play(&mut self, messages: &[Message]) {
        for Message { place, from, json, .. } in messages {
            match (from, json["method"].is_null()) {
                (Side::Client, _) => {
                    let sent = self.agent.next().await.unwrap();
                    let bound = excerpt("", json, &sent, self.bound.clone());
                    self.bound =
                        bound.unwrap_or_else(|| panic!("{place}: the client sends {sent}"));
                    self.request = sent;
                }
                (Side::Agent, true) => {
                    self.agent.reply(&self.request, json["result"].clone()).await;
                }
                (Side::Agent, false) => {
                    let mut json = json.clone();
                    substitute(&mut json, &self.bound);
                    self.agent.send(json).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn client_answers_as_the_pages_say() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap().join("tally");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("main.rs"), "fn total() {}\nfn main() { total() }\n").unwrap();
    let of_client = |page: &crate::page::Page| {
        let conversations = page.conversations().unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        let of_version_1 = conversations.into_iter().filter(|(version, _)| *version == 1);
        of_version_1.flat_map(|(_, messages)| messages).collect::<Vec<_>>()
    };
    let mut messages: Vec<Message> = pages().iter().flat_map(of_client).collect();
    messages.retain(|message| message.shown == Shown::Client);
    for message in &mut messages {
        let text = message.json.to_string();
        let text = text.replace("/home/ann/tally", folder.to_str().unwrap());
        message.json = serde_json::from_str(&text).unwrap();
    }
    let options = Options::default().about("editor", "1.0").terminals();
    let (agent, connecting) = connecting(options);
    let mut replay = Replay { agent, bound: Bound::new(), request: Value::Null };
    let opening = async {
        let connection = connecting.await.unwrap();
        let session = connection.open(&folder).permissions(Permissions::AllowAll).await.unwrap();
        (connection, session)
    };
    let (_open, ()) = tokio::join!(opening, replay.play(&messages[..OPENING]));
    replay.play(&messages[OPENING..]).await;
    assert_eq!(std::fs::read_to_string(folder.join("main.rs")).unwrap(), "fn sum() {}\n");
}
