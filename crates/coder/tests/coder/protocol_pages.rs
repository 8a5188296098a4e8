//! The examples of `docs/protocol` and the built-in agent.
//!
//! The test sends the client's messages of each page to the agent, which uses the offline model and
//! works in a folder with one file. The agent must send the page's messages in their order. A page
//! may leave out notifications, members of objects and items of lists, but no request and no reply.

use crate::excerpt::{Bound, excerpt, substitute};
use crate::page::{Message, Shown, first, pages, whole};
use crate::projects::project;
use attache_agent::serve;
use attache_coder::Coder;
use attache_protocol::method::Side;
use attache_session::MemoryStore;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinSet;

/// How long the agent may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// The home folder in the pages; a temporary folder takes its place.
const HOME: &str = "/home/ann";

/// Methods that the pages show with the built-in agent.
const METHODS: &[&str] = &[
    "initialize",
    "session/cancel",
    "session/close",
    "session/delete",
    "session/fork",
    "session/list",
    "session/load",
    "session/new",
    "session/prompt",
    "session/request_permission",
    "session/resume",
    "session/set_config_option",
    "session/set_mode",
    "session/set_title",
    "session/update",
];

/// A conversation of a page with the agent.
struct Replay {
    output: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    _serving: JoinSet<()>,
    home: TempDir,
    bound: Bound,
    /// Notifications that the page has not shown.
    left_out: Vec<Value>,
}

impl Replay {
    fn new() -> Self {
        let home = project(&[
            ("tally/main.rs", "fn total() {}\nfn main() { total() }\n"),
            ("other/notes.md", "Nothing.\n"),
        ]);
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let (_, run) = serve(Coder::new()).store(MemoryStore::default()).connect(input, output);
        let mut serving = JoinSet::new();
        serving.spawn(async { drop(run.await) });
        let (input, output) = tokio::io::split(ours);
        let lines = BufReader::new(input).lines();
        let (bound, left_out) = (Bound::new(), Vec::new());
        Self { output, lines, _serving: serving, home, bound, left_out }
    }

    /// Sends or receives the messages, or returns what the agent does differently.
    async fn play(&mut self, messages: &[Message]) -> Result<(), String> {
        for message in messages {
            let text = message.json.to_string().replace(HOME, &self.home());
            let json = serde_json::from_str(&text).unwrap();
            match message.from {
                Side::Client => self.send(json).await,
                Side::Agent => {
                    self.expect(&json).await.map_err(|sent| {
                        let sent: Vec<_> = sent.iter().map(Value::to_string).collect();
                        format!("{}: the agent sends\n{}", message.place, sent.join("\n"))
                    })?;
                }
            }
        }
        Ok(())
    }

    fn home(&self) -> String {
        self.home.path().canonicalize().unwrap().to_str().unwrap().to_owned()
    }

    async fn send(&mut self, mut json: Value) {
        if json["method"].is_null() {
            // The reply to a request of the agent.
            json["id"] = self.bound[&("id".to_owned(), json["id"].to_string())].clone();
        }
        substitute(&mut json, &self.bound);
        self.output.write_all(format!("{json}\n").as_bytes()).await.unwrap();
    }

    /// Waits for this message of the page, or returns what the agent sent instead.
    async fn expect(&mut self, page: &Value) -> Result<(), Vec<Value>> {
        // The agent sends the labels of a session when it has found them.
        let is_info = page["params"]["update"]["sessionUpdate"] == "session_info_update";
        if is_info && let Some(at) = self.left_out.iter().position(|sent| self.fits(page, sent)) {
            let sent = self.left_out.remove(at);
            return self.bind(page, &sent).ok_or_else(Vec::new);
        }
        let already = self.left_out.len();
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            let Ok(Ok(Some(line))) = line else {
                return Err(self.left_out.split_off(already));
            };
            let sent: Value = serde_json::from_str(&line).unwrap();
            if self.bind(page, &sent).is_some() {
                return Ok(());
            }
            let is_notification = !sent["method"].is_null() && sent["id"].is_null();
            self.left_out.push(sent);
            if !is_notification {
                return Err(self.left_out.split_off(already));
            }
        }
    }

    fn fits(&self, page: &Value, sent: &Value) -> bool {
        excerpt("", page, sent, self.bound.clone()).is_some()
    }

    /// Stores the values of a message that fits.
    fn bind(&mut self, page: &Value, sent: &Value) -> Option<()> {
        let (mut page, mut sent, mut bound) = (page.clone(), sent.clone(), self.bound.clone());
        if !page["method"].is_null() && !page["id"].is_null() {
            // Each side counts its own requests.
            bound.insert(("id".to_owned(), page["id"].to_string()), sent["id"].clone());
            page["id"] = Value::Null;
            sent["id"] = Value::Null;
        }
        self.bound = excerpt("", &page, &sent, bound)?;
        Some(())
    }
}

#[tokio::test]
async fn agent_sends_the_messages_of_every_page() {
    let pages = pages();
    let first = first(&pages);
    let (mut wrong, mut methods) = (BTreeSet::new(), BTreeSet::new());
    for page in &pages {
        let conversations = page.conversations().unwrap_or_else(|wrong| panic!("{wrong:#?}"));
        for (version, mut messages) in conversations {
            messages.retain(|message| message.shown == Shown::Agent);
            let method = |message: &Message| message.json["method"].as_str().map(str::to_owned);
            methods.extend(messages.iter().filter_map(method));
            let messages = whole(&first[&version], &messages);
            wrong.extend(Replay::new().play(&messages).await.err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n\n"));
    let missing: Vec<_> = METHODS.iter().filter(|method| !methods.contains(**method)).collect();
    assert!(missing.is_empty(), "no page shows {missing:?} of the built-in agent");
}
